"""Statements of Hudi's Spark quick start."""

from __future__ import annotations

from .statement import Guide, Section, refused, runs

__all__ = ["START"]

_TRIPS = (
    "CREATE TABLE rides (ts BIGINT, code STRING, rider STRING, fare DOUBLE, town STRING) USING HUDI "
    "PARTITIONED BY (town)"
)
_ROWS = (
    "INSERT INTO rides VALUES (1, 'r1', 'ann', 19.5, 'rome'), (2, 'r2', 'bob', 27.5, 'oslo'), (3, 'r3', 'eve', "
    "9.5, 'oslo')"
)

START = Guide(
    "hudi-quick-start",
    "Apache Hudi: Spark Quick Start",
    "https://hudi.apache.org/docs/quick-start-guide",
    [
        Section(
            "Create and insert",
            [],
            [
                runs(_TRIPS),
                runs(_ROWS),
                runs("SELECT ts, fare, rider, code, town FROM rides WHERE fare > 20.0", (2, 27.5, "bob", "r2", "oslo")),
            ],
        ),
        Section(
            "Create tables with keys",
            [],
            [
                runs(
                    "create table crates (code int, label string, weight double) using hudi tblproperties "
                    "(primaryKey = 'code')"
                ),
                runs(
                    "create table boxes (id int, label string, weight double, ts bigint) using hudi "
                    "tblproperties (type = 'mor', primaryKey = 'id', preCombineField = 'ts')"
                ),
                runs(
                    "create table parcels (id bigint, label string, ts bigint, day string, hour string) using hudi "
                    "tblproperties (type = 'cow', primaryKey = 'id', preCombineField = 'ts') "
                    "partitioned by (day, hour) location '<folder>/parcels'"
                ),
                runs("create table known using hudi location '<folder>/parcels'"),
                runs(
                    "create table made using hudi tblproperties (primaryKey = 'id') as "
                    "select 1 as id, 'a' as label, 10 as weight"
                ),
                runs(
                    "create table made_parts using hudi tblproperties (type = 'cow', primaryKey = 'id', "
                    "preCombineField = 'ts') partitioned by (day) as "
                    "select 1 as id, 'a' as label, 10 as weight, 1000 as ts, 'mon' as day"
                ),
                runs(
                    "create table made_options using hudi location 'file:<folder>/options/' options (type = 'cow', "
                    "primaryKey = 'id', preCombineField = 'ts') partitioned by (day) as select * from made_parts"
                ),
                runs("select id, label, weight, ts, day from made_options", (1, "a", 10, 1000, "mon")),
            ],
        ),
        Section(
            "Insert: operations",
            [
                (
                    "create table boxes (id int, label string, weight double, ts bigint) using hudi "
                    "tblproperties (type = 'mor', primaryKey = 'id', preCombineField = 'ts')"
                ),
                "insert into boxes select 1, 'a', 20, 1000",
            ],
            [
                runs("set hoodie.spark.sql.insert.into.operation=upsert"),
                runs("insert into boxes select 1, 'a1', 20, 1001"),
                runs("select id, label, weight, ts from boxes", (1, "a1", 20.0, 1001)),
                runs("reset hoodie.spark.sql.insert.into.operation"),
                runs("set hoodie.sql.bulk.insert.enable=true"),
                runs("set hoodie.sql.insert.mode=non-strict"),
                runs("insert into boxes select 1, 'a2', 20, 1002"),
                runs("select id, label, weight, ts from boxes", (1, "a1", 20.0, 1001), (1, "a2", 20.0, 1002)),
            ],
        ),
        Section(
            "Update, merge and delete",
            [
                _TRIPS,
                _ROWS,
                "CREATE TABLE adjusted (code STRING, fare DOUBLE) USING parquet",
                "INSERT INTO adjusted VALUES ('r1', 20)",
            ],
            [
                runs("UPDATE rides SET fare = 25.0 WHERE rider = 'eve'"),
                runs(
                    "MERGE INTO rides AS target USING adjusted AS source ON target.code = source.code "
                    "WHEN MATCHED THEN UPDATE SET target.fare = source.fare"
                ),
                runs("DELETE FROM rides WHERE code = 'r2'"),
                runs("SELECT code, fare FROM rides", ("r1", 20.0), ("r3", 25.0)),
            ],
        ),
        Section(
            "Time travel",
            [
                (
                    "create table parcels (id bigint, label string, ts bigint, day string, hour string) using hudi "
                    "tblproperties (type = 'cow', primaryKey = 'id', preCombineField = 'ts') partitioned by (day, hour)"
                ),
                "set hoodie.spark.sql.insert.into.operation=upsert",
            ],
            [
                runs("insert into parcels select 1, 'a0', 1000, 'mon', '10'"),
                runs("insert into parcels select 1, 'a1', 1001, 'mon', '10'"),
                runs("select label from parcels", ("a1",)),
                runs("select label from parcels timestamp as of '<first>' where id = 1", ("a0",)),
                runs("select label from parcels timestamp as of '2101-01-01 00:00:00.100' where id = 1", ("a1",)),
            ],
        ),
        Section(
            "Incremental query and change data",
            [],
            [
                runs(
                    "CREATE TABLE parcels (id INT, label STRING, ts BIGINT) USING hudi "
                    "TBLPROPERTIES (primaryKey = 'id', preCombineField = 'ts', 'hoodie.table.cdc.enabled' = 'true')"
                ),
                runs("INSERT INTO parcels VALUES (1, 'a', 1)"),
                runs("UPDATE parcels SET label = 'b', ts = 2 WHERE id = 1"),
                refused(
                    "SELECT op FROM hudi_table_changes('parcels', 'cdc', 'earliest')",
                    "does not record changes",
                    "compare two snapshots; hoodoo writes no change logs",
                ),
                runs("SELECT label FROM hudi_table_changes('parcels', 'latest_state', '<first>')", ("b",)),
            ],
        ),
        Section(
            "Insert overwrite",
            [_TRIPS, _ROWS],
            [
                runs("INSERT OVERWRITE rides PARTITION (town = 'oslo') SELECT 9, 'r9', 'hal', 1.5"),
                runs("SELECT code, town FROM rides", ("r1", "rome"), ("r9", "oslo")),
                runs("ALTER TABLE rides DROP PARTITION (town = 'rome')"),
                runs("SELECT code FROM rides", ("r9",)),
            ],
        ),
    ],
)
