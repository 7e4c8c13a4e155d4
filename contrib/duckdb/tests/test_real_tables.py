"""Tables that Apache Hudi wrote, by every query type, compared with the rows of another reader."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from decimal import Decimal

import hoodoo_duckdb
import pytest

import hoodoo
from hoodoo.errors import UnknownPlugin
from hoodoo.schema.meta_columns import META_COLUMNS

pytestmark = pytest.mark.slow

COPY_ON_WRITE = [
    "sample_table_cow__v6_complexkeygen_hivestyle",
    "sample_table_cow__v6_nonpartitioned",
    "sample_table_cow__v6_simplekeygen_hivestyle_no_metafields",
    "sample_table_cow__v6_simplekeygen_nonhivestyle_overwritetable",
    "sample_table_cow__v6_timebasedkeygen_nonhivestyle",
    "sample_table_cow__v8_nonpartitioned",
    "sample_table_cow__v8_simplekeygen_nonhivestyle",
    "sample_table_cow__v9_timebasedkeygen_epochmillis",
    "sample_table_cow__v9_txns_complex_nometa",
    "sample_table_cow__v9_txns_simple_meta",
    "sample_table_cow__v9_txns_simple_overwrite",
]
MERGE_ON_READ = [
    "quickstart_trips_table_mor_avro__v6_trips_8i1u",
    "quickstart_trips_table_mor_avro__v8_trips_8i3u1d",
    "sample_table_mor_avro__v9_nonpartitioned_rollback",
    "sample_table_mor_avro__v9_timebasedkeygen_nonhivestyle",
    "sample_table_mor_avro__v9_txns_complex_meta",
    "sample_table_mor_avro__v9_txns_simple_nometa",
    "sample_table_mor_parquet__v6_complexkeygen_hivestyle",
    "sample_table_mor_parquet__v6_nonpartitioned_rollback",
    "sample_table_mor_parquet__v6_simplekeygen_nonhivestyle_overwritetable",
]
EMPTY = ["sample_table_cow__v6_empty", "sample_table_mor_parquet__v6_empty"]

GOLDEN_COPY_ON_WRITE = ["cow6-bloom-by-0.15.0", "cow9-bloom"]
GOLDEN_MERGE_ON_READ = [
    "mor6-parquet-by-0.15.0",
    "mor9-avro",
    "mor9-delete-marker",
    "mor9-event-time",
    "mor9-two-ordering-fields",
]
"""Golden tables whose expected rows are those that Hudi read."""

shared_table = pytest.mark.parametrize("name", COPY_ON_WRITE + MERGE_ON_READ)
every_table = pytest.mark.parametrize(
    "name", COPY_ON_WRITE + MERGE_ON_READ + GOLDEN_COPY_ON_WRITE + GOLDEN_MERGE_ON_READ
)


@pytest.fixture
def relation(connection, unpacked):
    """Return a function that opens a real table by name, and skips the test if its merge rule is not installed."""

    def relation(name, **options):
        try:
            return hoodoo_duckdb.relation(connection, unpacked(name), **options)
        except UnknownPlugin as error:
            pytest.skip(str(error))

    return relation


def _plain(value):
    """Normalize a value: results of DuckDB and expected values differ in scale, time zone and maps."""
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, Decimal):
        return f"{value.normalize():f}"
    if isinstance(value, datetime):
        return value.astimezone(UTC).replace(tzinfo=None)
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        items = [_plain(item) for item in value]
        return sorted(items) if value and isinstance(value[0], tuple) else items
    return value


def _counted(table, columns=None):
    rows = (table if columns is None else table.select(columns)).to_pylist()
    return Counter(repr([(name, _plain(value)) for name, value in row.items()]) for row in rows)


def _without_meta_unless_stored(relation, wanted):
    """Return the rows of a relation, without the null meta columns of a table that does not store them."""
    rows = relation.to_arrow_table()
    return rows if META_COLUMNS[0] in wanted.column_names else rows.drop_columns(list(META_COLUMNS))


@every_table
def test_snapshot(name, relation, expected):
    wanted = expected(name, "snapshot")
    rows = _without_meta_unless_stored(relation(name), wanted)
    assert rows.column_names == wanted.column_names
    assert _counted(rows) == _counted(wanted)


@pytest.mark.parametrize("name", MERGE_ON_READ + GOLDEN_MERGE_ON_READ)
def test_read_optimized(name, relation, expected):
    wanted = expected(name, "ro")
    rows = _without_meta_unless_stored(relation(name, query_type="read_optimized"), wanted)
    assert _counted(rows) == _counted(wanted)


@shared_table
def test_incremental(name, relation, expected, unpacked):
    wanted = expected(name, "incr")
    commits = hoodoo.Table(unpacked(name)).timeline.commits
    begin, end = commits[0].time, commits[-1].time
    read = relation(name, **{"hoodie.datasource.query.type": "incremental", "begin": begin, "end": end})
    if META_COLUMNS[0] in wanted.column_names:
        assert _counted(read.to_arrow_table()) == _counted(wanted)
    else:
        assert read.count("*").fetchall() == [(wanted.num_rows,)]


@every_table
def test_time_travel(name, relation, unpacked):
    table = hoodoo.Table(unpacked(name))
    for instant in [*(commit.time for commit in table.timeline.commits), "2020-01-01"]:
        read = relation(name, as_of=instant).to_arrow_table()
        assert _counted(read) == _counted(table.to_arrow(as_of=instant))


@every_table
def test_some_columns(name, relation, expected):
    wanted, read = expected(name, "snapshot"), relation(name)
    for columns in (wanted.column_names[::2], wanted.column_names[::-2], wanted.column_names[-1:]):
        assert _counted(read.select(*columns).to_arrow_table()) == _counted(wanted, columns)


@every_table
def test_filters_on_every_column(name, relation, expected):
    """Filters for a value and for null work on a column that is not selected, and after the merge."""
    wanted, read = expected(name, "snapshot"), relation(name)
    shown = next(column for column in ("id", "uuid", "txn_id") if column in wanted.column_names)
    types = dict(zip(read.columns, map(str, read.types), strict=True))
    for column in wanted.column_names:
        if "[]" in types[column] or types[column].startswith(("STRUCT", "MAP")):
            continue
        rows = list(zip(wanted[shown].to_pylist(), wanted[column].to_pylist(), strict=True))
        for chosen in {None, rows[0][1], rows[-1][1]}:
            condition = f'"{column}" is null' if chosen is None else _equal(column, types[column], chosen)
            found = read.filter(condition).select(shown).fetchall()
            assert sorted(found) == sorted((key,) for key, value in rows if value == chosen), condition


def _equal(column, type_, value):
    hexadecimal = (f"\\x{byte:02x}" for byte in value) if isinstance(value, bytes) else ()
    text = "".join(hexadecimal) or str(value).replace("'", "''")
    return f"\"{column}\" = '{text}'::{type_}"


@pytest.mark.parametrize(
    ("name", "key", "changed"),
    [
        ("quickstart_trips_table_mor_avro__v6_trips_8i1u", "uuid", "fare"),
        ("quickstart_trips_table_mor_avro__v8_trips_8i3u1d", "uuid", "fare"),
        ("sample_table_mor_avro__v9_timebasedkeygen_nonhivestyle", "txn_id", "amount"),
        ("sample_table_mor_parquet__v6_complexkeygen_hivestyle", "id", "isActive"),
        ("sample_table_mor_parquet__v6_nonpartitioned_rollback", "id", "isActive"),
    ],
)
def test_filters_see_merged_rows_and_not_base_rows(name, key, changed, relation):
    """If a log changed a value, filters by the new value find the row and filters by the old value do not."""
    base, merged = (
        dict(relation(name, query_type=query_type).select(key, changed).fetchall())
        for query_type in ("read_optimized", "snapshot")
    )
    read, type_ = relation(name), str(relation(name).select(changed).types[0])
    assert base != merged
    for row in base:
        old, new = (
            read.filter(_equal(changed, type_, rows[row])).select(key).fetchall() if row in rows else []
            for rows in (base, merged)
        )
        assert ((row,) in new) is (row in merged)
        assert ((row,) in old) is (base[row] == merged.get(row))


@pytest.mark.parametrize("name", EMPTY)
def test_table_without_commits(name, relation):
    read = relation(name)
    assert "id" in read.columns
    assert read.fetchall() == []
    assert read.filter("id = 1").count("*").fetchall() == [(0,)]
