"""Record index: the records that Hudi wrote for its commits, and all ways in which a commit changes keys."""

from __future__ import annotations

from datetime import UTC, datetime

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from attrs import evolve

from hoodoo.errors import UnsupportedTable
from hoodoo.filegroup.located_log import LocatedLog
from hoodoo.format.hfile import Cells
from hoodoo.format.log.block_writer import avro_data_block, delete_block
from hoodoo.metadata_table import MetadataTable
from hoodoo.metadata_table.content.record_locations import record_locations
from hoodoo.metadata_table.layers import Layer
from hoodoo.metadata_table.maintenance.record_index_records import (
    location_datum,
    records,
    records_by_partition,
)
from hoodoo.metadata_table.maintenance.record_schema import record_schema
from hoodoo.metadata_table.maintenance.table_change import TableChange
from hoodoo.properties import METADATA_TABLE_FOLDER, TableProperties
from hoodoo.schema.avro_encode import to_avro
from hoodoo.storage import storage_for
from hoodoo.timeline import Timeline, WriteStat

from .hudi_commits import SHARED, as_mapping, before, commits, decoded, opened

OLD, NEW = "20260101000000001", "20260101000000002"
UUID = "01234567-89ab-cdef-8123-456789abcdef-3"
OTHER = "fedcba98-7654-4321-8123-456789abcdef-0"
GONE_BEFORE = {"sample_table_mor_avro__v9_txns_complex_meta": 1}
"""Number of keys that Hudi deletes again: an earlier commit deleted them from the replaced file group."""


@pytest.mark.parametrize("name", SHARED)
def test_records_of_hudi(real_table, name):
    table = opened(real_table(name))
    compared, again = 0, 0
    for change, operation, theirs in commits(table, "record_index"):
        earlier = before(table, change.instant)
        if earlier is None:
            continue
        found = records(earlier.metadata, change)
        mine, deleted = as_mapping(found), set(found.deleted.to_pylist())
        assert mine.keys() == theirs.records.keys()
        schema = record_schema(earlier.metadata)
        offsets = set()
        for key, (value, stored_schema) in theirs.records.items():
            one, other = decoded(mine[key], schema), decoded(value, stored_schema)
            offsets.add(one["recordIndexMetadata"].pop("instantTime") - other["recordIndexMetadata"].pop("instantTime"))
            assert one == other
            assert mine[key] == value or offsets != {0}
        # a writer in another time zone: the tables do not have the zone
        assert len(offsets) <= 1
        assert all(offset % 900_000 == 0 for offset in offsets)
        assert deleted <= theirs.deleted
        assert len(theirs.deleted) == len(deleted) or operation == "INSERT_OVERWRITE"
        again += len(theirs.deleted) - len(deleted)
        compared += len(mine) + len(deleted)
    assert compared
    assert again == GONE_BEFORE.get(name, 0)


@pytest.fixture(scope="module")
def schemas(real_table):
    """Return the schemas of metadata records in tables by three releases of Hudi."""
    tables = (opened(real_table(name)) for name in ("mor9-avro", "mor8-archived-by-1.0.2", "mor6-by-0.15.0"))
    return [record_schema(table.metadata) for table in tables if table is not None]


@pytest.mark.parametrize("file_id", [UUID, OTHER, UUID[:36], "bucket-7", UUID.upper(), UUID[:-1] + "00"])
def test_the_reader_finds_the_written_location(schemas, file_id):
    for schema in schemas:
        value = location_datum(schema, ("a=1/b=2", file_id), 1_700_000_000_123)
        cells = Cells(pa.array([b"k", b"m"], pa.large_binary()), pa.array([value, value], pa.large_binary()))
        found = record_locations([Layer("test", "a", cells, schema)])
        assert found.column("key").to_pylist() == ["k", "m"]
        assert set(found.column("partition").to_pylist()) == {"a=1/b=2"}
        assert set(found.column("file_id").to_pylist()) == {file_id}
        assert found.column("instant")[0].as_py() == datetime(2023, 11, 14, 22, 13, 20, 123000, tzinfo=UTC)


