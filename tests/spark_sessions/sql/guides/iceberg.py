"""Statements of Iceberg's pages on Spark: writes, DDL, queries and procedures."""

from __future__ import annotations

from .statement import Guide, Section, refused, runs

__all__ = ["DDL", "PROCEDURES", "QUERIES", "WRITES"]

_ITEMS = (
    "CREATE TABLE parcels (id BIGINT, data STRING, sort STRING, at TIMESTAMP, count INT) USING hudi "
    "PARTITIONED BY (sort) TBLPROPERTIES (primaryKey = 'id')"
)
_ROWS = (
    "INSERT INTO parcels (id, data, sort, at, count) VALUES (1, 'a', 'x', TIMESTAMP'2020-05-10 00:00:00', NULL), "
    "(2, 'b', 'y', TIMESTAMP'2020-06-10 00:00:00', 7), (3, 'c', 'y', TIMESTAMP'2020-07-10 00:00:00', 8)"
)
_BRANCH = ("branch", "Hudi tables have no branches and tags; use the instants of the timeline")

WRITES = Guide(
    "iceberg-writes",
    "Apache Iceberg: Spark Writes",
    "https://iceberg.apache.org/docs/latest/spark-writes/",
    [
        Section(
            "INSERT INTO",
            ["CREATE TABLE pairs (id INT, data STRING) USING hudi TBLPROPERTIES (primaryKey = 'id')"],
            [
                runs("INSERT INTO statements.pairs VALUES (1, 'a'), (2, 'b')"),
                runs("INSERT INTO statements.pairs SELECT id + 2, upper(data) FROM statements.pairs"),
                runs("SELECT id, data FROM pairs", (1, "a"), (2, "b"), (3, "A"), (4, "B")),
            ],
        ),
        Section(
            "MERGE INTO",
            [
                _ITEMS,
                _ROWS,
                (
                    "CREATE TABLE events USING parquet AS SELECT * FROM VALUES (1L, 'increment', 'x', 5), "
                    "(2L, 'increment', 'y', 5), (3L, 'delete', 'y', 5), (9L, 'increment', 'z', 5) AS v(id, op, sort, "
                    "time)"
                ),
            ],
            [
                runs(
                    "MERGE INTO statements.parcels t USING (SELECT * FROM events) s ON t.id = s.id "
                    "WHEN MATCHED AND s.op = 'delete' THEN DELETE "
                    "WHEN MATCHED AND t.count IS NULL AND s.op = 'increment' THEN UPDATE SET t.count = 0 "
                    "WHEN MATCHED AND s.op = 'increment' THEN UPDATE SET t.count = t.count + 1 "
                    "WHEN NOT MATCHED AND s.time > 3 THEN INSERT (id, sort, count) VALUES (s.id, s.sort, 1)"
                ),
                runs("SELECT id, count FROM parcels", (1, 0), (2, 8), (9, 1)),
                runs(
                    "MERGE INTO statements.parcels t USING (SELECT 1L AS id) s ON t.id = s.id "
                    "WHEN NOT MATCHED BY SOURCE THEN UPDATE SET data = 'invalid'"
                ),
                runs("SELECT id, data FROM parcels", (1, "a"), (2, "invalid"), (9, "invalid")),
                runs(
                    "MERGE INTO statements.parcels t USING (SELECT 8L AS id, 'n' AS data, 'x' AS sort, "
                    "TIMESTAMP'2020-01-01 00:00:00' AS at, 3 AS count) s ON t.id = s.id WHEN NOT MATCHED THEN INSERT *"
                ),
            ],
        ),
        Section(
            "INSERT OVERWRITE",
            [
                (
                    "CREATE TABLE logs (code STRING, level STRING, at TIMESTAMP, text STRING) USING hudi "
                    "PARTITIONED BY (level) TBLPROPERTIES (primaryKey = 'code')"
                ),
                (
                    "INSERT INTO logs (code, level, at, text) VALUES ('a', 'INFO', TIMESTAMP'2020-07-01 01:00:00', "
                    "'one'), "
                    "('b', 'WARN', TIMESTAMP'2020-07-02 01:00:00', 'two')"
                ),
            ],
            [
                refused(
                    "CREATE TABLE statements.hourly (code STRING NOT NULL, level STRING NOT NULL, at TIMESTAMP "
                    "NOT NULL) "
                    "USING hudi PARTITIONED BY (level, hours(at))",
                    "is a transform",
                    "partition by a column with the hour, or use a key generator for timestamps",
                ),
                runs("SET spark.sql.sources.partitionOverwriteMode=dynamic"),
                runs(
                    "INSERT OVERWRITE statements.logs SELECT code, first(at), first(text), first(level) "
                    "FROM statements.logs WHERE cast(at AS date) = '2020-07-01' GROUP BY code"
                ),
                runs("SELECT code FROM logs", ("a",), ("b",)),
                runs("RESET spark.sql.sources.partitionOverwriteMode"),
                runs(
                    "INSERT OVERWRITE statements.logs PARTITION (level = 'INFO') SELECT code, first(at), 'new' "
                    "FROM statements.logs WHERE level = 'INFO' GROUP BY code"
                ),
                runs("SELECT code, text FROM logs", ("a", "new"), ("b", "two")),
            ],
        ),
        Section(
            "DELETE FROM and UPDATE",
            [
                _ITEMS,
                _ROWS,
                "CREATE TABLE good USING parquet AS SELECT 2L AS id, 7 AS count",
            ],
            [
                runs(
                    "UPDATE statements.parcels SET data = 'u', count = 1 WHERE at >= '2020-05-01 00:00:00' and "
                    "at < '2020-06-01 00:00:00'"
                ),
                runs(
                    "UPDATE statements.parcels SET count = 0, data = 'low' WHERE count < (SELECT min(count) FROM good)"
                ),
                runs(
                    "UPDATE statements.parcels AS t1 SET data = 'back' WHERE EXISTS (SELECT id FROM good g WHERE "
                    "t1.id = g.id)"
                ),
                runs("SELECT id, data, count FROM parcels", (1, "low", 0), (2, "back", 7), (3, "c", 8)),
                runs("DELETE FROM statements.parcels WHERE at >= '2020-05-01 00:00:00' and at < '2020-06-01 00:00:00'"),
                runs("DELETE FROM statements.parcels WHERE count > (SELECT min(count) FROM good)"),
                runs("DELETE FROM statements.parcels AS t1 WHERE EXISTS (SELECT id FROM good g WHERE t1.id = g.id)"),
                runs("SELECT count(*) FROM parcels", (0,)),
            ],
        ),
        Section(
            "Writing to Branches",
            [_ITEMS, _ROWS],
            [
                refused("INSERT INTO statements.parcels.branch_audit SELECT * FROM parcels", *_BRANCH),
                refused("UPDATE statements.parcels.branch_audit AS t1 SET data = 'c'", *_BRANCH),
                refused("DELETE FROM statements.parcels.branch_audit WHERE id = 2", *_BRANCH),
            ],
        ),
    ],
)

