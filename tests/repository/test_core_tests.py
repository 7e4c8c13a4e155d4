"""Each module of the core has a test module of its name in the same folder of `core/tests`, or is an exception."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CORE, TESTS = ROOT / "core/src/hoodoo", ROOT / "core/tests"

DECLARATIONS = "It has only declarations."
EXCEPTIONS = {
    "__about__": DECLARATIONS,
    "archived_timeline/*": "core/tests/archived_timeline/test_archived_timeline.py",
    "catalog_sync/chosen_catalogs": "tests/rows_written/commits/test_catalogs.py",
    "catalog_sync/all_catalogs": "tests/rows_written/commits/test_catalogs.py",
    "catalog_sync/one_catalog": "tests/rows_written/commits/test_catalogs.py",
    "catalog_sync/touched_partitions": "tests/rows_written/commits/test_catalogs.py",
    "cli/*": "core/tests/cli/test_new_plugin.py",
    "cli/doctor/*": "core/tests/cli/test_doctor.py",
    "cli/quickstart/*": "core/tests/cli/quickstart/test_trip_writes.py",
    "cli/reference/hudi_page": "core/tests/options/hudi/test_verdicts.py",
    "cli/table_command": "tests/explanations/test_shown.py",
    "commit_hooks": "tests/rows_written/commits/test_commit_hooks.py",
    "diagnosis/*": "core/tests/diagnosis/test_diagnose.py",
    "diagnosis/metadata/*": "tests/diagnosis/test_validate.py",
    "errors": "Every test of an error uses it.",
    "explain/statements": "tests/rows_written/statements/test_statements.py",
    "filegroup/*": "core/tests/filegroup/test_slice_view.py",
    "filegroup/clean_plan": "core/tests/service/test_clean.py",
    "format/*": "core/tests/format/test_file_names.py",
    "format/avro/*": "core/tests/format/log/test_block_content.py",
    "format/bloom/*": "core/tests/format/bloom/test_bloom_filter.py",
    "format/hfile/*": "core/tests/format/hfile/test_reader.py",
    "format/log/block*": "core/tests/format/log/test_block_scanner.py",
    "format/log/delete_*": "core/tests/format/log/test_delete_block.py",
    "format/parquet/*": "core/tests/format/parquet/test_parquet_reader.py",
    "index/*": "core/tests/index/test_bloom_index.py",
    "keys/*": "core/tests/keys/test_record_key.py",
    "merge/*": "core/tests/merge/test_plugin_checks.py",
    "merge/adapters/*": "core/tests/merge/adapters/test_row_rules.py",
    "metadata_table/*": "core/tests/metadata_table/test_metadata_table.py",
    "metadata_table/content/*": "core/tests/metadata_table/test_metadata_table.py",
    "metadata_table/creation/*": "core/tests/metadata_table/creation/test_new_metadata_table.py",
    "metadata_table/maintenance/*": "core/tests/metadata_table/test_new_logs.py",
    "metadata_table/maintenance/compacted_shard": "core/tests/metadata_table/test_compacted_shards.py",
    "metadata_table/maintenance/changed_files/*": "core/tests/metadata_table/maintenance/test_record_index_records.py",
    "metadata_table/maintenance/statistics/*": "core/tests/metadata_table/maintenance/test_column_stats_records.py",
    "metadata_table/maintenance/table_change": DECLARATIONS,
    "options/*": "core/tests/options/parsing/test_parse.py",
    "options/parsing/*": "core/tests/options/parsing/test_parse.py",
    "options/hudi/*": "core/tests/options/hudi/test_verdicts.py",
    "options/concurrency": "core/tests/txn/locking/test_lock_options.py",
    "plugin/*": "core/tests/plugin/test_hookspecs.py",
    "plugin/installed/*": "core/tests/plugin/installed/test_entry_points.py",
    "plugin/commit_summary": "tests/rows_written/commits/test_commit_hooks.py",
    "plugin/helpers/*": "core/tests/plugin/helpers/test_partial_update.py",
    "plugin/interface": DECLARATIONS,
    "properties/*": "core/tests/properties/test_properties_file.py",
    "record/*": "core/tests/record/test_ordering.py",
    "record/laws": DECLARATIONS,
    "schema/avro_*": "core/tests/schema/test_avro_encode.py",
    "schema/columns": "core/tests/schema/test_avro_encode.py",
    "spark/*": "core/tests/spark/test_session.py",
    "spark/enabled/*": "tests/spark_sessions/test_enabled.py",
    "spark/enabled/stream_writer": "tests/spark_sessions/test_streaming.py",
    "spark/narrowing/narrowed_frame": "tests/spark_sessions/reads/test_metadata_table.py",
    "spark/scan/*": "tests/spark_sessions/reads/test_read.py",
    "spark/statements/*": "tests/rows_written/statements/test_statements.py",
    "spark/workers/*": "tests/spark_sessions/reads/test_workers.py",
    "spark/sql/*": "tests/spark_sessions/sql/test_queries.py",
    "spark/sql/changes/*": "tests/spark_sessions/sql/test_definitions.py",
    "spark/sql/changes/renaming": "tests/spark_sessions/sql/test_renamed_columns.py",
    "spark/sql/changes/restructuring": "tests/spark_sessions/sql/test_fields_and_places.py",
    "spark/sql/procedures/*": "tests/spark_sessions/sql/test_calls.py",
    "spark/sql/rows/*": "tests/spark_sessions/sql/test_rows.py",
    "spark/sql/tables/*": "tests/spark_sessions/sql/test_names.py",
    "spark/write/*": "tests/rows_written/test_spark.py",
    "statements/result": DECLARATIONS,
    "sql_parsing/definitions": DECLARATIONS,
    "sql_parsing/grammar/common": "core/tests/sql_parsing/grammar/test_rows.py",
    "sql_parsing/statements": DECLARATIONS,
    "storage/*": "core/tests/storage/test_contract.py",
    "storage/hdfs/*": "tests/object_stores/test_hdfs.py",
    "storage/object_store/*": "core/tests/storage/object_store/test_object_storage.py",
    "table": "tests/rows_written/test_table.py",
    "testing/*": "core/tests/testing/test_suites.py",
    "testing/checks/*": "core/tests/testing/test_wrong_rules.py",
    "testing/data/*": "core/tests/testing/data/test_type_names.py",
    "testing/laws/*": "core/tests/testing/test_wrong_laws.py",
    "testing/paths/*": "core/tests/testing/paths/test_table_paths.py",
    "testing/suites/*": "core/tests/testing/test_suites.py",
    "timeline/*": "core/tests/timeline/test_timeline.py",
    "timeline/codec/*": "core/tests/timeline/codec/test_avro_decoder.py",
    "txn/metadata/*": "tests/reliability/test_metadata_tables.py",
    "txn/*": "core/tests/txn/test_transaction.py",
    "txn/locking/*": "core/tests/txn/locking/test_lock_options.py",
    "txn/rollback/*": "core/tests/txn/rollback/test_rollback.py",
    "write_job": "tests/rows_written/commits/test_commit_hooks.py",
    "writing/statement_metadata": "tests/rows_written/statements/test_statements.py",
    "writing/task_engine": DECLARATIONS,
}
"""Modules without a separate test module, as patterns: the test module that tests most of them, or a reason."""


def modules() -> list[str]:
    """Return the modules of the core, such as `writing/commit`."""
    found = (path.relative_to(CORE).with_suffix("") for path in CORE.rglob("*.py") if path.stem != "__init__")
    return sorted(path.as_posix() for path in found)


def untested() -> list[str]:
    """Return the modules without a test module of their name in the folder of their package."""
    places = ((module, Path(module)) for module in modules())
    return [module for module, path in places if not (TESTS / path.parent / f"test_{path.name}.py").is_file()]


def covers(pattern: str, module: str) -> bool:
    """Return whether a pattern covers a module; `*` does not cross folders."""
    return pattern.count("/") == module.count("/") and fnmatchcase(module, pattern)


def test_every_module_has_a_test_module():
    assert modules(), f"no modules in {CORE}"
    assert [module for module in untested() if not any(covers(pattern, module) for pattern in EXCEPTIONS)] == []


def test_every_exception_is_needed():
    missing = untested()
    assert [pattern for pattern in EXCEPTIONS if not any(covers(pattern, module) for module in missing)] == []


def test_exceptions_name_test_modules_that_exist():
    named = {where for where in EXCEPTIONS.values() if where.endswith(".py")}
    assert sorted(where for where in named if not (ROOT / where).is_file()) == []


def test_every_folder_of_core_tests_is_one_of_the_core():
    folders = {path.parent.relative_to(TESTS) for path in TESTS.rglob("test_*.py")}
    assert sorted(folder.as_posix() for folder in folders if not (CORE / folder).is_dir()) == []


def test_a_pattern_covers_modules_of_one_folder():
    assert covers("txn/*", "txn/begin")
    assert not covers("txn/*", "txn/rollback/rollback")
    assert not covers("txn/*", "table")
