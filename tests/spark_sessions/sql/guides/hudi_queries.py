"""Statements of Hudi's page on SQL queries."""

from __future__ import annotations

from .statement import Guide, Section, refused, runs

__all__ = ["QUERIES"]

_PARCELS = (
    "CREATE TABLE parcels (id INT, label STRING, ts BIGINT, weight DOUBLE, city STRING) USING hudi "
    "PARTITIONED BY (city) OPTIONS (primaryKey = 'id', preCombineField = 'ts')"
)
_CDC = "compare two snapshots; hoodoo writes no change logs, and reads those of tables that Hudi writes"
_FIRST = "INSERT INTO parcels VALUES (1, 'a', 10, 2.5, 'rome'), (2, 'b', 10, 12.5, 'oslo')"
_SECOND = "UPDATE parcels SET weight = 5, ts = 11 WHERE id = 1"

QUERIES = Guide(
    "hudi-sql-queries",
    "Apache Hudi: SQL Queries",
    "https://hudi.apache.org/docs/sql_queries",
    [
        Section(
            "Snapshot Query",
            [_PARCELS, _FIRST],
            [
                runs("SET hoodie.metadata.column.stats.enable=true"),
                runs("SELECT id FROM parcels WHERE weight > 1.0 and weight < 10.0", (1,)),
                runs("SET hoodie.metadata.record.index.enable=true"),
                runs("SELECT id, label FROM parcels WHERE id = 2", (2, "b")),
            ],
        ),
        Section(
            "Snapshot Query with Index Acceleration",
            [],
            [
                runs(
                    "CREATE TABLE parcels (ts BIGINT, code STRING, receiver STRING, weight DOUBLE, city STRING) "
                    "USING HUDI "
                    "OPTIONS (primaryKey = 'code', hoodie.write.record.merge.mode = \"COMMIT_TIME_ORDERING\") "
                    "PARTITIONED BY (city)"
                ),
                runs("INSERT INTO parcels VALUES (1, 'c1', 'ann', 2.5, 'rome'), (2, 'c2', 'bob', 3.5, 'oslo')"),
                refused(
                    "UPDATE parcels SET receiver = 'cleo', weight = 4, ts = '7' WHERE receiver = 'ann'",
                    "cannot be assigned",
                    "write the number without quotation marks: ts = 7",
                ),
                runs("UPDATE parcels SET receiver = 'cleo', weight = 4, ts = 7 WHERE receiver = 'ann'"),
                runs("SELECT code, ts FROM parcels WHERE receiver = 'cleo'", ("c1", 7)),
                runs("SET hoodie.metadata.index.partition.stats.enable=true"),
                runs("SET hoodie.metadata.index.column.stats.enable=true"),
                runs("INSERT INTO parcels VALUES (8, 'c8', 'hal', 1.5, 'rome')"),
                runs("SELECT code FROM parcels WHERE receiver >= 'h'", ("c8",)),
            ],
        ),
        Section(
            "Snapshot Query with Event Time Ordering",
            [],
            [
                runs(
                    "CREATE TABLE IF NOT EXISTS boxes (id INT, label STRING, ts LONG, weight DOUBLE) USING hudi "
                    "TBLPROPERTIES (type = 'mor', primaryKey = 'id', preCombineField = 'ts', "
                    "recordMergeMode = 'EVENT_TIME_ORDERING') LOCATION 'file://<folder>/boxes/'"
                ),
                runs("INSERT INTO boxes VALUES (1, 'a', 1000, 10.0)"),
                runs("SET hoodie.spark.sql.insert.into.operation=upsert"),
                runs("INSERT INTO boxes VALUES (1, 'a', 900, 20.0)"),
                runs("SELECT id, label, ts, weight FROM boxes", (1, "a", 1000, 10.0)),
            ],
        ),
        Section(
            "Snapshot Query with Custom Merge Mode",
            [],
            [
                runs(
                    "CREATE TABLE IF NOT EXISTS boxes (id INT, label STRING, ts LONG, weight DOUBLE) USING hudi "
                    "TBLPROPERTIES (type = 'mor', primaryKey = 'id', preCombineField = 'ts', recordMergeMode = "
                    "'CUSTOM', "
                    "'hoodie.datasource.write.payload.class' = 'org.apache.hudi.common.model.PartialUpdateAvroPayload')"
                ),
                runs("SET hoodie.spark.sql.insert.into.operation=upsert"),
                runs("INSERT INTO boxes VALUES (1, 'a', 1000, 10.0)"),
                runs("INSERT INTO boxes VALUES (1, null, 2000, 20.0)"),
                runs("SELECT id, label, ts, weight FROM boxes", (1, "a", 2000, 20.0)),
            ],
        ),
        Section(
            "Time Travel Query",
            [_PARCELS, _FIRST, _SECOND],
            [
                runs("SELECT weight FROM parcels TIMESTAMP AS OF '<first>' WHERE id = 1", (2.5,)),
                runs("SELECT count(*) FROM parcels TIMESTAMP AS OF '2001-03-04 10:11:12.345' WHERE id = 1", (0,)),
                runs("SELECT weight FROM parcels TIMESTAMP AS OF '2101-03-04' WHERE id = 1", (5.0,)),
            ],
        ),
        Section(
            "Change Data Capture",
            [_PARCELS, _FIRST, _SECOND],
            [
                *(
                    refused(f"SELECT * FROM hudi_table_changes({arguments})", "does not record changes", _CDC)
                    for arguments in (
                        "'parcels', 'cdc', 'earliest'",
                        "'<folder>/warehouse/parcels', 'cdc', '<first>'",
                        "'parcels', 'cdc', '<before>', '<first>'",
                    )
                ),
            ],
        ),
        Section(
            "Incremental Query",
            [_PARCELS, _FIRST, _SECOND],
            [
                runs("SELECT id FROM hudi_table_changes('parcels', 'latest_state', 'earliest')", (1,), (2,)),
                runs("SELECT id, weight FROM hudi_table_changes('parcels', 'latest_state', '<first>')", (1, 5.0)),
                runs(
                    "SELECT id, weight FROM hudi_table_changes('parcels', 'latest_state', 'earliest', '<first>')",
                    (1, 2.5),
                    (2, 12.5),
                ),
            ],
        ),
        Section(
            "Query Indexes and Timeline",
            [_PARCELS, _FIRST],
            [
                refused(
                    "SELECT key FROM hudi_metadata('parcels') WHERE type = 7",
                    "hudi_metadata",
                    "`hoodoo table indexes`, `hoodoo table validate`",
                ),
                refused(
                    "SELECT * FROM hudi_query_timeline('parcels', 'true')",
                    "hudi_query_timeline",
                    "CALL show_commits(...), or `Table.timeline`",
                ),
            ],
        ),
    ],
)
