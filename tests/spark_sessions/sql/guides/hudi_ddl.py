"""Statements of Hudi's pages on SQL DDL and on schema evolution."""

from __future__ import annotations

from .statement import Guide, Section, refused, runs

__all__ = ["DDL", "EVOLUTION"]

_EXPRESSION = (
    "OPTIONS of an index are those of an expression index",
    "`CREATE INDEX column_stats` for whole columns, `CREATE INDEX bloom_filters`",
)
_PARCELS = (
    "CREATE TABLE parcels (id INT, receiver STRING, weight DOUBLE, ts BIGINT, day STRING, hour STRING) USING hudi "
    "PARTITIONED BY (day, hour) TBLPROPERTIES (primaryKey = 'id', preCombineField = 'ts')"
)
_ROWS = "INSERT INTO parcels VALUES (1, 'ann', 1.5, 10, 'mon', '08'), (2, 'bob', 2.5, 10, 'tue', '09')"
_FILES = "CREATE TABLE listed USING parquet AS SELECT 1 AS id, 'ann' AS receiver, 5L AS ts, 'mon' AS day"

DDL = Guide(
    "hudi-sql-ddl",
    "Apache Hudi: SQL DDL",
    "https://hudi.apache.org/docs/sql_ddl",
    [
        Section(
            "Create table",
            [],
            [
                runs("CREATE TABLE IF NOT EXISTS crates (id INT, label STRING, weight DOUBLE) USING hudi"),
                runs(
                    "CREATE TABLE IF NOT EXISTS sorted (id BIGINT, label STRING, day STRING, hour STRING) USING hudi "
                    "TBLPROPERTIES (type = 'cow') PARTITIONED BY (day)"
                ),
                runs(
                    "CREATE TABLE IF NOT EXISTS keyed (id INT, label STRING, weight DOUBLE, ts BIGINT) USING hudi "
                    "TBLPROPERTIES (type = 'cow', primaryKey = 'id', preCombineField = 'ts')"
                ),
                runs(
                    "CREATE TABLE IF NOT EXISTS composite (id INT, label STRING, ts BIGINT) USING hudi "
                    "TBLPROPERTIES (primaryKey = 'id, label', preCombineField = 'ts')"
                ),
                runs("INSERT INTO crates VALUES (1, 'a', 2.5)"),
                runs("SELECT id, label, weight FROM crates", (1, "a", 2.5)),
            ],
        ),
        Section(
            "Create table from an external location",
            [
                _PARCELS.replace("TBLPROPERTIES", "LOCATION '<folder>/kept' TBLPROPERTIES"),
                _ROWS,
            ],
            [
                runs("CREATE TABLE outside USING hudi LOCATION 'file://<folder>/kept'"),
                runs("SELECT count(*) FROM outside", (2,)),
            ],
        ),
        Section(
            "Create Table As Select (CTAS)",
            [_FILES],
            [
                runs(
                    "CREATE TABLE copied USING hudi TBLPROPERTIES (type = 'cow', preCombineField = 'ts') "
                    "PARTITIONED BY (day) AS SELECT * FROM listed"
                ),
                runs("CREATE TABLE copied_flat USING hudi TBLPROPERTIES (type = 'cow') AS SELECT * FROM listed"),
                runs(
                    "CREATE TABLE copied_keyed USING hudi TBLPROPERTIES (type = 'cow', primaryKey = 'id') "
                    "PARTITIONED BY (day) AS SELECT 1 AS id, 'x' AS label, 3 AS weight, 7 AS day"
                ),
                runs(
                    "CREATE TABLE copied_there USING hudi LOCATION 'file://<folder>/there/' "
                    "TBLPROPERTIES (type = 'mor', primaryKey = 'id') AS SELECT * FROM listed"
                ),
                runs("SELECT id, receiver, ts, day FROM copied", (1, "ann", 5, "mon")),
                runs("SELECT id, label, weight, day FROM copied_keyed", (1, "x", 3, 7)),
                runs("SELECT count(*) FROM copied_there", (1,)),
            ],
        ),
        Section(
            "Create Index",
            [],
            [
                runs(
                    "CREATE TABLE parcels (ts BIGINT, code STRING, receiver STRING, weight DOUBLE, city STRING) "
                    "USING HUDI OPTIONS (primaryKey = 'code', hoodie.datasource.write.payload.class = "
                    '"org.apache.hudi.common.model.OverwriteWithLatestAvroPayload") PARTITIONED BY (city)'
                ),
                runs("INSERT INTO parcels VALUES (1, 'c1', 'ann', 2.5, 'rome'), (2, 'c2', 'bob', 3.5, 'oslo')"),
                runs("CREATE INDEX record_index ON parcels (code)"),
                refused(
                    "CREATE INDEX by_receiver ON parcels (receiver)",
                    "hoodoo creates no index 'by_receiver', and no secondary indexes",
                    "`CREATE INDEX column_stats ON parcels (receiver)`",
                ),
                refused(
                    "CREATE INDEX of_ts ON parcels USING column_stats(ts) OPTIONS (expr = 'from_unixtime', "
                    "format = 'yyyy-MM-dd')",
                    *_EXPRESSION,
                ),
                refused(
                    "CREATE INDEX of_code ON parcels USING bloom_filters(code) OPTIONS (expr = 'identity')",
                    *_EXPRESSION,
                ),
                refused(
                    "CREATE INDEX IF NOT EXISTS of_hour ON parcels USING column_stats(ts) OPTIONS (func = 'hour')",
                    *_EXPRESSION,
                ),
                runs("SHOW INDEXES FROM parcels", ("record_index", "record_index", "")),
                runs("DROP INDEX record_index ON parcels"),
                runs("SELECT code, receiver FROM parcels WHERE receiver = 'ann'", ("c1", "ann")),
                runs(
                    "SELECT code FROM parcels WHERE from_unixtime(ts, 'yyyy-MM-dd') < '1970-01-03' AND city = 'oslo'",
                    ("c2",),
                ),
            ],
        ),
        Section(
            "Create Partition Stats and Secondary Index",
            ["CREATE TABLE parcels (id INT) USING hudi"],
            [
                runs("DROP TABLE IF EXISTS parcels"),
                runs(
                    "CREATE TABLE parcels (ts BIGINT, id STRING, receiver STRING, city STRING, land STRING) USING hudi "
                    "OPTIONS (primaryKey = 'id', hoodie.metadata.record.index.enable = 'true', "
                    "hoodie.metadata.index.partition.stats.enable = 'true', "
                    "hoodie.metadata.index.column.stats.column.list = 'receiver') "
                    "PARTITIONED BY (city, land) LOCATION 'file://<folder>/indexed'"
                ),
                runs("INSERT INTO parcels VALUES (1, 'p1', 'ann', 'rome', 'it')"),
                runs("SET hoodie.metadata.enable=true"),
                runs("SET hoodie.enable.data.skipping=true"),
                runs("SELECT id FROM parcels WHERE city = 'rome'", ("p1",)),
                runs("SELECT id, receiver, city, land FROM parcels WHERE receiver > 'aa'", ("p1", "ann", "rome", "it")),
            ],
        ),
        Section(
            "Setting Hudi configs",
            [_PARCELS],
            [
                runs("SET hoodie.insert.shuffle.parallelism = 100"),
                runs("SET hoodie.upsert.shuffle.parallelism = 100"),
                runs("SET hoodie.delete.shuffle.parallelism = 100"),
                runs(_ROWS),
                refused(
                    "CREATE TABLE IF NOT EXISTS crates (id BIGINT, label STRING, weight DOUBLE) USING hudi "
                    "TBLPROPERTIES (primaryKey = 'id', type = 'cow', hoodie.cleaner.fileversions.retained = '20', "
                    "hoodie.keep.max.commits = '20')",
                    "must be greater than keep_min_commits",
                    "set a number greater than hoodie.keep.min.commits, whose default is 20",
                ),
                runs(
                    "CREATE TABLE IF NOT EXISTS crates (id BIGINT, label STRING, weight DOUBLE) USING hudi "
                    "TBLPROPERTIES (primaryKey = 'id', type = 'cow', hoodie.cleaner.fileversions.retained = '20', "
                    "hoodie.keep.max.commits = '40')"
                ),
                runs("INSERT INTO crates VALUES (1, 'a', 2.5)"),
                refused(
                    "CREATE TABLE locked (id INT, label STRING) USING hudi TBLPROPERTIES (primaryKey = 'id', "
                    'hoodie.write.lock.zookeeper.url = "localhost", hoodie.write.lock.zookeeper.port = "2181", '
                    'hoodie.write.lock.zookeeper.lock_key = "locked", hoodie.write.lock.provider = '
                    '"org.apache.hudi.client.transaction.lock.ZookeeperBasedLockProvider", '
                    'hoodie.write.concurrency.mode = "optimistic_concurrency_control", '
                    'hoodie.write.lock.zookeeper.base_path = "/locked")',
                    "did not answer",
                    "start ZooKeeper at this address; CREATE TABLE takes the lock of the table",
                ),
                runs(
                    "CREATE TABLE measured (id INT) USING hudi TBLPROPERTIES (primaryKey = 'id', "
                    "'hoodie.metadata.index.column.stats.enable' = 'true', 'hoodie.metadata.record.index.enable' "
                    "= 'true')"
                ),
            ],
        ),
        Section(
            "Spark Alter Table",
            [_PARCELS, _ROWS],
            [
                runs("ALTER TABLE parcels RENAME TO letters"),
                runs("ALTER TABLE letters ADD COLUMNS (remark STRING)"),
                runs("SELECT id, remark FROM letters WHERE id = 1", (1, None)),
                refused(
                    "ALTER TABLE letters SET TBLPROPERTIES (hoodie.keep.max.commits = '10')",
                    "must be greater than keep_min_commits",
                    "set hoodie.keep.min.commits to a smaller number too",
                ),
                runs(
                    "ALTER TABLE letters SET TBLPROPERTIES (hoodie.keep.max.commits = '10', "
                    "hoodie.keep.min.commits = '5')"
                ),
                runs('ALTER TABLE letters SET TBLPROPERTIES ("note" = "it\'s kept")'),
                runs(
                    "ALTER TABLE letters UNSET TBLPROPERTIES IF EXISTS (hoodie.keep.max.commits, "
                    "hoodie.keep.min.commits)"
                ),
                runs("ALTER TABLE letters UNSET TBLPROPERTIES IF EXISTS ('note')"),
                refused(
                    "ALTER TABLE letters SET SERDEPROPERTIES ('key1' = 'value1')",
                    "no SerDe",
                    "ALTER TABLE ... SET TBLPROPERTIES",
                ),
            ],
        ),
        Section(
            "Show and drop partitions",
            [_PARCELS, _ROWS],
            [
                runs("SHOW PARTITIONS parcels", ("day=mon/hour=08",), ("day=tue/hour=09",)),
                runs("ALTER TABLE parcels DROP PARTITION (day = 'mon', hour = '08')"),
                runs("SHOW PARTITIONS parcels", ("day=tue/hour=09",)),
                runs("SHOW CREATE TABLE parcels"),
            ],
        ),
    ],
)