DDL = Guide(
    "iceberg-ddl",
    "Apache Iceberg: Spark DDL",
    "https://iceberg.apache.org/docs/latest/spark-ddl/",
    [
        Section(
            "CREATE TABLE and REPLACE TABLE",
            ["CREATE TABLE listed USING parquet AS SELECT 1L AS id, 'a' AS data, 'x' AS sort"],
            [
                runs("CREATE TABLE statements.plain (id bigint NOT NULL COMMENT 'unique', data string) USING hudi"),
                runs(
                    "CREATE TABLE statements.parts (id bigint, data string, sort string) USING hudi PARTITIONED "
                    "BY (sort)"
                ),
                refused(
                    "CREATE TABLE statements.transformed (id bigint, data string, sort string, at timestamp) "
                    "USING hudi "
                    "PARTITIONED BY (bucket(16, id), days(at), sort)",
                    "is a transform",
                    "the options `index` and `buckets`, a column with the day, or a key generator",
                ),
                runs("CREATE TABLE statements.made USING hudi AS SELECT * FROM listed"),
                runs(
                    "CREATE TABLE statements.made_parts USING hudi PARTITIONED BY (sort) TBLPROPERTIES ('department' "
                    "= 'post') "
                    "AS SELECT * FROM listed"
                ),
                runs("REPLACE TABLE statements.made USING hudi AS SELECT id + 1 AS id, data, sort FROM listed"),
                runs(
                    "REPLACE TABLE statements.made_parts USING hudi PARTITIONED BY (sort) "
                    "TBLPROPERTIES ('department' = 'post') AS SELECT * FROM listed"
                ),
                runs(
                    "CREATE OR REPLACE TABLE statements.made USING hudi AS SELECT id + 5 AS id, data, sort FROM listed"
                ),
                runs("SELECT id FROM made", (6,)),
                runs("DROP TABLE statements.made"),
                runs("DROP TABLE statements.made_parts PURGE"),
            ],
        ),
        Section(
            "ALTER TABLE",
            [_ITEMS.replace("parcels", "samples")],
            [
                runs("ALTER TABLE statements.samples RENAME TO statements.parcels"),
                runs("ALTER TABLE statements.parcels SET TBLPROPERTIES ('comment' = 'A comment.')"),
                runs("ALTER TABLE statements.parcels UNSET TBLPROPERTIES ('comment')"),
                runs("ALTER TABLE statements.parcels ADD COLUMNS (extra string comment 'more')"),
                runs("ALTER TABLE statements.parcels ADD COLUMN point struct<x: double, y: double>"),
                runs("ALTER TABLE statements.parcels ADD COLUMN points array<struct<x: double, y: double>>"),
                runs("ALTER TABLE statements.parcels ADD COLUMN named map<string, struct<a: int>>"),
                refused(
                    "ALTER TABLE statements.parcels ADD COLUMN point.z double",
                    "a field cannot be added",
                    "SET hoodie.schema.on.read.enable = true first",
                ),
                refused(
                    "ALTER TABLE statements.parcels ADD COLUMN points.element.z double",
                    "a field cannot be added",
                    "SET hoodie.schema.on.read.enable = true first",
                ),
                refused(
                    "ALTER TABLE statements.parcels ADD COLUMN named.value.b int",
                    "a field cannot be added",
                    "SET hoodie.schema.on.read.enable = true first",
                ),
                refused(
                    "ALTER TABLE statements.parcels ADD COLUMN later bigint AFTER data",
                    "a column cannot have a place",
                    "SET hoodie.schema.on.read.enable = true first",
                ),
                refused(
                    "ALTER TABLE statements.parcels RENAME COLUMN data TO payload",
                    "cannot be renamed",
                    "add a column, and copy the values",
                ),
                refused(
                    "ALTER TABLE statements.parcels RENAME COLUMN point.x TO lat", "cannot be renamed", "add a column"
                ),
                runs("ALTER TABLE statements.parcels ALTER COLUMN count TYPE bigint"),
                runs("ALTER TABLE statements.parcels ALTER COLUMN count TYPE bigint COMMENT 'pieces'"),
                runs("ALTER TABLE statements.parcels ALTER COLUMN count COMMENT 'pieces'"),
                refused(
                    "ALTER TABLE statements.parcels ALTER COLUMN data FIRST",
                    "a column cannot be moved",
                    "SET hoodie.schema.on.read.enable = true first",
                ),
                refused(
                    "ALTER TABLE statements.parcels ALTER COLUMN point.x AFTER y",
                    "a column cannot be moved",
                    "SET hoodie.schema.on.read.enable = true first",
                ),
                runs("ALTER TABLE statements.parcels ALTER COLUMN id DROP NOT NULL"),
                refused(
                    "ALTER TABLE statements.parcels DROP COLUMN data", "cannot be dropped", "leave it out of queries"
                ),
                refused(
                    "ALTER TABLE statements.parcels DROP COLUMN point.x", "cannot be dropped", "leave it out of queries"
                ),
            ],
        ),
        Section(
            "ALTER TABLE: extensions",
            [_ITEMS],
            [
                refused(
                    "ALTER TABLE parcels ADD PARTITION FIELD data", "PARTITION", "create another table with AS SELECT"
                ),
                refused(
                    "ALTER TABLE parcels DROP PARTITION FIELD sort", "PARTITION", "create another table with AS SELECT"
                ),
                refused(
                    "ALTER TABLE parcels REPLACE PARTITION FIELD sort WITH bucket(4, id)",
                    "this form of ALTER TABLE",
                    "create another table with AS SELECT",
                ),
                refused(
                    "ALTER TABLE parcels WRITE ORDERED BY sort ASC NULLS LAST, id DESC",
                    "this form of ALTER TABLE",
                    "ORDER BY in the query of the INSERT",
                ),
                refused(
                    "ALTER TABLE parcels WRITE DISTRIBUTED BY PARTITION",
                    "this form of ALTER TABLE",
                    "no statement is needed",
                ),
                refused(
                    "ALTER TABLE parcels SET IDENTIFIER FIELDS id, data",
                    "this form of ALTER TABLE",
                    "the property primaryKey of CREATE TABLE",
                ),
                refused("ALTER TABLE parcels CREATE BRANCH audit", "this form of ALTER TABLE", _BRANCH[1]),
                refused("ALTER TABLE parcels CREATE TAG historical", "this form of ALTER TABLE", _BRANCH[1]),
                refused("ALTER TABLE parcels DROP BRANCH audit", "this form of ALTER TABLE", _BRANCH[1]),
                runs("INSERT INTO parcels SELECT id, data, at, count, sort FROM parcels ORDER BY at, sort"),
            ],
        ),
    ],
)

