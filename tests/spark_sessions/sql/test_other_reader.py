"""The `hudi` package reads the same rows after each statement of a history."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import hoodoo
from tests.support.rows import assert_same, hoodoo_rows, hudi_rows

from .conftest import Run

pytestmark = pytest.mark.needs_pyspark("4.0")

COLUMNS = (
    "id INT, name STRING, price DECIMAL(8, 2), address STRUCT<city: STRING, zip: INT>, tags ARRAY<STRING>, ts BIGINT"
)
INSERTS = (
    "INSERT INTO t SELECT id, concat('n', id), CAST(id AS DECIMAL(8, 2)) / 4, named_struct('city', 'rome', 'zip', id), "
    "array('a', NULL), 5L, concat('p', id % 3) FROM range(12) AS r(id)"
)
STATEMENTS = {
    "a MERGE with partial assignments": (
        "MERGE INTO t USING (SELECT id, concat('p', id % 3) AS part, id + 3 AS ts, 'm' AS name FROM VALUES (1), "
        "(2), (3), "
        "(20) AS v(id)) s ON t.id = s.id AND t.part = s.part WHEN MATCHED THEN UPDATE SET name = s.name, ts = s.ts "
        "WHEN NOT MATCHED THEN INSERT (id, name, ts, part) VALUES (s.id, s.name, s.ts, s.part)"
    ),
    "an UPDATE of a nested column and a null": (
        "UPDATE t SET address = named_struct('city', upper(address.city), 'zip', NULL), name = NULL, price = price * 2 "
        "WHERE id % 4 = 0"
    ),
    "a MERGE of all columns": (
        "MERGE INTO t USING (SELECT id, 'all' AS name, 1.25BD AS price, NULL AS address, array() AS tags, 9L AS ts, "
        "concat('p', id % 3) AS part FROM VALUES (4), (5), (30) AS v(id)) s ON t.id = s.id AND t.part = s.part "
        "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
    ),
    "a DELETE by predicate": "DELETE FROM t WHERE price > 2 AND id IN (7, 8, 9, 10)",
    "a MERGE that deletes, also what has no source": (
        "MERGE INTO t USING (SELECT id, concat('p', id % 3) AS part, 9L AS ts FROM VALUES (0), (1), (3), (5), "
        "(30) AS v(id)) s "
        "ON t.id = s.id AND t.part = s.part WHEN MATCHED AND s.id = 3 THEN DELETE "
        "WHEN NOT MATCHED BY SOURCE AND t.id < 7 THEN DELETE WHEN NOT MATCHED BY SOURCE THEN UPDATE SET name = 'alone'"
    ),
    "an INSERT of rows in a new partition": "INSERT INTO t (id, ts, part) VALUES (50, 1, 'p9')",
    "a TRUNCATE of a partition, or an overwrite": "INSERT OVERWRITE t SELECT * FROM t WHERE part <> 'p1'",
}


def _kind(version: int, type_: str, logs: str, partitioned: bool) -> str:
    """Return the clauses of CREATE TABLE."""
    clause = "PARTITIONED BY (part) " if partitioned else ""
    blocks = f", 'hoodie.logfile.data.block.format' = '{logs}'" if logs else ""
    return (
        f"{clause}TBLPROPERTIES (primaryKey = 'id', preCombineField = 'ts', type = '{type_}', "
        f"'hoodie.write.table.version' = '{version}'{blocks})"
    )


KINDS = {
    f"{type_}{version}{logs} {'parts' if partitioned else 'flat'}": _kind(version, type_, logs, partitioned)
    for version in (6, 9)
    for type_, logs in (("cow", ""), ("mor", "avro"), ("mor", "parquet"))
    for partitioned in (False, True)
}


def assert_read_alike(path: Path, what: str) -> list[dict[str, Any]]:
    rows = hoodoo_rows(path)
    assert_same(hudi_rows(path), rows, what)
    return rows


@pytest.mark.nightly
@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_statements_leave_tables_that_the_package_reads(kind: str, database: str, run: Run) -> None:
    run(f"CREATE TABLE t ({COLUMNS}, part STRING) USING hudi {kind}")
    run(INSERTS)
    path = Path(database, "t")
    before = assert_read_alike(path, "INSERT")
    for what, text in STATEMENTS.items():
        run(text)
        rows = assert_read_alike(path, what)
        assert rows != before, f"{what} changed nothing"
        before = rows
    run("CALL run_clean(table => 't', retain_commits => 1)")
    assert_read_alike(path, "run_clean")


@pytest.mark.nightly
@pytest.mark.parametrize("type_", ["cow", "mor"])
def test_rows_that_moved_are_read_once(type_: str, database: str, run: Run) -> None:
    run(
        f"CREATE TABLE t (id INT, name STRING, ts BIGINT, part STRING) USING hudi PARTITIONED BY (part) TBLPROPERTIES "
        f"(primaryKey = 'id', preCombineField = 'ts', type = '{type_}', index = 'global-simple')"
    )
    run("INSERT INTO t VALUES (1, 'a', 1, 'x'), (2, 'b', 1, 'x'), (3, 'c', 1, 'y')")
    run("UPDATE t SET part = 'z', ts = 2 WHERE id = 1")
    run(
        "MERGE INTO t USING (SELECT 2 AS id, 'y' AS part, 3L AS ts UNION ALL SELECT 3, 'q', 3L) s ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET part = s.part, ts = s.ts"
    )
    rows = assert_read_alike(Path(database, "t"), "moves")
    assert sorted((row["id"], row["name"], row["part"]) for row in rows) == [
        (1, "a", "z"),
        (2, "b", "y"),
        (3, "c", "q"),
    ]
    assert len(hoodoo.Table(Path(database, "t")).history()) == 3