EVOLUTION = Guide(
    "hudi-schema-evolution",
    "Apache Hudi: Schema Evolution",
    "https://hudi.apache.org/docs/schema_evolution",
    [
        Section(
            "Adding Columns",
            [_PARCELS, _ROWS],
            [
                runs("ALTER TABLE parcels ADD COLUMNS (note STRING)"),
                runs("ALTER TABLE parcels ADD COLUMNS (note2 STRING, size INT COMMENT 'in cm')"),
                runs("SET hoodie.schema.on.read.enable = true"),
                runs("ALTER TABLE parcels ADD COLUMNS (first_note STRING FIRST)"),
                runs("ALTER TABLE parcels ADD COLUMNS (later STRING AFTER receiver)"),
            ],
        ),
        Section(
            "Altering Columns",
            [_PARCELS, _ROWS, "ALTER TABLE parcels ADD COLUMNS (size INT)"],
            [
                runs("ALTER TABLE parcels ALTER COLUMN size TYPE bigint"),
                runs("SELECT id, size FROM parcels", (1, None), (2, None)),
                runs("ALTER TABLE parcels ALTER COLUMN receiver COMMENT 'full name'"),
                runs("SET hoodie.schema.on.read.enable = true"),
                runs("ALTER TABLE parcels ALTER COLUMN receiver AFTER weight"),
                runs("ALTER TABLE parcels ALTER COLUMN weight DROP NOT NULL"),
            ],
        ),
        Section(
            "Renaming and deleting columns",
            [_PARCELS, _ROWS],
            [
                runs("SET hoodie.schema.on.read.enable = true"),
                runs("ALTER TABLE parcels RENAME COLUMN weight TO mass"),
                runs("ALTER TABLE parcels DROP COLUMN mass"),
            ],
        ),
    ],
)
