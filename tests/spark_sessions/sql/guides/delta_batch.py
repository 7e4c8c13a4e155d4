"""Statements of two pages of Delta Lake: table batch reads and writes, and table utility commands."""

from __future__ import annotations

from .statement import Guide, Section, refused, runs

__all__ = ["BATCH", "UTILITY"]

_MEMBERS = (
    "CREATE TABLE parcels (id INT, name STRING, sort STRING, born DATE) USING hudi PARTITIONED BY (sort) "
    "TBLPROPERTIES (primaryKey = 'id') LOCATION '<folder>/parcels'"
)
_ROWS = "INSERT INTO parcels VALUES (1, 'ann', DATE'1950-01-01', 'F'), (2, 'bob', DATE'1960-01-01', 'M')"
_MORE = "CREATE TABLE more USING parquet AS SELECT 3 AS id, 'cleo' AS name, DATE'1970-01-01' AS born, 'F' AS sort"

BATCH = Guide(
    "delta-batch",
    "Delta Lake: Table batch reads and writes",
    "https://docs.delta.io/latest/delta-batch.html",
    [
        Section(
            "Create a table",
            [],
            [
                runs(
                    "CREATE TABLE IF NOT EXISTS statements.members (id INT, name STRING, born TIMESTAMP, pay "
                    "INT) USING HOODOO"
                ),
                runs(
                    "CREATE OR REPLACE TABLE statements.members (id INT, name STRING, born TIMESTAMP, pay INT) "
                    "USING HOODOO"
                ),
                runs("CREATE OR REPLACE TABLE hoodoo.`<folder>/members` (id INT, name STRING, pay INT) USING HOODOO"),
                runs(
                    "CREATE TABLE statements.parts (id INT, name STRING, sort STRING) USING HOODOO PARTITIONED "
                    "BY (sort)"
                ),
                runs('SELECT COUNT(*) > 0 AS `exists` FROM statements.parts WHERE sort = "M"', (False,)),
                runs("CREATE TABLE statements.there USING HOODOO LOCATION '<folder>/members'"),
                runs("SELECT count(*) FROM statements.there", (0,)),
                refused(
                    "CREATE TABLE dated (id INT, born TIMESTAMP, birthday DATE GENERATED ALWAYS AS (CAST(born AS "
                    "DATE))) "
                    "USING HOODOO",
                    "GENERATED",
                    "compute the column in the query of the INSERT",
                ),
                refused(
                    "CREATE TABLE defaulted (id INT, name STRING DEFAULT 'none') USING HOODOO",
                    "DEFAULT",
                    "write the value in the INSERT",
                ),
            ],
        ),
        Section(
            "Read a table, and an older snapshot",
            [_MEMBERS, _ROWS, "INSERT INTO parcels VALUES (3, 'cleo', DATE'1970-01-01', 'F')"],
            [
                runs("SELECT id FROM statements.parcels", (1,), (2,), (3,)),
                runs("SELECT id FROM hoodoo.`<folder>/parcels`", (1,), (2,), (3,)),
                runs("SELECT id FROM statements.parcels TIMESTAMP AS OF '2101-10-18T22:15:12.013Z'", (1,), (2,), (3,)),
                runs("SELECT id FROM hoodoo.`<folder>/parcels` VERSION AS OF <first>", (1,), (2,)),
                runs("SELECT id FROM parcels TIMESTAMP AS OF date_add(current_date(), 2)", (1,), (2,), (3,)),
                runs(
                    "MERGE INTO hoodoo.`<folder>/parcels` target "
                    "USING (SELECT * FROM parcels VERSION AS OF <first>) source "
                    "ON source.id = target.id WHEN MATCHED THEN UPDATE SET *"
                ),
            ],
        ),
        Section(
            "Write to a table",
            [_MEMBERS, _ROWS, _MORE],
            [
                runs("INSERT INTO statements.parcels SELECT * FROM more"),
                runs("SELECT id FROM parcels", (1,), (2,), (3,)),
                runs("SET spark.sql.sources.partitionOverwriteMode=dynamic"),
                runs("INSERT OVERWRITE TABLE statements.parcels SELECT * FROM more"),
                runs("SELECT id FROM parcels", (2,), (3,)),
                runs("RESET spark.sql.sources.partitionOverwriteMode"),
                runs("INSERT OVERWRITE TABLE statements.parcels SELECT * FROM more"),
                runs("SELECT id FROM parcels", (3,)),
                refused(
                    "INSERT INTO TABLE parcels REPLACE WHERE born >= '1970-01-01' SELECT * FROM more",
                    "REPLACE is not supported",
                    "DELETE FROM and INSERT INTO, or INSERT OVERWRITE of the partitions",
                ),
            ],
        ),
        Section(
            "Update table schema",
            [_MEMBERS, _ROWS],
            [
                runs("ALTER TABLE parcels ADD COLUMNS (city STRING, size INT, street STRING COMMENT 'with number')"),
                refused(
                    "ALTER TABLE parcels ADD COLUMNS (floor INT AFTER city)",
                    "a column cannot have a place",
                    "SET hoodie.schema.on.read.enable = true first",
                ),
                refused(
                    "ALTER TABLE parcels ALTER COLUMN city FIRST",
                    "a column cannot be moved",
                    "SET hoodie.schema.on.read.enable = true first",
                ),
                refused(
                    "ALTER TABLE parcels REPLACE COLUMNS (id INT, name STRING)",
                    "cannot be replaced",
                    "CREATE TABLE ... AS SELECT of another table",
                ),
                refused(
                    "ALTER TABLE parcels RENAME COLUMN city TO town",
                    "cannot be renamed",
                    "add a column, and copy the values",
                ),
                refused("ALTER TABLE parcels DROP COLUMN city", "cannot be dropped", "leave the column out of queries"),
                refused(
                    "ALTER TABLE parcels DROP COLUMNS (city, street)", "cannot be dropped", "leave them out of queries"
                ),
                runs("ALTER TABLE parcels ALTER COLUMN size TYPE bigint"),
            ],
        ),
        Section(
            "Table properties and metadata",
            [_MEMBERS, _ROWS],
            [
                runs("ALTER TABLE parcels SET TBLPROPERTIES ('department' = 'post')"),
                runs("SHOW TBLPROPERTIES parcels"),
                runs("SHOW TBLPROPERTIES parcels ('department')", ("department", "post")),
                runs("DESCRIBE TABLE parcels"),
                runs("DESCRIBE EXTENDED parcels"),
                runs("SHOW COLUMNS IN parcels"),
                runs("CREATE OR REPLACE TEMPORARY VIEW recent AS SELECT * FROM parcels WHERE born > '1955-01-01'"),
                runs("SELECT id FROM recent", (2,)),
                runs("DROP VIEW recent"),
            ],
        ),
    ],
)