QUERIES = Guide(
    "iceberg-queries",
    "Apache Iceberg: Spark Queries",
    "https://iceberg.apache.org/docs/latest/spark-queries/",
    [
        Section(
            "Querying with SQL",
            [_ITEMS, _ROWS, "INSERT INTO parcels (id, sort) VALUES (4, 'x')"],
            [
                runs("SELECT id FROM statements.parcels", (1,), (2,), (3,), (4,)),
                runs("SELECT id FROM statements.parcels TIMESTAMP AS OF '2101-10-26 01:21:00'", (1,), (2,), (3,), (4,)),
                runs("SELECT id FROM statements.parcels VERSION AS OF <first>", (1,), (2,), (3,)),
                runs(
                    "SELECT id FROM statements.parcels FOR SYSTEM_TIME AS OF '2101-10-26 01:21:00'",
                    (1,),
                    (2,),
                    (3,),
                    (4,),
                ),
                runs("SELECT id FROM statements.parcels FOR SYSTEM_VERSION AS OF <first>", (1,), (2,), (3,)),
                refused("SELECT * FROM statements.parcels VERSION AS OF 'audit-branch'", "audit-branch", _BRANCH[1]),
                refused(
                    "SELECT * FROM statements.parcels TIMESTAMP AS OF 499162860",
                    "499162860",
                    "TIMESTAMP AS OF timestamp_seconds(499162860)",
                ),
                runs("SELECT count(*) FROM statements.parcels TIMESTAMP AS OF timestamp_seconds(4991628600)", (4,)),
            ],
        ),
        Section(
            "Inspecting tables",
            [_ITEMS, _ROWS],
            [
                refused("SELECT * FROM statements.parcels.history", "history", "CALL show_commits(...)"),
                refused("SELECT * FROM statements.parcels.snapshots", "snapshots", "CALL show_commits(...)"),
                refused("SELECT * FROM statements.parcels.files", "files", "CALL show_fsview_latest(...)"),
                refused("SELECT * FROM statements.parcels.partitions", "partitions", "SHOW PARTITIONS"),
            ],
        ),
    ],
)

