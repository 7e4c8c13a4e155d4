"""Each module of the core has a test module of its name in the same folder of `core/tests`, or is an exception."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CORE, TESTS = ROOT / "core/src/hoodoo", ROOT / "core/tests"

DECLARATIONS = "It has only declarations."
EXCEPTIONS = {
    "__about__": DECLARATIONS,
    "archived_timeline/*": "core/tests/archived_timeline/test_archive.py",
    "cli/*": "core/tests/cli/test_new.py",
    "cli/check_command": "core/tests/cli/test_check.py",
    "cli/doctor/*": "core/tests/cli/test_doctor.py",
    "cli/plugins_command": "core/tests/cli/test_plugins.py",
    "cli/quickstart/*": "core/tests/cli/test_quickstart.py",
    "cli/reference/hudi_page": "core/tests/options/hudi/test_rules.py",
    "cli/reference/option_page": "core/tests/options/test_page.py",
    "cli/reference/plugin_page": "core/tests/plugin/test_page.py",
    "cli/table_command": "tests/explanations/test_shown.py",
    "commit_hooks": "tests/rows_written/test_commit_hooks.py",
    "errors": "Every test of an error uses it.",
    "filegroup/*": "core/tests/filegroup/test_slices.py",
    "filegroup/clean_plan": "core/tests/service/test_clean.py",
    "filegroup/replaced_groups": "core/tests/filegroup/test_replaced.py",
    "format/*": "core/tests/format/test_names_and_partitions.py",
    "format/avro/*": "core/tests/format/log/test_avro_data.py",
    "format/bloom/*": "core/tests/format/test_bloom.py",
    "format/log/block*": "core/tests/format/log/test_blocks.py",
    "format/log/block_checksum": "core/tests/format/log/test_checksum.py",
    "format/log/delete_*": "core/tests/format/log/test_deletes.py",
    "format/parquet/*": "core/tests/format/test_parquet.py",
    "format/parquet/row_groups": "core/tests/format/test_row_groups.py",
    "index/*": "core/tests/index/test_bloom.py",
    "index/bucket_index": "core/tests/index/test_bucket.py",
    "keys/*": "core/tests/keys/test_record_key.py",
    "keys/partition_path": "core/tests/keys/test_partition.py",
    "keys/value_text": "core/tests/keys/test_text.py",
    "merge/*": "core/tests/merge/test_guard.py",
    "merge/adapters/*": "core/tests/merge/test_rows.py",
    "options/*": "core/tests/options/test_parse.py",
    "options/hudi/*": "core/tests/options/hudi/test_rules.py",
    "options/concurrency": "core/tests/txn/test_locking.py",
    "plugin/*": "core/tests/plugin/test_hooks.py",
    "plugin/catalog/*": "core/tests/plugin/test_find.py",
    "plugin/catalog/allow_list": "core/tests/plugin/test_allow.py",
    "plugin/catalog/loader": "core/tests/plugin/test_load.py",
    "plugin/catalog/official": "core/tests/plugin/test_known.py",
    "plugin/catalog/plugin_spec": "core/tests/plugin/test_shipped.py",
    "plugin/commit_summary": "tests/rows_written/test_commit_hooks.py",
    "plugin/helpers/*": "core/tests/record/test_fill.py",
    "plugin/helpers/column_function": "core/tests/plugin/test_column_function.py",
    "plugin/interface": DECLARATIONS,
    "plugin/option": "core/tests/plugin/test_options.py",
    "properties/*": "core/tests/properties/test_properties.py",
    "properties/corrupt_properties": "core/tests/properties/test_damage.py",
    "reading/gc_pause": "core/tests/reading/test_collection.py",
    "reading/removed_files": "core/tests/reading/test_table_changes.py",
    "reading/row_filter": "core/tests/reading/test_filters.py",
    "reading/schema/renamed_columns": "core/tests/reading/test_renamed.py",
    "reading/slice/constant_columns": "core/tests/reading/test_repeated.py",
    "reading/slice/log_corruption": "core/tests/reading/test_emptied_logs.py",
    "record/*": "core/tests/record/test_ordering.py",
    "record/laws": DECLARATIONS,
    "schema/avro_*": "core/tests/schema/test_avro.py",
    "schema/columns": "core/tests/schema/test_avro.py",
    "schema/consistency": "core/tests/schema/test_agreement.py",
    "schema/evolution": "core/tests/schema/test_fit.py",
    "schema/invalid_values": "core/tests/schema/test_values.py",
    "service/archiving": "core/tests/service/test_archive.py",
    "spark/*": "core/tests/spark/test_session.py",
    "spark/scan/*": "tests/spark_sessions/test_read.py",
    "spark/scan/file_listing": "core/tests/spark/test_base_files.py",
    "spark/scan/partition_values": "core/tests/spark/test_partition_values.py",
    "spark/scan/schema_match": "core/tests/spark/test_parquet_fit.py",
    "spark/spark_types": "core/tests/spark/test_schema.py",
    "spark/workers/*": "tests/spark_sessions/test_workers.py",
    "spark/write/*": "tests/rows_written/test_spark.py",
    "storage/*": "core/tests/storage/test_contract.py",
    "storage/object_store/*": "core/tests/storage/test_objects.py",
    "storage/temporary_files": "core/tests/storage/test_temporary.py",
    "table": "tests/rows_written/test_table.py",
    "testing/*": "core/tests/testing/test_suites.py",
    "testing/checks/*": "core/tests/testing/test_wrong_rules.py",
    "testing/data/*": "core/tests/testing/test_types.py",
    "testing/laws/*": "core/tests/testing/test_wrong_rules.py",
    "testing/paths/*": "core/tests/testing/test_paths.py",
    "testing/suites/*": "core/tests/testing/test_suites.py",
    "timeline/*": "core/tests/timeline/test_timeline.py",
    "timeline/codec/*": "core/tests/timeline/test_avro_record.py",
    "timeline/service_plans": "core/tests/timeline/test_plans.py",
    "timeline/time_zone": "core/tests/timeline/test_zone.py",
    "txn/*": "core/tests/txn/test_transaction.py",
    "txn/conflicts": "core/tests/txn/test_conflict.py",
    "txn/locking/*": "core/tests/txn/test_locking.py",
    "txn/locking/provider_lock": "core/tests/txn/test_provider_lock.py",
    "txn/rollback/*": "core/tests/txn/test_rollback.py",
    "write_job": "tests/rows_written/test_commit_hooks.py",
    "writing/task_engine": DECLARATIONS,
}
"""Modules without a test module of their own, as patterns: the test module that tests most of them, or a reason."""


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