UTILITY = Guide(
    "delta-utility",
    "Delta Lake: Table utility commands",
    "https://docs.delta.io/latest/delta-utility.html",
    [
        Section(
            "Utility commands",
            [_MEMBERS, _ROWS],
            [
                refused("VACUUM parcels", "VACUUM", "CALL run_clean(table => ...)"),
                refused("VACUUM hoodoo.`<folder>/parcels` RETAIN 100 HOURS", "VACUUM", "CALL run_clean(path => ...)"),
                refused("DESCRIBE HISTORY parcels", "HISTORY", "CALL show_commits(table => ...)"),
                runs("SHOW PARTITIONS parcels", ("sort=F",), ("sort=M",)),
                runs("SHOW PARTITIONS parcels PARTITION (sort = 'F')", ("sort=F",)),
                runs("SHOW PARTITIONS hoodoo.`<folder>/parcels`", ("sort=F",), ("sort=M",)),
                refused("DESCRIBE DETAIL parcels", "DETAIL", "DESCRIBE EXTENDED, or CALL show_table_properties(...)"),
                refused("OPTIMIZE parcels", "OPTIMIZE", "CALL run_compaction(op => 'run', table => ...)"),
                refused(
                    "RESTORE TABLE parcels TO VERSION AS OF <first>",
                    "RESTORE",
                    "INSERT OVERWRITE ... SELECT ... VERSION AS OF",
                ),
                refused(
                    "CREATE TABLE cloned SHALLOW CLONE parcels VERSION AS OF <first>",
                    "SHALLOW",
                    "CREATE TABLE ... AS SELECT ... VERSION AS OF",
                ),
                refused(
                    "CONVERT TO DELTA parquet.`<folder>/parcels`",
                    "PARSE_SYNTAX_ERROR",
                    "operation `bootstrap` of a write",
                ),
            ],
        ),
    ],
)