class Index:
    """Table without instants; its metadata table has the files in `known`, and the file groups of keys in `stored`."""

    def __init__(self, folder, schema, *, version="9", **properties):
        self.storage = storage_for(folder)
        self.folder = folder
        self.schema = schema
        self.known = {}
        entries = {"hoodie.table.version": version, "hoodie.table.type": "MERGE_ON_READ", **properties}
        entries.setdefault("hoodie.timeline.layout.version", "2")
        entries.setdefault("hoodie.record.merge.mode", "COMMIT_TIME_ORDERING")
        self.table = TableProperties(entries)
        (folder / METADATA_TABLE_FOLDER).mkdir(parents=True, exist_ok=True)
        self.timeline = Timeline.load(self.storage, 2, ".hoodie/timeline", ".hoodie/archived", is_local=False)
        self.stored = {}

    def base(self, file_id, instant, keys, partition="p"):
        path = f"{partition}/{file_id}_0-0-0_{instant}.parquet"
        (self.folder / partition).mkdir(exist_ok=True)
        pq.write_table(pa.table({"_hoodie_record_key": pa.array(keys, pa.string())}), self.folder / path)
        self.known.setdefault(partition, {})[path.rpartition("/")[2]] = 1
        return path

    def log(self, file_id, instant, *blocks, partition="p"):
        path = f"{partition}/.{file_id}_{instant}.log.1_0-0-0"
        (self.folder / partition).mkdir(exist_ok=True)
        (self.folder / path).write_bytes(b"".join(blocks))
        self.known.setdefault(partition, {})[path.rpartition("/")[2]] = 1
        return path

    def change(self, *stats, replaced=None):
        written = {stat.path for stat in stats}
        self.known = {
            p: {n: s for n, s in files.items() if f"{p}/{n}" not in written} for p, files in self.known.items()
        }
        return TableChange(NEW, stats=stats, replaced=replaced or {})

    def run(self, change, present=None, function=records, exact_counts=False):
        index = self

        class Known(MetadataTable):
            def files_of(self, partitions):
                return {p: index.known[p] for p in partitions if p in index.known}

            def record_locations(self, keys=None):
                rows = [
                    {"key": key, "partition": place[0], "file_id": place[1], "instant": None}
                    for key, place in index.stored.items()
                    if keys is None or key.encode() in keys.to_pylist()
                ]
                from hoodoo.metadata_table.content.record_locations import LOCATIONS

                return pa.Table.from_pylist(rows, LOCATIONS)

        metadata = Known(self.storage, self.table, self.timeline, self.timeline)
        return function(metadata, evolve(change, present=present, exact_counts=exact_counts))


@pytest.fixture
def index(tmp_path, schemas, monkeypatch):
    module = "hoodoo.metadata_table.maintenance.record_index_records.record_schema"
    monkeypatch.setattr(module, lambda metadata: schemas[0])
    return Index(tmp_path, schemas[0])


def stat(path, previous="null", partition="p"):
    name = path.rpartition("/")[2].removeprefix(".")
    return WriteStat(name.partition("_")[0], path, partition, previous)


def found(change):
    return sorted(change.keys.to_pylist()), sorted(change.deleted.to_pylist())


def block(instant, *keys, flag=None):
    rows = pa.table({"_hoodie_record_key": pa.array(keys, pa.string())})
    if flag is not None:
        rows = rows.append_column("_hoodie_is_deleted", pa.array(flag, pa.bool_()))
    return avro_data_block(instant, rows, to_avro(rows.schema, "t"))


def deletes(instant, *keys):
    schema = to_avro(pa.schema([("_hoodie_record_key", pa.string())]), "t")
    return delete_block(instant, pa.array(keys), pa.array(["p"] * len(keys)), [], schema)


def test_a_new_file_adds_its_keys(index):
    change = index.change(stat(index.base(UUID, NEW, ["b", "a"])))
    assert found(index.run(change)) == ([b"a", b"b"], [])


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        (["a", "b", "c"], ([], [])),
        (["a", "b", "c", "x"], ([b"x"], [])),
        (["x", "c", "a"], ([b"x"], [b"b"])),
        ([], ([], [b"a", b"b", b"c"])),
    ],
)
def test_a_base_file_is_compared_with_the_one_before(index, keys, expected):
    index.base(UUID, OLD, ["a", "b", "c"])
    change = index.change(stat(index.base(UUID, NEW, keys), OLD))
    assert found(index.run(change)) == expected


