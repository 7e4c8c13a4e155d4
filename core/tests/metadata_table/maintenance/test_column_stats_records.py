"""Statistics of columns: those that Hudi wrote for its commits, and the values of files and logs."""

from __future__ import annotations

import json
import math
import threading
from datetime import UTC, date, datetime, time
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hoodoo.errors import CorruptTableError, SchemaError
from hoodoo.format.hfile import Cells
from hoodoo.format.log.block_writer import avro_data_block, delete_block, parquet_data_block
from hoodoo.format.log.delete_schema import DELETES
from hoodoo.metadata_table.content.records import records as decoded_records
from hoodoo.metadata_table.content.statistics import column_stats
from hoodoo.metadata_table.layers import Layer
from hoodoo.metadata_table.maintenance.changed_files.merge_kind import MergeKind, merge_kind
from hoodoo.metadata_table.maintenance.changed_files.parallel import in_threads
from hoodoo.metadata_table.maintenance.column_stats_records import records
from hoodoo.metadata_table.maintenance.record_schema import record_schema
from hoodoo.metadata_table.maintenance.statistics import (
    ColumnRange,
    IndexedColumns,
    RangeRecords,
    combined,
    file_ranges,
    stored_range,
)
from hoodoo.metadata_table.maintenance.statistics.stored_type import stored_type
from hoodoo.properties import TableProperties
from hoodoo.schema.avro_encode import to_avro
from hoodoo.storage import LocalStorage, storage_for

from .hudi_commits import (
    SHARED,
    as_mapping,
    cleans,
    commits,
    decoded,
    encoded,
    golden_names,
    opened,
    records_of_hudi,
)

ALWAYS = (
    "cow9-columns-widened",
    "mor8-archived-by-1.0.2",
    "mor9-archived",
    "mor9-partial-update",
    "cow6",
    "mor6-event-time",
)
PARTIAL = ("mor8-merge-into-by-1.0.2", "mor9-merge-into", "mor9-partial-update", "mor9-postgres-debezium")
"""Tables with logs for which Hudi has statistics and hoodoo none, because a row may have values of several files."""


def compare(root, name):
    """Compare the records of each commit and clean with those of Hudi; return the number of compared records.

    Records of one schema are compared byte by byte, and others by their values.
    """
    table = opened(root)
    if table is None or "column_stats" not in table.metadata.partitions:
        return 0
    compared, left_out = 0, set()
    for change, _, theirs in commits(table, "column_stats"):
        if not theirs.records:
            continue
        found = records(table.metadata, change)
        mine = as_mapping(found)
        schema = record_schema(table.metadata)
        for key, (value, stored_schema) in theirs.records.items():
            assert encoded(decoded(value, stored_schema), stored_schema) == value
            content = decoded(value, stored_schema)["ColumnStatsMetadata"]
            if key not in mine:
                left_out.add(content["fileName"])
                continue
            assert decoded(mine[key], schema)["ColumnStatsMetadata"] == content
            assert mine[key] == value or schema != stored_schema
        assert mine.keys() <= theirs.records.keys()
        assert {key.decode() for key in found.deleted.to_pylist()} == {key.decode() for key in theirs.deleted}
        compared += len(mine)
    assert all(".log." in file for file in left_out)
    assert bool(left_out) == (name in PARTIAL)
    stored = records_of_hudi(table, "column_stats")
    for change in cleans(table):
        deleted = set(records(table.metadata, change).deleted.to_pylist())
        assert deleted == stored[change.instant].deleted
        compared += len(deleted)
    return compared


@pytest.mark.parametrize("name", ALWAYS)
def test_records_of_golden_tables(real_table, name):
    assert compare(real_table(name), name) > 10


@pytest.mark.nightly
@pytest.mark.parametrize("name", golden_names(*ALWAYS))
def test_records_of_other_golden_tables(real_table, name):
    compare(real_table(name), name)


@pytest.mark.parametrize("name", SHARED)
def test_records_of_shared_tables(real_table, name):
    assert compare(real_table(name), name) > 10


