"""Statements that drop tables, truncate them, and add or remove partitions."""

from __future__ import annotations

from pathlib import Path

import pytest

import hoodoo
from hoodoo.errors import StatementError
from tests.spark_sessions.sql.orders_table import ORDERS


def test_a_dropped_table_keeps_its_files_unless_purged(database: str, run) -> None:
    run(ORDERS)
    run("INSERT INTO orders VALUES (1, 2, array('x'), DATE'2024-01-01')")
    run("DROP TABLE orders")
    assert hoodoo.Table(f"{database}/orders").to_arrow(["id"]).num_rows == 1
    run(f"CREATE TABLE orders USING hudi LOCATION '{database}/orders'")
    with pytest.raises(StatementError, match="write PURGE"):
        run(f"DROP TABLE hoodoo.`{database}/orders`")
    run("DROP TABLE IF EXISTS orders PURGE")
    run("DROP TABLE IF EXISTS orders")
    assert not Path(database, "orders").exists()
    assert Path(database).exists()


@pytest.mark.nightly
def test_rows_and_partitions_are_truncated(run, database: str) -> None:
    run(ORDERS)
    run("INSERT INTO orders SELECT id, 1, NULL, date_add(DATE'2024-01-01', id) FROM VALUES (0), (1), (2), (3) AS r(id)")
    run("TRUNCATE TABLE orders PARTITION (day = '2024-01-02')")
    assert run("SELECT id FROM orders ORDER BY id") == [(0,), (2,), (3,)]
    run("ALTER TABLE orders DROP PARTITION (day = DATE'2024-01-01'), PARTITION (day = :day)", day="2024-01-03")
    assert run("SELECT id FROM orders ORDER BY id") == [(3,)]
    run("ALTER TABLE orders DROP IF EXISTS PARTITION (day = '1999-01-01')")
    with pytest.raises(StatementError, match="no such partition"):
        run("ALTER TABLE orders DROP PARTITION (day = '1999-01-01')")
    run("TRUNCATE TABLE orders")
    assert run("SELECT count(*) FROM orders") == [(0,)]
    assert len(hoodoo.Table(f"{database}/orders").history()) == 4


@pytest.mark.nightly
def test_partitions_without_rows_are_added(run, database: str) -> None:
    run("CREATE TABLE t (id INT, a STRING, b INT) USING hudi PARTITIONED BY (a, b) TBLPROPERTIES (primaryKey = 'id')")
    run("INSERT INTO t VALUES (1, 'x', 1)")
    commits = len(hoodoo.Table(f"{database}/t").history())
    run("ALTER TABLE t ADD PARTITION (b = 2, a = 'w') PARTITION (a = 'z', b = 3)")

    entries = Path(database, "t/a=z/b=3/.hoodie_partition_metadata").read_text()
    assert "commitTime=00000000000000\n" in entries
    assert "partitionDepth=2\n" in entries
    assert Path(database, "t/a=w/b=2/.hoodie_partition_metadata").exists()
    with pytest.raises(StatementError, match="the table has the partition 'a=z/b=3' already"):
        run("ALTER TABLE t ADD PARTITION (a = 'new', b = 3) PARTITION (a = 'z', b = 3)")
    assert not Path(database, "t/a=new").exists()
    with pytest.raises(StatementError, match="the table has the partition 'a=x/b=1' already"):
        run("ALTER TABLE t ADD PARTITION (a = 'x', b = 1)")
    run("ALTER TABLE t ADD IF NOT EXISTS PARTITION (a = 'z', b = 3)")
    with pytest.raises(StatementError, match="'b' has none"):
        run("ALTER TABLE t ADD PARTITION (a = 'z')")
    # a partition without rows has nothing to drop
    run("ALTER TABLE t DROP PARTITION (a = 'z', b = 3)")
    assert run("SELECT id FROM t") == [(1,)]
    assert len(hoodoo.Table(f"{database}/t").history()) == commits
    run("INSERT INTO t VALUES (2, 'z', 3)")
    assert run("SHOW PARTITIONS t") == [("a=x/b=1",), ("a=z/b=3",)]