def test_a_moved_key_is_added(index):
    """In an index of the whole table, a key that leaves a file group and arrives in another one is not deleted."""
    index.base(UUID, OLD, ["a", "b"])
    change = index.change(
        stat(index.base(UUID, NEW, ["b"]), OLD), stat(index.base(OTHER, NEW, ["a"], "q"), "null", "q")
    )
    moved = index.run(change)
    assert found(moved) == ([b"a"], [])
    # in a partitioned index each partition has separate keys
    parts = index.run(change, function=records_by_partition)
    assert {partition: found(part) for partition, part in parts.items()} == {"p": ([], [b"a"]), "q": ([b"a"], [])}


def test_replaced_file_groups_lose_their_keys(index):
    index.base(UUID, OLD, ["a", "b"])
    change = index.change(stat(index.base(OTHER, NEW, ["b", "c"])), replaced={"p": (UUID,)})
    assert found(index.run(change)) == ([b"b", b"c"], [b"a"])


def test_replaced_file_groups_lose_only_keys_that_the_index_has_there(index):
    index.base(UUID, OLD, ["a", "b"])
    index.log(UUID, OLD + "1", deletes(OLD, "a"), block(OLD, "n"))
    index.stored = {"a": ("q", OTHER), "b": ("p", UUID), "n": ("p", UUID)}
    assert found(index.run(index.change(replaced={"p": (UUID,)}))) == ([], [b"b", b"n"])


def test_a_log_adds_new_keys_and_removes_deleted_ones(index):
    index.base(UUID, OLD, ["a", "b", "c"])
    path = index.log(UUID, NEW, block(OLD, "other"), block(NEW, "a", "n"), deletes(NEW, "b", "elsewhere"))
    index.stored = {"a": ("p", UUID), "b": ("p", UUID), "elsewhere": ("q", OTHER)}
    assert found(index.run(index.change(stat(path, OLD)))) == ([b"n"], [b"b"])


def test_the_last_record_of_a_key_in_a_log_decides(index):
    path = index.log(UUID, NEW, deletes(NEW, "a", "b"), block(NEW, "a"), block(NEW, "c", "b", flag=[True, None]))
    index.stored = dict.fromkeys("abc", ("p", UUID))
    assert found(index.run(index.change(stat(path)))) == ([b"a", b"b"], [b"c"])


def test_a_marked_record_is_a_delete(tmp_path, index):
    index.table = TableProperties(
        {**index.table, "hoodie.payload.delete.field": "op", "hoodie.payload.delete.marker": "D"}
    )
    rows = pa.table({"_hoodie_record_key": ["a", "b"], "op": ["D", "U"]})
    path = index.log(UUID, NEW, avro_data_block(NEW, rows, to_avro(rows.schema, "t")))
    index.stored = {"a": ("p", UUID)}
    assert found(index.run(index.change(stat(path)))) == ([b"b"], [b"a"])


def test_a_slice_with_logs_is_merged_by_the_caller(index):
    """The caller finds the keys of a slice with logs: an earlier delete may win, or the rule may keep a deleted row."""
    index.base(UUID, OLD, ["a", "b"])
    index.log(UUID, OLD, deletes(OLD, "a"))
    path = index.log(UUID, NEW, block(NEW, "a", "n"), deletes(NEW, "b"))
    index.stored = {"b": ("p", UUID)}
    asked = []

    def present(partition, file_id, keys):
        asked.append((partition, file_id, sorted(keys.to_pylist())))
        return pa.array([b"b", b"n"], pa.large_binary())

    change = index.change(stat(path, OLD))
    assert found(index.run(change, present)) == ([b"b", b"n"], [])
    assert asked == [("p", UUID, [b"a", b"b", b"n"])]
    assert found(index.run(change)) == ([b"a", b"n"], [b"b"])


def test_the_caller_is_not_asked_where_a_log_decides(index):
    index.base(UUID, OLD, ["a"])
    path = index.log(UUID, NEW, block(NEW, "a", "n"))
    assert found(index.run(index.change(stat(path, OLD)), present=None)) == ([b"n"], [])
    assert found(index.run(index.change(stat(path, OLD)), present=lambda *_: 1 / 0)) == ([b"n"], [])