COLUMNS = pa.table(
    {
        "flag": pa.array([True, None, False]),
        "byte": pa.array([-3, 4, None], pa.int8()),
        "small": pa.array([-300, 400, None], pa.int32()),
        "big": pa.array([None, 1 << 60, -1]),
        "f": pa.array([1.5, None, -0.25], pa.float32()),
        "d": pa.array([math.nan, 1.0, None]),
        "s": pa.array(["é", "z", None]),
        "raw": pa.array([b"\xff", None, b"\x00"]),
        "day": pa.array([date(1960, 1, 1), None, date(2030, 1, 1)]),
        "clock": pa.array([time(1, 2, 3), None, time(0)], pa.time64("us")),
        "at": pa.array([datetime(2024, 1, 1, tzinfo=UTC), datetime(1969, 1, 1, tzinfo=UTC), None]),
        "local": pa.array([datetime(2024, 1, 1), None, datetime(1969, 1, 1)], pa.timestamp("us")),
        "dec": pa.array([Decimal("-1.25"), None, Decimal("100.50")], pa.decimal128(12, 2)),
        "wide": pa.array([Decimal("-1.25"), None, Decimal("12345678901234567890.50")], pa.decimal128(38, 2)),
        "none": pa.nulls(3, pa.string()),
        "address": pa.array([{"city": "b"}, None, {"city": "a"}]),
        "list": pa.array([[1], [], None], pa.list_(pa.int32())),
    }
)
BOUNDS = {
    "flag": (False, True),
    "byte": (-3, 4),
    "small": (-300, 400),
    "big": (-1, 1 << 60),
    "f": (-0.25, 1.5),
    "s": ("z", "é"),
    "raw": (b"\x00", b"\xff"),
    "day": (date(1960, 1, 1), date(2030, 1, 1)),
    "clock": (time(0), time(1, 2, 3)),
    "at": (datetime(1969, 1, 1, tzinfo=UTC), datetime(2024, 1, 1, tzinfo=UTC)),
    "local": (datetime(1969, 1, 1), datetime(2024, 1, 1)),
    "dec": (Decimal("-1.25"), Decimal("100.50")),
    "wide": (Decimal("-1.25"), Decimal("12345678901234567890.50")),
    "none": (None, None),
    "address.city": ("a", "b"),
}
NAMES = (*COLUMNS.column_names, "address.city")


def read_back(found, schema):
    """Return the statistics that a reader decodes from the records of these ranges, by column."""
    encoder = RangeRecords(schema, 3)
    values = [encoder.encode("a.parquet", item, is_tight=False) for item in found]
    cells = Cells(
        pa.array([item.column.encode() for item in found], pa.large_binary()), pa.array(values, pa.large_binary())
    )
    layer = Layer("test", "a", cells, schema)
    stored = [record for _, record in decoded_records(layer, "ColumnStatsMetadata") if record is not None]
    return {stats.column: stats for stats in column_stats(stored)}


@pytest.fixture(scope="module")
def schemas(real_table):
    """Return the schemas of metadata records in tables by three releases of Hudi."""
    tables = (opened(real_table(name)) for name in ("mor9-avro", "mor8-archived-by-1.0.2", "mor6-by-0.15.0"))
    return [record_schema(table.metadata) for table in tables if table is not None]


@pytest.mark.parametrize("has_bounds", [True, False])
def test_base_files_have_the_bounds_of_their_footers_or_of_their_values(tmp_path, schemas, has_bounds):
    pq.write_table(COLUMNS, tmp_path / "a.parquet", row_group_size=2, write_statistics=has_bounds)
    found = file_ranges(storage_for(tmp_path), "a.parquet", IndexedColumns(2, NAMES), None)
    seen = read_back(found, schemas[0])
    assert {name: (stats.minimum, stats.maximum) for name, stats in seen.items() if name != "d"} == BOUNDS
    assert seen["d"].minimum == 1.0
    assert math.isnan(seen["d"].maximum)
    assert {stats.values for stats in seen.values()} == {3}
    assert {name: stats.nulls for name, stats in seen.items() if stats.nulls != 1} == {"none": 3}
    assert all(stats.size and stats.raw_size for stats in seen.values())


