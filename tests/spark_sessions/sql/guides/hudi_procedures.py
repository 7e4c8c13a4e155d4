"""Statements of Hudi's page on SQL procedures: one call of each procedure."""

from __future__ import annotations

from .statement import Guide, Section, Statement, refused, runs

__all__ = ["PROCEDURES"]

_PARCELS = (
    "CREATE TABLE parcels (id INT, label STRING, ts BIGINT, day STRING) USING hudi PARTITIONED BY (day) "
    "TBLPROPERTIES (type = 'mor', primaryKey = 'id', preCombineField = 'ts')"
)
_NEEDS = [
    _PARCELS,
    "INSERT INTO parcels VALUES (1, 'a', 1, 'mon'), (2, 'b', 1, 'tue')",
    "UPDATE parcels SET ts = 2 WHERE id = 1",
]


def _missing(text: str, instead: str) -> Statement:
    return refused(text, "there is no procedure", instead)


PROCEDURES = Guide(
    "hudi-procedures",
    "Apache Hudi: SQL Procedures",
    "https://hudi.apache.org/docs/procedures",
    [
        Section(
            "Commit management",
            _NEEDS,
            [
                runs("CALL show_commits(table => 'parcels', limit => 10)"),
                runs("CALL show_commit_files(table => 'parcels', instant_time => '<first>')"),
                runs("CALL archive_commits(table => 'parcels')"),
                _missing("CALL help(cmd => 'show_commits')", "docs/sql.md"),
                runs("CALL show_commits_metadata(table => 'parcels')"),
                runs("CALL show_commit_extra_metadata(table => 'parcels')"),
                runs("CALL show_archived_commits(table => 'parcels')"),
                runs("CALL show_commit_partitions(table => 'parcels', instant_time => '<first>')"),
                runs("CALL show_commit_write_stats(table => 'parcels', instant_time => '<first>')"),
                runs("CALL show_rollbacks(table => 'parcels')"),
                _missing(
                    "CALL show_rollback_detail(table => 'parcels', instant_time => '<first>')", "`Table.timeline`"
                ),
                _missing("CALL commits_compare(table => 'parcels', path => '<folder>/other')", "`Table.timeline`"),
                _missing("CALL export_instants(table => 'parcels', local_folder => '<folder>')", "`Table.timeline`"),
                _missing(
                    "CALL rollback_to_instant(table => 'parcels', instant_time => '<first>')",
                    "INSERT OVERWRITE from a query of the instant",
                ),
                _missing("CALL create_savepoint('parcels', '<first>')", "time travel"),
                runs("CALL show_savepoints(table => 'parcels')"),
                _missing("CALL delete_savepoint(table => 'parcels', instant_time => '<first>')", "`Table.timeline`"),
                _missing(
                    "CALL rollback_to_savepoint(table => 'parcels', instant_time => '<first>')",
                    "INSERT OVERWRITE from a query of the instant",
                ),
                _missing(
                    "CALL copy_to_temp_view(table => 'parcels', query_type => 'snapshot', view_name => 'v')",
                    "CREATE TEMPORARY VIEW v AS SELECT",
                ),
                _missing(
                    "CALL copy_to_table(table => 'parcels', new_table => 'copied')", "CREATE TABLE copied AS SELECT"
                ),
            ],
        ),
        Section(
            "Table information",
            _NEEDS,
            [
                runs("CALL show_table_properties(table => 'parcels', limit => 10)"),
                runs("CALL show_fsview_all(table => 'parcels', limit => 10)"),
                runs("CALL show_fsview_latest(table => 'parcels', partition_path => 'day=mon')"),
                runs("CALL stats_wa(table => 'parcels')"),
                runs("CALL stats_file_sizes(table => 'parcels')"),
                runs(
                    "CALL show_logfile_metadata(table => 'parcels', "
                    "log_file_path_pattern => '<folder>/warehouse/parcels/day=mon/.*.log.*')"
                ),
                _missing(
                    "CALL show_logfile_records(table => 'parcels', log_file_path_pattern => '<folder>')",
                    "`hoodoo table explain`",
                ),
                _missing("CALL show_invalid_parquet(path => '<folder>')", "`hoodoo table doctor`"),
            ],
        ),
        Section(
            "Optimization table",
            _NEEDS,
            [
                runs("CALL run_compaction(op => 'run', table => 'parcels')"),
                runs("CALL run_clean(table => 'parcels', retain_commits => 2)"),
                runs("CALL show_compaction(table => 'parcels', limit => 1)"),
                _missing("CALL run_clustering(table => 'parcels')", "INSERT OVERWRITE with ORDER BY"),
                _missing("CALL show_clustering(table => 'parcels')", "`Table.timeline`"),
                _missing(
                    "CALL delete_marker(table => 'parcels', instant_time => '<first>')",
                    "a write removes the files of failed writes",
                ),
            ],
        ),
        Section(
            "Metadata table, migration, repair and versions",
            _NEEDS,
            [
                _missing(
                    "CALL create_metadata_table(table => 'parcels')",
                    "write with hoodie.metadata.enable = true",
                ),
                _missing("CALL delete_metadata_table(table => 'parcels')", "write with hoodie.metadata.enable = false"),
                _missing("CALL show_metadata_table_files(table => 'parcels')", "show_fsview_all"),
                _missing("CALL validate_metadata_table_files(table => 'parcels')", "`hoodoo table validate`"),
                _missing(
                    "CALL run_bootstrap(table => 'parcels', bootstrap_path => '<folder>')",
                    "operation `bootstrap` of a write",
                ),
                _missing(
                    "CALL hive_sync(table => 'parcels', metastore_uri => 'thrift://localhost:9083')",
                    "option `catalogs`",
                ),
                _missing(
                    "CALL repair_deduplicate(table => 'parcels', duplicated_partition_path => 'day=mon')",
                    "DELETE and INSERT",
                ),
                _missing(
                    "CALL repair_overwrite_hoodie_props(table => 'parcels', new_props_file_path => '<folder>/p')",
                    "`hoodoo table doctor`",
                ),
                _missing(
                    "CALL upgrade_table(table => 'parcels', to_version => 'NINE')",
                    "CREATE TABLE ... AS SELECT with the version",
                ),
                _missing(
                    "CALL downgrade_table(table => 'parcels', to_version => 'SIX')",
                    "CREATE TABLE ... AS SELECT with the version",
                ),
            ],
        ),
    ],
)
