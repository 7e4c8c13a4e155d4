"""Tables without a primary key, whose rows have generated keys."""

from __future__ import annotations

import pytest

import hoodoo
from hoodoo.errors import DataError

from .conftest import Run

pytestmark = pytest.mark.needs_pyspark("4.0")


@pytest.mark.nightly
@pytest.mark.parametrize("kind", ["cow", "mor"])
def test_a_table_without_a_primary_key_takes_all_statements(database: str, run: Run, kind: str) -> None:
    run(f"CREATE TABLE t (a INT, v STRING, p STRING) USING hudi PARTITIONED BY (p) TBLPROPERTIES (type = '{kind}')")
    run("INSERT INTO t VALUES (1, 'one', 'x'), (1, 'one', 'x'), (2, 'two', 'y')")
    run("INSERT INTO t VALUES (1, 'one', 'x')")
    [counts] = run("UPDATE t SET v = concat(v, '!') WHERE a = 1")
    assert counts[:3] == (0, 3, 0)
    run("DELETE FROM t WHERE v = 'two'")
    assert run("SELECT a, v, p FROM t") == [(1, "one!", "x")] * 3
    run(
        "MERGE INTO t USING (SELECT 1 AS low, 'u' AS v UNION ALL SELECT 5, 'five') s ON t.a >= s.low "
        "WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT (a, v, p) VALUES (s.low, s.v, 'y')"
    )
    assert run("SELECT a, v, p FROM t ORDER BY a") == [(1, "u", "x")] * 3 + [(5, "five", "y")]
    with pytest.raises(DataError, match="match the same stored row"):
        run("MERGE INTO t USING (VALUES (1), (2)) AS s(n) ON t.a > s.n WHEN MATCHED THEN DELETE")
    assert len(hoodoo.Table(f"{database}/t").to_arrow(["_hoodie_record_key"]).column(0).unique()) == 4


@pytest.mark.nightly
def test_a_query_makes_a_table_without_a_primary_key(database: str, run: Run) -> None:
    run("CREATE TABLE t USING hudi AS SELECT id AS n, 'v' AS v FROM range(3)")
    run("INSERT OVERWRITE t SELECT n, 'w' FROM t WHERE n > 0")
    run("UPDATE t SET v = 'x' WHERE n = 2")
    assert run("SELECT n, v FROM t ORDER BY n") == [(1, "w"), (2, "x")]
    run("TRUNCATE TABLE t")
    assert run("SELECT count(*) FROM t") == [(0,)]
