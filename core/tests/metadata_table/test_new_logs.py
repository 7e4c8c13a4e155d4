"""Logs of new records: their places, their names in both layouts, and their content."""

from __future__ import annotations

import pyarrow as pa

from hoodoo.filegroup import LogFile
from hoodoo.metadata_table.first_log import first_log
from hoodoo.metadata_table.maintenance.log_files import Slices, new_logs
from hoodoo.metadata_table.maintenance.record_schema import encoded_records
from hoodoo.metadata_table.maintenance.table_change import RecordChange
from hoodoo.metadata_table.record_groups import group_of, new_group
from hoodoo.metadata_table.shards import Shard
from hoodoo.storage import FileInfo

from .made import SCHEMA, Made, base_file, location, time


def shard(number, *logs, base="", group=""):
    info = FileInfo(f"p/record-index-{number:04}-0_0-0-0_{base}.hfile", 1, 0) if base else None
    own = tuple(
        LogFile(f"p/.record-index-{number:04}-0_{slice_}.log.{v}_1-1-1", 1, slice_, v, "") for slice_, v in logs
    )
    return Shard(f"record-index-{number:04}-0", group, number, info, base, own)


def change(keys, deleted=()):
    records = [{"type": 5, "SecondaryIndexMetadata": {"isDeleted": False}} for _ in keys]
    return RecordChange(
        pa.array([key.encode() for key in keys], pa.large_binary()),
        encoded_records(SCHEMA, records),
        pa.array([key.encode() for key in deleted], pa.large_binary()),
    )


def logs_of(shards, records, slices):
    return {log.path: log for log in new_logs("record_index", shards, records, SCHEMA, slices)}


def test_a_log_of_layout_2_is_named_by_its_commit():
    written = logs_of([shard(0, base=time(0))], change(["b", "a"]), Slices(time(3), 2, {}))
    [(path, log)] = written.items()
    assert path == f"record_index/.record-index-0000-0_{time(3)}.log.1_0-0-0"
    assert (log.stat.prev_commit, log.stat.base_file, log.stat.num_writes) == (time(3), "", 2)
    assert log.stat.log_files == (path.rpartition("/")[2],)
    assert log.stat.file_size_in_bytes == len(log.body)


def test_a_log_of_layout_1_is_the_next_one_of_the_newest_slice():
    old, new = (time(0), 7), (time(2), 3)
    slices = Slices(time(9), 1, {})
    [path] = logs_of([shard(0, old, new, base=time(2))], change(["a"]), slices)
    assert path.endswith(f"-0_{time(2)}.log.4_0-0-0")
    [path] = logs_of([shard(0, old, new, base=time(1))], change(["a"]), slices)
    assert path.endswith(f"-0_{time(2)}.log.4_0-0-0")
    # a compaction that has not been completed began the slice
    pending = Slices(time(9), 1, {("record_index", "record-index-0000-0"): time(5)})
    [path] = logs_of([shard(0, old, new, base=time(2))], change(["a"]), pending)
    assert path.endswith(f"-0_{time(5)}.log.1_0-0-0")


def test_keys_go_to_the_shards_in_which_readers_look_for_them(tmp_path):
    made = Made(tmp_path, partitions="files,record_index")
    made.write("record_index", f"record-index-0000-0_0-0-0_{time(0)}.hfile", base_file({}))
    made.commit(time(0), time(1))
    for number in range(1, 4):
        made.write("record_index", f"record-index-{number:04}-0_0-0-0_{time(0)}.hfile", base_file({}))
    keys = [f"k{n}" for n in range(50)]
    records = [location("x", f"file-{key}") for key in keys]
    given = RecordChange(pa.array([k.encode() for k in keys], pa.large_binary()), encoded_records(SCHEMA, records))
    written = list(new_logs("record_index", made.open().shards("record_index"), given, SCHEMA, Slices(time(1), 2, {})))
    assert len(written) == 4
    for log in written:
        made.write("record_index", log.path.rpartition("/")[2], log.body)
    found = made.open().record_locations(keys).to_pylist()
    assert {row["key"]: row["file_id"] for row in found} == {key: f"file-{key}" for key in keys}

    gone = RecordChange(*[pa.array([], pa.large_binary())] * 2, pa.array([b"k1", b"k2"], pa.large_binary()))
    made.commit(time(2))
    for log in new_logs("record_index", made.open().shards("record_index"), gone, SCHEMA, Slices(time(2), 2, {})):
        assert log.stat.num_deletes >= 1
        made.write("record_index", log.path.rpartition("/")[2], log.body)
    assert {row["key"] for row in made.open().record_locations(keys).to_pylist()} == {*keys} - {"k1", "k2"}


def test_a_new_group_has_a_log_for_each_shard(tmp_path):
    """Each shard of a new group gets a log, because readers find the number of shards by the files."""
    made = Made(tmp_path, 9, "files,record_index")
    made.commit(time(1))
    keys = ["k1", "k4"]
    values = encoded_records(SCHEMA, [location("a-b", "f") for _ in keys])
    given = RecordChange(pa.array([k.encode() for k in keys], pa.large_binary()), values)
    group = group_of("a-b")
    written = list(new_logs("record_index", new_group(group, 3), given, SCHEMA, Slices(time(1), 2, {})))
    assert [log.path for log in written] == [
        f"record_index/.record-index-a%2Db-{number:04}-0_{time(1)}.log.1_0-0-0" for number in range(3)
    ]
    for log in written:
        made.write("record_index", log.path.rpartition("/")[2], log.body)
    table = made.open()
    assert [(shard.group, shard.number) for shard in table.shards("record_index")] == [(group, n) for n in range(3)]
    assert sorted(row["key"] for row in table.record_locations().to_pylist()) == keys


def test_no_records_are_no_log():
    assert logs_of([shard(0, base=time(0))], change([]), Slices(time(1), 2, {})) == {}


def test_blocks_of_deletes_end_with_the_deletes():
    """The reader of the crate hudi-core reads the footer directly after the deletes, so no checksum may be there."""
    for body in (first_log(time(3)), *bodies_of_deletes()):
        count = int.from_bytes(body[22:26], "big")
        start = 26
        for _ in range(count):
            start += 8 + int.from_bytes(body[start + 4 : start + 8], "big")
        length = int.from_bytes(body[start : start + 8], "big")
        content = body[start + 8 : start + 8 + length]
        assert int.from_bytes(content[4:8], "big") == len(content) - 8


def bodies_of_deletes():
    """Return the bodies of logs that have deletes only."""
    slices = Slices(time(3), 2, {})
    return [log.body for log in logs_of([shard(0, base=time(0))], change([], ["a", "b"]), slices).values()]