def test_a_base_file_is_opened_once(tmp_path, monkeypatch):
    pq.write_table(COLUMNS, tmp_path / "a.parquet")
    opened_files = []
    monkeypatch.setattr(
        LocalStorage, "open_input", lambda storage, path: opened_files.append(path) or pa.OSFile(str(tmp_path / path))
    )
    assert file_ranges(storage_for(tmp_path), "a.parquet", IndexedColumns(2, NAMES), None)
    assert opened_files == ["a.parquet"]


@pytest.mark.parametrize("version", [1, 2])
def test_stored_ranges_are_those_that_were_written(tmp_path, schemas, version):
    rows = COLUMNS.drop_columns(["d", "none"])
    pq.write_table(rows, tmp_path / "a.parquet")
    found = file_ranges(storage_for(tmp_path), "a.parquet", IndexedColumns(version, NAMES), None)
    assert len(found) > 12 - version
    for schema in schemas[: 3 if version == 1 else 1]:
        encoder = RangeRecords(schema, 3)
        for item in found:
            cells = [
                pa.array([value], pa.large_binary()) for value in (b"k", encoder.encode("a", item, is_tight=False))
            ]
            [(_, record)] = decoded_records(Layer("test", "a", Cells(*cells), schema), "ColumnStatsMetadata")
            assert stored_range(record) == item


def test_stored_times_of_version_1_are_microseconds():
    bound = ("org.apache.hudi.avro.model.TimeMicrosWrapper", {"value": time(1, 2, 3, 4)})
    numbers = dict.fromkeys(("valueCount", "nullCount", "totalSize", "totalUncompressedSize"), 0)
    found = stored_range({"columnName": "c", "minValue": bound, "maxValue": bound, "valueType": None, **numbers})
    assert found.bounds == (3723000004, 3723000004)


def test_version_1_has_decimals_of_one_precision_and_timestamps_as_numbers(tmp_path, schemas):
    pq.write_table(COLUMNS, tmp_path / "a.parquet")
    found = file_ranges(storage_for(tmp_path), "a.parquet", IndexedColumns(1, NAMES), None)
    for schema in schemas:
        seen = read_back(found, schema)
        assert "wide" not in seen
        assert (seen["dec"].minimum, seen["dec"].maximum) == BOUNDS["dec"]
        assert (seen["day"].minimum, seen["day"].maximum) == BOUNDS["day"]
        assert seen["local"].maximum == 1704067200000000


@pytest.mark.parametrize("encode", [avro_data_block, parquet_data_block])
def test_logs_have_the_bounds_of_the_records_of_an_instant(tmp_path, schemas, encode):
    rows = COLUMNS.drop_columns(["list", "byte", "clock", "local"])
    schema = to_avro(rows.schema, "t")
    blocks = [
        encode("1", rows.slice(1), schema),
        encode("2", rows.slice(0, 2), schema),
        encode("2", rows.slice(2), schema),
    ]
    (tmp_path / ".a_1.log.1_0-0-0").write_bytes(b"".join(blocks))
    columns = IndexedColumns(2, NAMES)
    found = file_ranges(storage_for(tmp_path), ".a_1.log.1_0-0-0", columns, "2")
    seen = read_back(found, schemas[0])
    expected = {name: bounds for name, bounds in BOUNDS.items() if name in (*rows.column_names, "address.city")}
    assert {name: (stats.minimum, stats.maximum) for name, stats in seen.items() if name != "d"} == expected
    assert {(stats.values, stats.size, stats.raw_size) for stats in seen.values()} == {(3, 0, 0)}
    first = {item.column: item for item in file_ranges(storage_for(tmp_path), ".a_1.log.1_0-0-0", columns, "1")}
    assert first["small"].bounds == (400, 400)
    assert first["small"].values == 2