PROCEDURES = Guide(
    "iceberg-procedures",
    "Apache Iceberg: Spark Procedures",
    "https://iceberg.apache.org/docs/latest/spark-procedures/",
    [
        Section(
            "Procedures",
            [_ITEMS, _ROWS],
            [
                refused(
                    "CALL system.rollback_to_snapshot('statements.parcels', 1)",
                    "there is no procedure",
                    "INSERT OVERWRITE ... SELECT ... VERSION AS OF",
                ),
                refused(
                    "CALL system.rollback_to_timestamp('statements.parcels', TIMESTAMP '2101-06-30 00:00:00.000')",
                    "there is no procedure",
                    "INSERT OVERWRITE ... SELECT ... TIMESTAMP AS OF",
                ),
                refused(
                    "CALL system.expire_snapshots(table => 'statements.parcels', retain_last => 1)",
                    "there is no procedure",
                    "CALL run_clean(...), CALL archive_commits(...)",
                ),
                refused(
                    "CALL system.remove_orphan_files(table => 'statements.parcels', dry_run => true)",
                    "there is no procedure",
                    "`hoodoo table doctor`",
                ),
                refused(
                    "CALL system.rewrite_data_files('statements.parcels')",
                    "there is no procedure",
                    "CALL run_compaction(...)",
                ),
                refused(
                    "CALL system.create_changelog_view(table => 'statements.parcels')",
                    "there is no procedure",
                    "hudi_table_changes(...)",
                ),
                refused(
                    "CALL system.add_files(table => 'statements.parcels', source_table => '`parquet`.`/p`')",
                    "there is no procedure",
                    "operation `bootstrap` of a write",
                ),
            ],
        ),
    ],
)