def test_earlier_logs_without_deletes_need_no_merge(index):
    index.base(UUID, OLD, ["a", "b"])
    index.log(UUID, OLD, block(OLD, "a", "n"))
    path = index.log(UUID, NEW, block(NEW, "a", "n", "x"))
    assert found(index.run(index.change(stat(path, OLD)), present=lambda *_: 1 / 0)) == ([b"n", b"x"], [])


def test_a_log_whose_keys_were_found_is_not_read(index):
    base = index.base(UUID, OLD, ["a"]).rpartition("/")[2]
    path = index.log(UUID, NEW, block(NEW, "read", "a"))
    change = index.change(stat(path, OLD))

    def added(name, deletes=False):
        return found(index.run(evolve(change, located={path: LocatedLog(name, deletes)})))

    assert added(base) == ([], [])
    assert added(None) == ([], [])
    # a compaction or a delete since the look-up
    assert added("another.parquet") == ([b"read"], [])
    index.log(UUID, OLD, deletes(OLD, "a"))
    assert added(base) == ([b"a", b"read"], [])
    assert added(None) == ([], [])


def test_only_the_deletes_of_a_log_whose_keys_were_found_are_read(index):
    base = index.base(UUID, OLD, ["a", "b"]).rpartition("/")[2]
    path = index.log(UUID, NEW, block(NEW, "a", "read"), deletes(NEW, "b"))
    index.stored = {"a": ("p", UUID), "b": ("p", UUID)}
    for name in (base, None):
        change = evolve(index.change(stat(path, OLD)), located={path: LocatedLog(name, True)})
        assert found(index.run(change, present=lambda *_: 1 / 0)) == ([], [b"b"])
    # the record index had the key: it is not read again
    index.stored = {}
    assert found(index.run(change, present=lambda *_: 1 / 0)) == ([], [b"b"])


def test_a_log_of_a_rule_that_may_compute_values_is_merged(index):
    properties = {"hoodie.record.merge.mode": "CUSTOM", "hoodie.compaction.payload.class": "a.Own"}
    index.table = TableProperties({**index.table, **properties})
    base = index.base(UUID, OLD, ["a"]).rpartition("/")[2]
    path = index.log(UUID, NEW, block(NEW, "a", "n"))
    change = evolve(index.change(stat(path, OLD)), located={path: LocatedLog(base, False)})
    assert found(index.run(change, present=lambda *_: pa.array([b"n"], pa.large_binary()))) == ([b"n"], [])


def test_a_compaction_changes_no_key(index):
    index.base(UUID, OLD, ["a", "b"])
    index.log(UUID, OLD, deletes(OLD, "a"), block(OLD, "n"))
    change = index.change(stat(index.base(UUID, NEW, ["b", "n"]), OLD))
    assert found(index.run(change)) == ([], [])


@pytest.mark.parametrize(
    ("exact", "counts", "keys", "expected"),
    [
        # the file is not read
        (True, {"num_update_writes": 2}, ["x", "y"], ([], [])),
        (False, {"num_update_writes": 2}, ["x", "y"], ([b"x", b"y"], [b"a", b"b"])),
        (True, {"num_inserts": 1, "num_deletes": 1}, ["x", "b"], ([b"x"], [b"a"])),
        # the number of rows contradicts the counts
        (True, {}, ["a", "b", "c"], ([b"c"], [])),
    ],
)
def test_counts_of_write_stats_spare_the_reading(index, exact, counts, keys, expected):
    index.base(UUID, OLD, ["a", "b"])
    change = index.change(evolve(stat(index.base(UUID, NEW, keys), OLD), num_writes=len(keys), **counts))
    assert found(index.run(change, exact_counts=exact)) == expected


def test_rows_without_meta_columns_are_refused(index):
    index.table = TableProperties({**index.table, "hoodie.populate.meta.fields": "false"})
    with pytest.raises(UnsupportedTable, match="has a record index, and its rows have no meta columns"):
        index.run(index.change(stat(index.base(UUID, NEW, ["a"]))))