def test_a_log_of_deletes_has_statistics_without_values(tmp_path):
    schema = to_avro(COLUMNS.select(["s", "big"]).schema, "t")
    block = delete_block("1", pa.array(["k"]), pa.array([""]), [], schema)
    (tmp_path / ".a_1.log.1_0-0-0").write_bytes(block)
    found = file_ranges(storage_for(tmp_path), ".a_1.log.1_0-0-0", IndexedColumns(2, ("s", "big")), "1")
    assert [(item.column, item.bounds, item.values, item.type.ordinal) for item in found] == [
        ("s", None, 0, 1),
        ("big", None, 0, 1),
    ]


def test_a_log_of_deletes_may_have_the_schema_of_the_deletes(tmp_path):
    """A log of the crate hudi-core, whose header has only the schema of deletes, has statistics without values."""
    block = delete_block("1", pa.array(["k"]), pa.array([""]), [], json.dumps(DELETES))
    (tmp_path / ".a_1.log.1_0-0-0").write_bytes(block)
    storage = storage_for(tmp_path)
    found = file_ranges(storage, ".a_1.log.1_0-0-0", IndexedColumns(2, ("s", "big")), "1")
    assert [(item.column, item.bounds, item.values) for item in found] == [("s", None, 0), ("big", None, 0)]
    assert file_ranges(storage, ".a_1.log.1_0-0-0", IndexedColumns(2, None), "1") == []


def test_partial_records_have_no_statistics(tmp_path):
    rows = COLUMNS.select(["s"])
    block = avro_data_block("1", rows, to_avro(rows.schema, "t"), is_partial=True)
    (tmp_path / ".a_1.log.1_0-0-0").write_bytes(block)
    storage, columns = storage_for(tmp_path), IndexedColumns(2, ("s",))
    assert file_ranges(storage, ".a_1.log.1_0-0-0", columns, "1", without_partial=True) == []
    assert [item.bounds for item in file_ranges(storage, ".a_1.log.1_0-0-0", columns, "1")] == [("z", "é")]


def test_ranges_of_widened_columns_are_combined():
    def of(type_, bounds, version=2):
        return ColumnRange("c", stored_type(type_, version), bounds, 2, 1, 10, 20)

    whole = combined([of(pa.int32(), (1, 5)), of(pa.int64(), (3, 1 << 40)), of(pa.int64(), None)])
    assert (whole.type.wrapper, whole.bounds, whole.values, whole.nulls) == ("LongWrapper", (1, 1 << 40), 6, 3)
    assert combined([of(pa.int32(), (1, 5)), of(pa.float64(), (0.5, 2.0))]).bounds == (0.5, 5.0)
    tenths, hundredths = of(pa.decimal128(5, 1), (12, 15)), of(pa.decimal128(6, 2), (100, 140))
    assert combined([tenths, hundredths]).bounds == (100, 150)
    assert math.isnan(combined([of(pa.float64(), (1.0, math.nan)), of(pa.float64(), (0.0, 9.0))]).bounds[1])
    with pytest.raises(SchemaError, match=r"column 'c' has statistics of the types LongWrapper and StringWrapper"):
        combined([of(pa.int64(), (1, 5)), of(pa.string(), ("a", "b"))])


SCHEMA = pa.schema(
    [("_hoodie_record_key", pa.string()), *((f"c{n}", pa.int32()) for n in range(40)), ("raw", pa.binary())]
)


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        # the first columns: Hudi adds those that the table gets later
        (("_hoodie_record_key", "c0", "c1"), ["_hoodie_record_key", *(f"c{n}" for n in range(32))]),
        # a choice of the user
        (("_hoodie_record_key", "c1", "c0", "gone"), ["_hoodie_record_key", "c1", "c0"]),
        (None, ["_hoodie_record_key", *(f"c{n}" for n in range(40)), "raw"]),
    ],
)
def test_columns_follow_the_definition_of_the_index(names, expected):
    assert IndexedColumns(2, names).of(SCHEMA) == expected


