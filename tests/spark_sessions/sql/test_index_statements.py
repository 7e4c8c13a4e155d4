"""CREATE INDEX, DROP INDEX and SHOW INDEXES."""

from __future__ import annotations

import pytest

import hoodoo
from hoodoo.errors import OptionError, SchemaError, StatementError
from hoodoo.metadata_table.index_definitions import source_columns
from hoodoo.storage import storage_for
from tests.spark_sessions.sql.orders_table import ORDERS


@pytest.fixture
def orders(database: str, run) -> str:
    """Return the location of a table of version 9 with two rows, and without a metadata table."""
    run(ORDERS.replace("type = 'mor'", "type = 'mor', 'hoodie.write.table.version' = 9"))
    run("INSERT INTO orders VALUES (1, 2.5, array('a'), DATE'2026-01-01'), (2, 3.5, array(), DATE'2026-01-02')")
    return f"{database}/orders"


def test_an_index_is_created_shown_and_dropped(orders: str, run) -> None:
    assert run("SHOW INDEXES FROM orders") == []
    run("CREATE INDEX record_index ON orders (ID)")
    assert run("SHOW INDEXES IN TABLE orders") == [("record_index", "record_index", "")]
    assert hoodoo.Table(orders).properties.metadata_partitions == ("files", "record_index")
    run("INSERT INTO orders VALUES (3, 4.5, array(), DATE'2026-01-03')")
    assert run("SELECT id FROM orders WHERE id = 3") == [(3,)]
    run("DROP INDEX record_index ON orders")
    assert run("SHOW INDEXES FROM orders") == []
    assert hoodoo.Table(orders).properties.metadata_partitions == ("files",)


def test_statistics_are_created_for_the_listed_columns(orders: str, run) -> None:
    run(f"CREATE INDEX column_stats ON TABLE hoodoo.`{orders}` USING column_stats (Amount)")
    assert run("SHOW INDEXES FROM orders") == [("column_stats", "column_stats", "")]
    run("CREATE INDEX IF NOT EXISTS column_stats ON orders")
    columns = source_columns(storage_for(orders), hoodoo.Table(orders).properties)
    assert "amount" in columns["column_stats"]
    assert "id" not in columns["column_stats"]


@pytest.mark.nightly
def test_a_partitioned_record_index_is_called_record_index(orders: str, run) -> None:
    run("CREATE INDEX partitioned_record_index ON orders (id)")
    run("CREATE INDEX IF NOT EXISTS record_index ON orders")
    assert run("SHOW INDEXES FROM orders") == [("record_index", "record_index", "")]


WRONG: list[tuple[str, type[Exception], str]] = [
    ("CREATE INDEX by_amount ON orders (amount)", StatementError, "no index 'by_amount', and no secondary indexes"),
    ("CREATE INDEX record_index ON orders (amount)", StatementError, "the columns of the record key, id; name"),
    ("CREATE INDEX bloom_filters ON orders (id)", StatementError, "'bloom_filters' has no list of columns"),
    ("CREATE INDEX i ON orders USING column_stats (id) OPTIONS (expr = 'hour')", StatementError, "expression index"),
    ("CREATE INDEX record_index ON orders USING bloom_filters", StatementError, "has the name 'bloom_filters'"),
    ("CREATE INDEX column_stats ON orders (none)", SchemaError, "none"),
    ("DROP INDEX bloom_filters ON orders", StatementError, "the table has no index 'bloom_filters'; it has no index"),
]


def test_wrong_statements_change_nothing(orders: str, run) -> None:
    for text, error, match in WRONG:
        with pytest.raises(error, match=match):
            run(text)
    assert hoodoo.Table(orders).properties.metadata_partitions == ()


def test_an_index_is_not_created_twice_and_the_list_of_files_is_needed(orders: str, run) -> None:
    run("CREATE INDEX bloom_filters ON orders")
    with pytest.raises(StatementError, match="the table has an index 'files'; write IF NOT EXISTS"):
        run("CREATE INDEX files ON orders")
    with pytest.raises(OptionError, match="the index bloom_filters needs 'files'; drop it too"):
        run("DROP INDEX files ON orders")
    run("DROP INDEX IF EXISTS nothing ON orders")
    assert run("SHOW INDEXES FROM orders") == [("bloom_filters", "bloom_filters", "")]


@pytest.mark.nightly
def test_statements_about_other_tables_are_those_of_spark(database: str, run, spark) -> None:
    run("CREATE TABLE plain USING parquet AS SELECT 1 AS id")
    with pytest.raises(Exception) as caught:
        run("CREATE INDEX i ON plain (id)")
    assert not isinstance(caught.value, StatementError)
