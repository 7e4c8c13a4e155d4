"""Queries of Hudi tables by `hoodoo.sql`."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession
from pyspark.sql.utils import AnalysisException

import hoodoo
from hoodoo.errors import NotATable, OptionError, StatementError


@pytest.fixture
def orders(spark: SparkSession, database: str, run) -> list[str]:
    """Make a table `orders` of three commits; return their instants."""
    run(
        "CREATE TABLE orders (id INT, amount DOUBLE, day STRING) USING hudi PARTITIONED BY (day) "
        "TBLPROPERTIES (primaryKey = 'id')"
    )
    for ids, days in (([1, 2], ["mon", "tue"]), ([3], ["tue"]), ([4], ["wed"])):
        amounts = pa.array([number * 10.0 for number in ids])
        rows = pa.table({"id": pa.array(ids, pa.int32()), "amount": amounts, "day": days})
        hoodoo.write(rows, f"{database}/orders", {"operation": "insert"})
    return sorted(row[0] for row in run("CALL show_commits('orders')"))


def test_tables_are_named_in_all_places_of_a_query(spark: SparkSession, database: str, orders: list[str], run) -> None:
    path = f"{database}/orders"
    spark.createDataFrame([(1, "x"), (3, "y")], "id int, label string").createOrReplaceTempView("labels")
    queries = {
        "SELECT id, amount FROM orders WHERE orders.day = 'tue' ORDER BY orders.id": [(2, 20.0), (3, 30.0)],
        "SELECT o.id, l.label FROM statements.orders AS o JOIN labels l ON o.id = l.id ORDER BY 1": [
            (1, "x"),
            (3, "y"),
        ],
        f"SELECT count(*) FROM hoodoo.`{path}`": [(4,)],
        f"SELECT count(*) FROM HUDI.`{path}` x, orders AS y": [(16,)],
        "SELECT label FROM labels WHERE id IN (SELECT id FROM Orders) ORDER BY label": [("x",), ("y",)],
        "WITH big AS (SELECT * FROM orders WHERE amount > 15), orders AS (SELECT 7 AS id) SELECT count(*), "
        "(SELECT max(id) FROM orders) FROM big": [(3, 7)],
        "SELECT day, sum(amount) FROM orders GROUP BY day HAVING sum(amount) > 10 ORDER BY day": [
            ("tue", 50.0),
            ("wed", 40.0),
        ],
        "(SELECT id FROM orders) EXCEPT (SELECT id FROM orders WHERE id < 4)": [(4,)],
        "FROM orders SELECT max(id)": [(4,)],
        "SELECT '{id}' AS braces, max(id) FROM orders -- {comment}": [("{id}", 4)],
        "SELECT count(*) FROM orders TABLESAMPLE (100 PERCENT)": [(4,)],
    }
    for text, rows in queries.items():
        assert run(text) == rows, text


def test_a_query_is_lazy_and_stays_usable(spark: SparkSession, orders: list[str], run) -> None:
    frame = hoodoo.sql(spark, "SELECT id FROM orders WHERE id > :least", least=2)
    other = frame.join(hoodoo.sql(spark, "SELECT id, amount FROM orders"), "id")
    views = {table.name for table in spark.catalog.listTables() if table.isTemporary}

    assert sorted(tuple(row) for row in other.collect()) == [(3, 30.0), (4, 40.0)]
    assert not any(name.startswith(("_hoodoo_", "_pyspark_")) for name in views)


def test_a_table_is_read_as_of_a_time(spark: SparkSession, orders: list[str], run) -> None:
    first, second, _ = orders
    times = {
        f"TIMESTAMP AS OF '{first}'": 2,
        f"VERSION AS OF {second}": 3,
        f"FOR SYSTEM_TIME AS OF '{second}'": 3,
        "TIMESTAMP AS OF current_timestamp() + INTERVAL '1' DAY": 4,
        "TIMESTAMP AS OF date'2200-01-01'": 4,
        "TIMESTAMP AS OF '2200-01-01T01:02:03.004Z'": 4,
        "TIMESTAMP AS OF '2001-01-01 01:02:03+02:00'": 0,
    }
    for time, count in times.items():
        assert run(f"SELECT count(*) FROM orders {time} AS o WHERE o.id > 0") == [(count,)], time
    moment = dt.datetime.strptime(first[:14], "%Y%m%d%H%M%S").replace(tzinfo=dt.UTC) + dt.timedelta(
        milliseconds=int(first[14:])
    )
    assert run("SELECT count(*) FROM orders TIMESTAMP AS OF :moment", moment=moment) == [(2,)]
    assert run("SELECT count(*) FROM orders FOR VERSION AS OF :instant", instant=second) == [(3,)]
    with pytest.raises(OptionError, match="is not an instant"):
        run("SELECT * FROM orders TIMESTAMP AS OF 'some day'")
    with pytest.raises(StatementError, match="the time is null"):
        run("SELECT * FROM orders TIMESTAMP AS OF CAST(NULL AS TIMESTAMP)")


def test_table_functions_of_hudi_read_changes(spark: SparkSession, database: str, orders: list[str], run) -> None:
    first, second, _ = orders
    changes = "SELECT id FROM hudi_table_changes('orders', 'latest_state', {}) ORDER BY id"
    assert run(changes.format("'earliest'")) == [(1,), (2,), (3,), (4,)]
    assert run(changes.format(f"'{first}'")) == [(3,), (4,)]
    assert run(changes.format(f"'{first}', '{second}'")) == [(3,)]
    assert run(
        f"SELECT count(*) FROM hudi_table_changes('{database}/orders', 'latest_state', :since)", since=second
    ) == [(1,)]
    assert run("SELECT count(q.id) FROM hudi_query(orders, 'read_optimized') q") == [(4,)]
    with pytest.raises(StatementError, match="has 1 argument;"):
        run("SELECT * FROM hudi_query('orders')")
    with pytest.raises(StatementError, match="there is no Hudi table 'nowhere'"):
        run("SELECT * FROM hudi_query('nowhere', 'snapshot')")
    with pytest.raises(StatementError, match="use CALL show_commits"):
        run("SELECT * FROM hudi_query_timeline('orders', 'true')")


def test_parameters_are_values_and_never_text(spark: SparkSession, database: str, orders: list[str], run) -> None:
    attack = "x' OR '1' = '1"
    assert run("SELECT count(*) FROM orders WHERE day = :day", day=attack) == [(0,)]
    assert run("SELECT :attack, max(id) FROM orders", attack="'; DROP TABLE orders; --") == [
        ("'; DROP TABLE orders; --", 4)
    ]
    frame = spark.createDataFrame([(1,), (9,)], "id int")
    assert run(
        "SELECT o.id FROM {mine} m JOIN orders o ON m.id = o.id WHERE o.amount < :most", mine=frame, most=50
    ) == [(1,)]
    strange = f"{database}/it's; -- `{{x}}`"
    run(f"CREATE TABLE hoodoo.`{strange.replace('`', '``')}` (id INT) USING hoodoo TBLPROPERTIES (primaryKey = 'id')")
    assert run(f"SELECT count(*) FROM hoodoo.`{strange.replace('`', '``')}` WHERE '{{}}' = :braces", braces="{}") == [
        (0,)
    ]
    assert Path(strange, ".hoodie").is_dir()


def test_settings_of_the_session_are_options_of_reads(spark: SparkSession, orders: list[str], run) -> None:
    spark.conf.set("as.of.instant", "x")  # a name without the prefix `hoodie.` is not an option of hoodoo
    spark.conf.set("hoodie.datasource.query.type", "incremental")
    spark.conf.set("hoodie.datasource.read.begin.instanttime", orders[1])
    assert run("SELECT id FROM orders") == [(4,)]
    spark.conf.unset("as.of.instant")
    spark.conf.set("hoodie.datasource.query.typ", "incremental")
    with pytest.raises(OptionError, match=r"hoodie\.datasource\.query\.typ"):
        run("SELECT id FROM orders")


def test_temporary_views_and_other_tables_take_rows_of_queries(spark: SparkSession, orders: list[str], run) -> None:
    run("CREATE OR REPLACE TEMP VIEW ids (number) AS SELECT id FROM orders WHERE id > 2")
    run("CREATE TABLE plain USING parquet AS SELECT id FROM orders")
    run("INSERT INTO plain SELECT id + 10 FROM orders WHERE id = :id", id=4)

    assert run("SELECT max(number) FROM ids") == [(4,)]
    assert spark.sql("SELECT max(number) FROM ids").collect() == run("SELECT max(number) FROM ids")
    assert run("SELECT max(id) FROM plain") == [(14,)]
    with pytest.raises(StatementError, match="there is a table or view 'ids' already"):
        run("CREATE TEMP VIEW ids AS SELECT id FROM orders")


UNSUPPORTED = [
    ("CREATE VIEW v AS SELECT * FROM orders", "CREATE VIEW is not supported for a Hudi table"),
    ("CACHE TABLE orders", "cache the view"),
    ("ANALYZE TABLE orders COMPUTE STATISTICS", "statistics in the footers"),
    ("CREATE INDEX i ON orders (id)", "hoodoo creates no index 'i'"),
    ("DROP INDEX i ON orders", "the table has no index 'i'"),
    ("REFRESH INDEX i ON orders", "each write keeps the indexes current"),
    ("DESCRIBE HISTORY orders", "CALL show_commits"),
    ("OPTIMIZE orders ZORDER BY (id)", "CALL run_compaction"),
    ("VACUUM orders", "CALL run_clean"),
    ("RESTORE TABLE orders TO VERSION AS OF 1", "INSERT OVERWRITE"),
    ("CREATE TABLE copied SHALLOW CLONE orders", "AS SELECT"),
    ("COMMENT ON TABLE orders IS 'x'", "ALTER COLUMN ... COMMENT for a column"),
    ("REFRESH TABLE orders", "each query reads the newest commit"),
    ("MSCK REPAIR TABLE orders", "need no repair"),
    ("FROM orders INSERT INTO a SELECT id INSERT INTO b SELECT id", "write one INSERT INTO per table"),
    ("UPDATE orders SET amount = 1 FROM labels", "not part of Spark's SQL"),
    ("SELECT * FROM orders TIMESTAMP AS OF", "a time is expected here"),
]


def refusal(run, text: str) -> str:
    """Return the message of the error that a statement raises; the error must name the first line."""
    with pytest.raises(StatementError) as caught:
        run(text)
    assert caught.value.line == 1, text
    return str(caught.value)


def test_statements_that_are_not_supported_name_the_alternative(orders: list[str], run) -> None:
    """Each refusal names the alternative; all statements use one table, because none changes it."""
    messages = {text: refusal(run, text) for text, _ in UNSUPPORTED}
    assert [messages[text] for text, match in UNSUPPORTED if match not in messages[text]] == []


def test_statements_about_other_tables_are_sparks_own(spark: SparkSession, database: str, run) -> None:
    assert run("SELECT :x + 1 AS y", x=1) == [(2,)]
    assert run("SELECT * FROM {df}", df=spark.range(2)) == [(0,), (1,)]
    run("CREATE TABLE plain (id INT) USING parquet")
    run("INSERT INTO plain VALUES (1)")
    assert ("statements", "plain", False) in run("SHOW TABLES")
    for text in ("SELECT * FROM nowhere", "DROP TABLE nowhere", "INSERT INTO nowhere VALUES (1)"):
        with pytest.raises(AnalysisException, match="TABLE_OR_VIEW_NOT_FOUND"):
            run(text)
    with pytest.raises(Exception, match="PARSE_SYNTAX_ERROR"):
        run("SELEC 1")
    with pytest.raises(NotATable):
        run(f"SELECT * FROM hoodoo.`{database}/none`")
