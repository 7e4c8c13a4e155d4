"""Statements of Hudi's page on SQL DML."""

from __future__ import annotations

from .statement import Guide, Section, refused, runs

__all__ = ["DML"]

_FLAT = "CREATE TABLE crates (id INT, label STRING, weight DOUBLE) USING hudi TBLPROPERTIES (primaryKey = 'id')"
_MOR = (
    "CREATE TABLE boxes (id INT, label STRING, weight DOUBLE, ts BIGINT) USING hudi "
    "TBLPROPERTIES (type = 'mor', primaryKey = 'id', preCombineField = 'ts')"
)
_PARCELS = (
    "CREATE TABLE parcels (id BIGINT, label STRING, ts BIGINT, day STRING, hour STRING) USING hudi "
    "TBLPROPERTIES (type = 'cow', primaryKey = 'id', preCombineField = 'ts') PARTITIONED BY (day, hour)"
)
_BOXES = "INSERT INTO boxes VALUES (1, 'a', 20, 1000), (2, 'b', 30, 1000), (3, 'c', 40, 1000)"
_ROWS = "INSERT INTO parcels VALUES (1, 'a', 1000, 'mon', '10'), (2, 'b', 1000, 'mon', '11')"

DML = Guide(
    "hudi-sql-dml",
    "Apache Hudi: SQL DML",
    "https://hudi.apache.org/docs/sql_dml",
    [
        Section(
            "Insert Into",
            [_FLAT, _MOR, _PARCELS],
            [
                runs("INSERT INTO crates SELECT 1, 'a', 20"),
                runs("INSERT INTO boxes SELECT 1, 'a', 20, 1000"),
                runs("INSERT INTO parcels PARTITION (day = 'mon', hour = '11') SELECT 2, 'b', 1000"),
                runs(
                    "INSERT INTO parcels PARTITION (day, hour) SELECT 1 AS id, 'a' AS label, 1000 AS ts, 'mon' AS day, "
                    "'10' AS hour"
                ),
                runs(
                    "SELECT id, label, ts, day, hour FROM parcels",
                    (1, "a", 1000, "mon", "10"),
                    (2, "b", 1000, "mon", "11"),
                ),
            ],
        ),
        Section(
            "Insert Overwrite",
            [_FLAT, _MOR, _PARCELS, _BOXES, _ROWS],
            [
                runs("INSERT OVERWRITE boxes SELECT 99, 'z', 20.0, 900"),
                runs("INSERT OVERWRITE crates SELECT 99, 'z', 20.0"),
                runs("SELECT id, label, weight, ts FROM boxes", (99, "z", 20.0, 900)),
                runs("INSERT OVERWRITE parcels PARTITION (day = 'mon', hour = '12') SELECT 13, 'm', 1100"),
                runs("SELECT id FROM parcels", (1,), (2,), (13,)),
                runs("INSERT OVERWRITE TABLE parcels SELECT 10, 'k', 1100, 'mon', '10'"),
                runs("SELECT id, hour FROM parcels", (10, "10")),
            ],
        ),
        Section(
            "Update",
            [_MOR, _PARCELS, _BOXES, _ROWS],
            [
                runs("UPDATE boxes SET weight = weight * 2, ts = 1111 WHERE id = 1"),
                runs("SELECT weight, ts FROM boxes WHERE id = 1", (40.0, 1111)),
                runs("UPDATE parcels SET label = 'a1', ts = 1001 WHERE id = 1"),
                runs("UPDATE parcels SET ts = 1002 WHERE label = 'a1'"),
                runs("SELECT id, label, ts FROM parcels", (1, "a1", 1002), (2, "b", 1000)),
            ],
        ),
        Section(
            "Merge Into",
            [_MOR, _PARCELS, _BOXES, _ROWS],
            [
                runs(
                    "CREATE TABLE arrived (id INT, label STRING, weight DOUBLE, ts BIGINT) USING hudi "
                    "TBLPROPERTIES (primaryKey = 'id', preCombineField = 'ts')"
                ),
                runs('INSERT INTO arrived VALUES (1, "old", 2.5, 900), (2, "new", 3.5, 2000), (4, "more", 4.5, 2000)'),
                runs(
                    "MERGE INTO boxes AS target USING arrived AS source ON target.id = source.id "
                    "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
                ),
                runs(
                    "SELECT id, label, weight, ts FROM boxes",
                    (1, "a", 20.0, 1000),
                    (2, "new", 3.5, 2000),
                    (3, "c", 40.0, 1000),
                    (4, "more", 4.5, 2000),
                ),
                runs("CREATE TABLE seen (id INT, label STRING, kind STRING, day STRING, hour STRING) USING parquet"),
                runs(
                    "INSERT INTO seen VALUES (1, \"a1\", 'change', 'mon', '10'), (2, \"b1\", 'gone', 'mon', '11'), "
                    "(3, \"c1\", 'fresh', 'mon', '12')"
                ),
                refused(
                    "MERGE INTO parcels AS target USING (SELECT id, label, '1000' AS ts, kind, day, hour FROM "
                    "seen) source "
                    "ON target.id = source.id "
                    "WHEN MATCHED AND kind != 'gone' THEN UPDATE SET id = source.id, label = source.label, "
                    "ts = source.ts, day = source.day, hour = source.hour "
                    "WHEN MATCHED AND kind = 'gone' THEN DELETE "
                    "WHEN NOT MATCHED THEN INSERT (id, label, ts, day, hour) "
                    "VALUES (source.id, source.label, source.ts, source.day, source.hour)",
                    "cannot be assigned",
                    "convert the value: CAST(source.ts AS BIGINT)",
                ),
                runs(
                    "MERGE INTO parcels AS target USING (SELECT id, label, 1000L AS ts, kind, day, hour FROM "
                    "seen) source "
                    "ON target.id = source.id "
                    "WHEN MATCHED AND kind != 'gone' THEN UPDATE SET id = source.id, label = source.label, "
                    "ts = source.ts, day = source.day, hour = source.hour "
                    "WHEN MATCHED AND kind = 'gone' THEN DELETE "
                    "WHEN NOT MATCHED THEN INSERT (id, label, ts, day, hour) "
                    "VALUES (source.id, source.label, source.ts, source.day, source.hour)"
                ),
                runs("SELECT id, label, ts, hour FROM parcels", (1, "a1", 1000, "10"), (3, "c1", 1000, "12")),
                runs(
                    "MERGE INTO boxes AS target USING arrived AS source ON target.id = source.id AND source.id = 4 "
                    "WHEN MATCHED THEN UPDATE SET weight = source.weight * 2, ts = source.ts + 1"
                ),
                runs("SELECT label, weight, ts FROM boxes WHERE id = 4", ("more", 9.0, 2001)),
            ],
        ),
        Section(
            "Merge Into: tables without keys",
            [
                "CREATE TABLE crates (id INT, label STRING, weight DOUBLE) USING hudi",
                "INSERT INTO crates VALUES (1, 'a', 2)",
            ],
            [
                runs(
                    "MERGE INTO crates t USING (SELECT 'a' AS label, 9D AS weight) s ON t.label = s.label "
                    "WHEN MATCHED THEN UPDATE SET t.weight = s.weight"
                ),
                runs("SELECT id, label, weight FROM crates", (1, "a", 9.0)),
            ],
        ),
        Section(
            "Delete From",
            [_FLAT, _MOR, _PARCELS, _BOXES, _ROWS, "INSERT INTO crates VALUES (1, 'a', 2.5), (2, 'b', 3.5)"],
            [
                runs("DELETE FROM crates WHERE id = 1"),
                runs("DELETE FROM boxes WHERE id % 2 = 0"),
                runs("DELETE FROM parcels WHERE label = 'a'"),
                runs("SELECT id FROM crates", (2,)),
                runs("SELECT id FROM boxes", (1,), (3,)),
                runs("SELECT id FROM parcels", (2,)),
            ],
        ),
        Section(
            "Data Skipping and Indexing",
            [_PARCELS, _ROWS],
            [
                runs("SET hoodie.enable.data.skipping=true"),
                runs("SET hoodie.metadata.record.index.enable=true"),
                runs("SET hoodie.metadata.enable=true"),
                runs("DELETE FROM parcels WHERE id = 1"),
                runs("SELECT id FROM parcels", (2,)),
            ],
        ),
    ],
)
