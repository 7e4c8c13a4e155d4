"""Queries, and the splits that answer them."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from hoodoo.errors import OptionError, SchemaError
from hoodoo.reading import Query, plan, projected
from hoodoo.schema.meta_columns import META_COLUMNS


def planned(written, **query):
    return plan(written.storage, written.properties, written.timeline, Query(**query))


@pytest.mark.parametrize(
    "query",
    [
        {"query_type": "other"},
        {"query_type": "incremental", "as_of": "20260101"},
        {"begin": "20260101"},
        {"query_type": "read_optimized", "end": "20260101"},
        {"on_corrupt": "ignore"},
        {"query_type": "incremental", "incremental_format": "other"},
        {"incremental_format": "cdc"},
    ],
)
def test_options_that_contradict_each_other_are_refused(query):
    with pytest.raises(OptionError):
        Query(**query)


def test_columns_come_in_the_wanted_order():
    schema = pa.schema([("a", pa.int64()), ("b", pa.int64())])
    assert projected(schema, ["b", "a"]).names == ["b", "a"]
    assert projected(schema, None) is schema
    with pytest.raises(SchemaError, match=r"'c'; it has a, b") as refused:
        projected(schema, ["a", "c"])
    assert refused.value.code == "unknown_column"


def test_splits_come_largest_first(written):
    written.write(("a", "x", 1, "1"))
    written.write(*((f"k{n}", "y", 1, str(n) * 50) for n in range(500)))
    sizes = [split.size for split in planned(written).splits]
    assert len(sizes) == 2
    assert sizes == sorted(sizes, reverse=True)


def test_a_snapshot_merges_logs_and_a_read_optimized_query_does_not(written):
    written.write(("a", "x", 1, "1"))
    written.write(("a", "x", 2, "2"))
    [split], [base] = planned(written).splits, planned(written, query_type="read_optimized").splits
    assert split.merge is not None
    assert base.merge is None
    assert written.values() == [("a", "2")]
    assert written.values(query_type="read_optimized") == [("a", "1")]


def test_an_incremental_query_names_its_commits(written):
    first, second = written.write(("a", "x", 1, "1")), written.write(("b", "y", 1, "1"))
    found = planned(written, query_type="incremental", begin=first)
    assert found.commits == {second}
    assert [split.partition for split in found.splits] == ["y"]
    assert planned(written, query_type="incremental", begin=second).splits == ()


def test_an_earlier_instant_has_the_slices_of_then(written):
    first = written.write(("a", "x", 1, "1"))
    written.write(("a", "x", 2, "2"), ("b", "y", 1, "1"))
    assert written.values(as_of=first) == [("a", "1")]


@pytest.mark.parametrize("meta_columns", [True, False])
def test_all_columns_are_those_of_the_time_of_the_query(written, meta_columns):
    first = written.write(("a", "x", 1, "1"))
    written.write(("b", "x", 1, "1"), new="n")
    shown = list(META_COLUMNS) if meta_columns else []
    assert planned(written, as_of=first, meta_columns=meta_columns).schema.names == [*shown, "id", "p", "ts", "v"]
    names = planned(written, meta_columns=meta_columns).schema.names
    assert names == [*shown, "id", "p", "ts", "v", "new"]


def test_columns_of_a_filter_are_read_and_not_returned(written):
    written.write(("a", "x", 1, "1"), ("b", "x", 2, "2"))
    [split] = planned(written, columns=["v"], filter=pc.field("ts") > 1).splits
    assert split.schema.names == ["v"]
    assert set(split.read_schema.names) == {"v", "ts"}
    assert split.read().read_all().to_pydict() == {"v": ["2"]}
