"""Parts of a query that reach hoodoo: columns, filters, and the end of a `LIMIT`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import duckdb
import hoodoo_duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hoodoo_duckdb.read_ahead import read_ahead

import hoodoo
from hoodoo.reading import Split

HANDS_OVER_MORE = duckdb.__version__ >= "2"
OLD = "DuckDB 1 pushes fewer filters down"


@pytest.fixture(scope="module")
def path(write, tmp_path_factory):
    n = list(range(1000))
    columns = {"id": n, "s": [str(i % 7) for i in n], "v": [i / 4 for i in n], "st": [{"x": i, "y": "z"} for i in n]}
    return write(tmp_path_factory.mktemp("t"), pa.table(columns), files=2)


@pytest.fixture
def plans(monkeypatch) -> list[tuple[list[str] | None, pc.Expression | None]]:
    """Return a list that gets the columns and the filter of each plan."""
    made = []
    plan = hoodoo.Table.plan

    def spy(self, columns=None, filter=None, **query):  # noqa: A002
        made.append((columns, filter))
        return plan(self, columns, filter, **query)

    monkeypatch.setattr(hoodoo.Table, "plan", spy)
    return made


@pytest.fixture
def batches(monkeypatch) -> list[int]:
    """Return a list that gets the number of rows of each batch."""
    seen = []
    read = Split.read

    def spy(self):
        def counted() -> Iterator[pa.RecordBatch]:
            for batch in read(self):
                seen.append(batch.num_rows)
                yield batch

        return pa.RecordBatchReader.from_batches(self.schema, counted())

    monkeypatch.setattr(Split, "read", spy)
    return seen


def _scan(connection, path, plans, query):
    """Return the rows of a query and the columns and the filter of its only scan."""
    t = hoodoo_duckdb.relation(connection, path, meta_columns=False)
    plans.clear()
    rows = t.query("t", query).fetchall()
    [(columns, condition)] = plans
    return rows, columns, condition


@pytest.mark.parametrize(
    ("query", "columns"),
    [
        ("select v from t", {"v"}),
        ("select s, id from t", {"id", "s"}),
        ("select st.x from t", {"st"}),
        ("select * from t", {"id", "s", "v", "st"}),
        ("select sum(v) from t group by s", {"s", "v"}),
    ],
)
def test_only_the_columns_of_the_query_are_read(connection, path, plans, query, columns):
    _, read, condition = _scan(connection, path, plans, query)
    assert set(read) == columns
    assert condition is None


def test_counting_rows_reads_one_column(connection, path, plans):
    rows, read, _ = _scan(connection, path, plans, "select count(*) from t")
    assert rows == [(1000,)]
    assert len(read) == 1


@pytest.mark.parametrize(
    ("condition", "count"),
    [
        ("id = 7", 1),
        ("id < 3", 3),
        ("not (id > 2)", 3),
        ("id + 1 = 5", 1),
        ("id between 5 and 9 and v <= 1.5", 2),
        ("s is not null and id = 1", 1),
        pytest.param("id in (1, 5, 900)", 3, marks=pytest.mark.skipif(not HANDS_OVER_MORE, reason=OLD)),
        pytest.param("id = 1 or s = '2' and id < 9", 2, marks=pytest.mark.skipif(not HANDS_OVER_MORE, reason=OLD)),
        pytest.param("st.x = 3", 1, marks=pytest.mark.skipif(not HANDS_OVER_MORE, reason=OLD)),
    ],
)
def test_filters_are_applied_where_the_rows_are_read(connection, path, plans, batches, condition, count):
    rows, _, handed_over = _scan(connection, path, plans, f"select id from t where {condition}")
    assert len(rows) == count
    assert handed_over is not None
    assert sum(batches) == count, "nothing is left for DuckDB to filter"


def test_filtered_column_that_is_not_shown_is_not_given_to_duckdb(connection, path, plans, batches):
    rows, columns, _ = _scan(connection, path, plans, "select v from t where id = 8")
    assert rows == [(2.0,)]
    assert list(columns) == ["v"] or not HANDS_OVER_MORE
    assert batches == [1]


@pytest.mark.parametrize(
    ("condition", "count"), [("s like '%3%'", 143), ("lower(s) = '3'", 143), ("id % 2 = 0", 500), ("v > 249", 3)]
)
def test_other_filters_are_duckdbs(connection, path, plans, batches, condition, count):
    rows, _, _ = _scan(connection, path, plans, f"select id from t where {condition}")
    assert len(rows) == count
    assert sum(batches) == 1000 or (condition == "v > 249" and not HANDS_OVER_MORE)


def test_each_use_of_a_relation_is_a_scan_of_its_own(connection, path, plans):
    t = hoodoo_duckdb.relation(connection, path)
    plans.clear()
    joined = t.set_alias("l").join(t.filter("id < 10").set_alias("r"), "l.id = r.id * 2").project("l.id")
    assert sorted(joined.fetchall()) == [(i * 2,) for i in range(10)]
    assert sorted(joined.fetchall()) == [(i * 2,) for i in range(10)]
    assert len(plans) == 4


def test_limit_ends_the_reading(connection, write, tmp_path, batches, monkeypatch):
    """Not all of 40 files are read: only those that DuckDB consumed, one that waits, and one per thread."""
    monkeypatch.setattr("hoodoo_duckdb.dataset.read_ahead", partial(read_ahead, budget=1))
    path = write(tmp_path, pa.table({"id": range(4000)}), files=40)
    t = hoodoo_duckdb.relation(connection, path)
    assert len(t.limit(10).fetchall()) == 10
    assert len(batches) < 40


def test_explain_shows_the_filters(connection, path):
    plan = hoodoo_duckdb.relation(connection, path).filter("id < 3").explain()
    assert "Filters" in plan