def test_columns_without_statistics_stay_without_them(real_table):
    """If the index has no definition, a column of which an indexed file lacks statistics is left out."""
    root = real_table("cow6")
    properties = root / ".hoodie/hoodie.properties"
    lines = [line for line in properties.read_text().splitlines() if "index.defs" not in line]
    properties.write_text("\n".join(lines) + "\n")
    table = opened(root)
    change = next(commits(table, "column_stats"))[0]
    columns = IndexedColumns.load(table.metadata, change)
    assert (columns.version, columns.names) == (1, None)
    # Hudi has no statistics of these two meta columns and of nested columns
    assert {"_hoodie_commit_seqno", "_hoodie_file_name"} <= columns.without
    assert not columns.without & {"id", "v", "raw", "_hoodie_record_key"}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{", "is not a JSON document"),
        ("[]", "is not a JSON object"),
        ('{"indexDefinitions": []}', "has a member 'indexDefinitions' that is not an object"),
        ('{"indexDefinitions": {"column_stats": 1}}', "has a member 'indexDefinitions' that is not an object"),
    ],
)
def test_damaged_definitions_are_an_error(text, problem, real_table):
    root = real_table("cow9-bloom")
    (root / ".hoodie/.index_defs/index.json").write_text(text)
    table = opened(root)
    change = next(commits(table, "column_stats"))[0]
    with pytest.raises(CorruptTableError, match=rf"'\.hoodie/\.index_defs/index\.json' {problem}"):
        records(table.metadata, change)


@pytest.mark.parametrize(
    ("properties", "kind"),
    [
        ({"hoodie.table.type": "COPY_ON_WRITE", "hoodoo.merger": "x"}, MergeKind.WHOLE),
        ({"hoodie.table.version": "9", "hoodie.record.merge.mode": "EVENT_TIME_ORDERING"}, MergeKind.WHOLE),
        ({"hoodie.table.version": "8", "hoodie.record.merge.mode": "CUSTOM"}, MergeKind.UNKNOWN),
        (
            {
                "hoodie.table.version": "9",
                "hoodie.record.merge.mode": "EVENT_TIME_ORDERING",
                "hoodie.table.partial.update.mode": "IGNORE_DEFAULTS",
            },
            MergeKind.CHOSEN,
        ),
        ({"hoodie.table.version": "6"}, MergeKind.WHOLE),
        (
            {"hoodie.table.version": "6", "hoodie.compaction.payload.class": "a.PartialUpdateAvroPayload"},
            MergeKind.CHOSEN,
        ),
        ({"hoodie.table.version": "6", "hoodie.compaction.payload.class": "a.Own"}, MergeKind.UNKNOWN),
        ({"hoodie.table.version": "6", "hoodoo.payload": "own"}, MergeKind.UNKNOWN),
        (
            {"hoodoo.merger": "own", "hoodie.compaction.payload.class": "a.DefaultHoodieRecordPayload"},
            MergeKind.WHOLE,
        ),
        ({"hoodoo.merger": "own", "hoodie.compaction.payload.class": "hoodoo.merger.own"}, MergeKind.UNKNOWN),
    ],
)
def test_origin_of_merged_values(properties, kind):
    assert merge_kind(TableProperties({"hoodie.table.type": "MERGE_ON_READ", **properties})) is kind


@pytest.mark.parametrize("location", ["", "memory://tables/t"])
def test_threads_return_results_in_order_and_raise_errors(tmp_path, location):
    storage = storage_for(location or tmp_path)
    assert in_threads(lambda item: item * 2, range(40), storage) == list(range(0, 80, 2))
    with pytest.raises(ZeroDivisionError):
        in_threads(lambda item: 1 // item, [1, 0], storage)


def test_more_threads_than_processors_read_from_remote_stores_only(tmp_path, monkeypatch):
    monkeypatch.setattr("os.cpu_count", lambda: 3)
    together = threading.Barrier(16)
    assert sorted(in_threads(lambda _: together.wait(60), range(16), storage_for("memory://tables/t"))) == [*range(16)]
    assert len(set(in_threads(lambda _: threading.get_ident(), range(100), storage_for(tmp_path)))) <= 3
