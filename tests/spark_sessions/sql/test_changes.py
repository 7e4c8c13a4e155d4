"""MERGE, UPDATE and DELETE as SQL, with the rows that Spark's documentation of these statements implies."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import hoodoo
from hoodoo.errors import StatementError

from .conftest import Run

CREATE = (
    "CREATE TABLE orders (id INT, dt STRING, amount DECIMAL(10, 2), status STRING, ts BIGINT) USING hoodoo "
    "PARTITIONED BY (dt) TBLPROPERTIES (primaryKey = 'id', preCombineField = 'ts', type = '{kind}')"
)
ROWS = "SELECT id, dt, CAST(amount AS STRING), status, ts FROM orders ORDER BY id"


@pytest.fixture(params=[pytest.param("cow", marks=pytest.mark.nightly), "mor"])
def orders(request, spark, database: str, run: Run) -> Iterator[None]:
    run(CREATE.replace("{kind}", request.param))
    run(
        "INSERT INTO orders (id, dt, amount, status, ts) VALUES "
        "(1, 'd1', 10, 'open', 5), (2, 'd1', 20, 'open', 5), (3, 'd2', 30, 'closed', 5), "
        # Spark before 4.1 has another meaning of two quotation marks
        "(4, 'd2', 40, 'it\\'s; open', 5)"
    )
    yield
    for view in ("arrived", "chosen"):
        spark.catalog.dropTempView(view)


def test_a_merge_with_all_kinds_of_clauses(orders, run: Run, spark):
    spark.sql(
        "SELECT * FROM VALUES (1, 'd1', 11.5, 'paid', 6L), (2, 'd1', 0.0, 'gone', 6L), (9, 'd3', 90.0, 'new', 1L), "
        "(3, 'd2', 31.0, 'late', 4L) AS v(order_id, dt, amount, status, ts)"
    ).createOrReplaceTempView("arrived")
    [row] = run(
        """
        MERGE INTO orders AS o
        USING (SELECT *, CASE WHEN status = 'gone' THEN true ELSE false END AS gone FROM arrived) AS a
        ON o.id = a.order_id AND o.dt = a.dt -- WHEN MATCHED THEN DELETE
        WHEN MATCHED AND a.gone THEN DELETE
        WHEN MATCHED AND CASE WHEN a.status = 'THEN' THEN false ELSE true END
          THEN UPDATE SET o.amount = a.amount + 0.25, status = concat(o.status, ' WHEN ', a.status), ts = a.ts
        WHEN NOT MATCHED BY TARGET THEN INSERT (id, dt, amount, status, ts)
          VALUES (a.order_id, a.dt, a.amount, a.status, a.ts)
        WHEN NOT MATCHED BY SOURCE AND o.status LIKE '%;%' THEN UPDATE SET status = 'semicolon'
        """
    )
    assert run(ROWS) == [
        (1, "d1", "11.75", "open WHEN paid", 6),
        (3, "d2", "30.00", "closed", 5),
        (4, "d2", "40.00", "semicolon", 5),
        (9, "d3", "90.00", "new", 1),
    ]
    # the change of key 3 is older than its stored row
    assert row[:4] == (1, 2, 1, 1)


def test_a_merge_of_all_columns(orders, run: Run):
    run(
        "merge into orders t using (select 1 id, 'd1' dt, 5.00BD amount, 'x' status, 7L ts union all "
        "select 8, 'd9', 6.00BD, 'y', 1L) s on t.id = s.id and t.dt = s.dt "
        "when matched then update set * when not matched then insert *"
    )
    assert run(ROWS)[0] == (1, "d1", "5.00", "x", 7)
    assert run(ROWS)[-1] == (8, "d9", "6.00", "y", 1)


def test_update_and_delete_with_subqueries_and_parameters(orders, run: Run, spark):
    spark.sql("SELECT 2 AS id").createOrReplaceTempView("chosen")
    run("UPDATE orders SET amount = amount * 2, status = :status WHERE id IN (SELECT id FROM chosen)", status="a'b")
    run("DELETE FROM orders o WHERE o.dt = 'd2' AND o.status = {word}", word="closed")
    assert run(ROWS) == [
        (1, "d1", "10.00", "open", 5),
        (2, "d1", "40.00", "a'b", 5),
        (4, "d2", "40.00", "it's; open", 5),
    ]


BAD = [
    ("UPDATE orders SET amount = 1 WHERE nothing = 2", "nothing"),
    ("UPDATE orders SET id = 7", "record key column"),
    ("UPDATE orders SET dt = 'd7'", "partition column"),
    ("DELETE FROM orders WHERE rand() < 0.5", "another value when a task is repeated"),
    ("MERGE INTO orders o USING orders s ON o.dt = s.dt WHEN MATCHED THEN DELETE", "record key column 'id'"),
    ("MERGE INTO orders o USING orders s ON o.id = s.id", "WHEN"),
    ("UPDATE orders SET amount = 1, AMOUNT = 2", "assigned twice"),
]


def test_bad_statements_write_nothing(orders, run: Run, spark):
    """Each bad statement is refused with its reason, and none changes the table, which all of them use."""
    before = run(ROWS)
    for text, match in BAD:
        with pytest.raises(StatementError) as caught:
            run(text)
        assert match in str(caught.value), text
        assert len(run("CALL show_commits('orders')")) == 1, text
    assert run(ROWS) == before


def test_an_enabled_session_takes_the_statements(orders, spark, run: Run):
    hoodoo.enable(spark)
    try:
        spark.sql("UPDATE orders SET status = 'all'")
        assert {row["status"] for row in spark.sql("SELECT status FROM orders").collect()} == {"all"}
        assert spark.sql("SELECT 1 AS one").collect()[0]["one"] == 1
    finally:
        hoodoo.disable(spark)
