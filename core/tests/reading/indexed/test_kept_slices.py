"""Queries of tables that Hudi wrote return the same rows with the metadata table, and open fewer files."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from hoodoo import Table
from hoodoo.metadata_table.index_definitions import source_columns
from hoodoo.storage import storage_for

GOLDEN = Path(__file__).parents[4] / "tests/golden/tables"
ALWAYS = ["mor8-archived-by-1.0.2", "mor9-by-sql", "cow9-columns-widened", "cow8-by-1.0.2"]
OTHERS = sorted(
    name for name in (path.name.removesuffix(".tar.xz") for path in GOLDEN.glob("*.tar.xz")) if name not in ALWAYS
)
SHARED = [
    "quickstart_trips_table_mor_avro__v8_trips_8i3u1d",
    "sample_table_cow__v9_timebasedkeygen_epochmillis",
    "sample_table_mor_avro__v9_timebasedkeygen_nonhivestyle",
    "sample_table_mor_avro__v9_nonpartitioned_rollback",
    "sample_table_mor_avro__v9_txns_complex_meta",
    "sample_table_cow__v9_txns_simple_meta",
    "sample_table_cow__v9_txns_simple_overwrite",
]
DUPLICATES = ("_epochmillis", "_nonhivestyle", "_rollback")
"""Ends of the names of tables in which keys occur twice: the record index has one location of each."""


def filters(field, values):
    """Yield filters on a column, for nulls and for each of these values."""
    column = pc.field(field.name)
    yield from (column.is_null(), column.is_valid(), ~column.is_null())
    for value in values:
        literal = pa.scalar(value, field.type)
        yield column == literal
        yield ~(column != literal)
        yield (column < literal) | (column > literal)
        yield (column >= literal) & (column <= literal)
        yield ~(column <= literal)
        yield column.isin(pa.array([value, None], field.type))
        yield ~column.isin(pa.array([value], field.type))
        if pa.types.is_string(field.type):
            yield pc.starts_with(column, value[:3])


def rows(table):
    return Counter(map(repr, table.to_pylist()))


def compare(path, without=(), most=1000, values_each=3):
    """Check the rows of queries with many filters; return the number of queries that read only some slices."""
    source, fewer, given = random.Random(0), 0, []
    table = Table(path)
    whole = table.to_arrow()
    slices = len(table.splits())
    assert rows(table.to_arrow(metadata_table=True)) == rows(whole)
    for field in whole.schema:
        if pa.types.is_nested(field.type) or field.name in without:
            continue
        values = whole.column(field.name).unique().drop_null().to_pylist()
        given += filters(field, source.sample(values, min(values_each, len(values))))
    for condition in source.sample(given, min(most, len(given))):
        planned = table.plan(filter=condition, metadata_table=True)
        fewer += len(planned.splits) < slices
        read = [split.read().read_all() for split in planned.splits]
        found = pa.concat_tables([planned.schema.empty_table(), *read])
        assert rows(found) == rows(whole.filter(condition)), condition
    return fewer


@pytest.mark.parametrize("name", ALWAYS)
def test_golden_tables(real_table, name):
    fewer = compare(real_table(name), most=12)
    assert fewer or name == "cow8-by-1.0.2"


@pytest.mark.nightly
@pytest.mark.parametrize("name", OTHERS)
def test_other_golden_tables(real_table, name):
    path = real_table(name)
    if Table(path).properties.metadata_partitions:
        compare(path, most=80)


@pytest.mark.nightly
@pytest.mark.parametrize("name", SHARED)
def test_shared_tables(real_table, name):
    without = ("_hoodie_record_key", "txn_id") if name.endswith(DUPLICATES) else ()
    assert compare(real_table(name), without=without, most=200) or "nonpartitioned" in name


def test_keys_are_found_by_the_record_index(real_table):
    path = real_table("sample_table_cow__v9_txns_simple_meta")
    table = Table(path)
    whole = table.to_arrow()
    keys = whole.column("txn_id").to_pylist()
    for condition in (pc.field("txn_id") == keys[0], pc.field("_hoodie_record_key") == keys[0]):
        planned = table.plan(filter=condition, metadata_table=True)
        assert len(planned.splits) == 1
        assert "1 of them by record_index" in planned.way
        assert planned.splits[0].read().read_all().column("txn_id").to_pylist() == [keys[0]]
    several = table.to_arrow(filter=pc.field("txn_id").isin(keys[:5]), metadata_table=True)
    assert sorted(several.column("txn_id").to_pylist()) == sorted(keys[:5])
    nothing = table.plan(filter=pc.field("txn_id") == "no such key", metadata_table=True)
    assert nothing.splits == ()
    # the locations of the index are those of now
    first = min(commit.instant for commit in table.history())
    assert "record_index" not in table.plan(filter=condition, metadata_table=True, as_of=first).way


@pytest.mark.parametrize(
    ("name", "column"),
    [
        ("quickstart_trips_table_mor_avro__v8_trips_8i3u1d", None),
        ("sample_table_cow__v9_txns_simple_meta", "merchant_name"),
        ("sample_table_mor_avro__v9_txns_complex_meta", None),
    ],
)
def test_rows_are_found_by_a_secondary_index(real_table, name, column):
    """A filter for a value finds the same rows by the index; a null among the values prevents the use of the index."""
    path = real_table(name)
    table = Table(path)
    columns = {
        index: names[0]
        for index, names in source_columns(storage_for(path), table.properties).items()
        if index.startswith("secondary_index_") and index in table.properties.metadata_partitions
    }
    assert columns
    assert column is None or column in columns.values()
    whole, used, nulls = table.to_arrow(), 0, 0
    for index, indexed in columns.items():
        field, by_index = pc.field(indexed), f"by {index}"
        values = whole.column(indexed).unique().drop_null().to_pylist()
        for value in values[:4]:
            literal = pa.scalar(value, whole.schema.field(indexed).type)
            for condition in (field == literal, field.isin(pa.array([value], literal.type)) & field.is_valid()):
                used += by_index in table.plan(filter=condition, metadata_table=True).way
                assert rows(table.to_arrow(filter=condition, metadata_table=True)) == rows(whole.filter(condition))
            # a null is not among the values that the index finds
            condition = field.isin(pa.array([value, None], literal.type))
            nulls += by_index in table.plan(filter=condition, metadata_table=True).way
            assert rows(table.to_arrow(filter=condition, metadata_table=True)) == rows(whole.filter(condition))
    assert used
    assert not nulls


def test_explain_searches_the_file_groups_of_the_record_index(real_table):
    path = real_table("sample_table_cow__v9_txns_simple_meta")
    table = Table(path)
    key = table.to_arrow(columns=["txn_id"]).column(0)[0].as_py()
    whole, found = table.explain(key), Table(path).explain(key, metadata_table=True)
    assert found.searched < whole.searched
    assert found.current == whole.current
    # the index is not used for earlier instants, and does not decide about a key that it lacks
    assert Table(path).explain("no such key", metadata_table=True).searched == whole.searched
    last = max(commit.instant for commit in table.history())
    assert Table(path).explain(key, as_of=last, metadata_table=True).searched == whole.searched
