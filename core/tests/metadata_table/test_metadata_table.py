"""Metadata tables made of given blocks: the versions of each key are merged by the rules of Hudi."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from hoodoo.errors import CorruptTableError, UnsupportedTable
from hoodoo.format.bloom.bloom_filter import BloomFilter
from hoodoo.format.bloom.filter_size import BloomShape
from hoodoo.metadata_table.content.hashed_keys import bloom_key, stats_key
from hoodoo.metadata_table.shards import shard_of_keys

from .made import Made, base_file, data, deletes, files, location, rollback, secondary, stats, time

ALL = "__all_partitions__"


def base(partition_files, **partitions):
    return base_file({ALL: files(**dict.fromkeys(partitions or {"p": 0}, 0)), **partition_files})


@pytest.fixture
def made(tmp_path):
    return Made(tmp_path)


def test_a_table_without_a_metadata_table(tmp_path):
    made = Made(tmp_path)
    (made.folder / ".hoodie/hoodie.properties").unlink()
    assert made.open() is None


@pytest.mark.parametrize("version", [6, 9])
def test_additions_and_deletions_of_files(tmp_path, version):
    made = Made(tmp_path, version)
    made.commit(time(0), time(1), time(2))
    made.write("files", f"files-0000-0_0-0-0_{time(0)}.hfile", base({"p": files(a=1, b=2, c=3)}))
    one, two = data(time(1), {"p": files(b=None, d=4, c=30, e=None)}), data(time(2), {"p": files(c=5, e=6, f=None)})
    if version == 6:
        made.write("files", f".files-0000-0_{time(0)}.log.1_0-0-0", one, two)
    else:
        made.write("files", f".files-0000-0_{time(1)}.log.1_0-0-0", one)
        made.write("files", f".files-0000-0_{time(2)}.log.1_0-0-0", two)
    table = made.open()
    # the size of a file only grows
    assert table.files() == {"p": {"a": 1, "c": 30, "d": 4, "e": 6}}
    assert table.files_of(["p", "q"]) == table.files()
    assert table.partition_paths() == ["p"]


def test_a_table_without_partitions_and_a_removed_partition(made):
    made.commit(time(0), time(1))
    made.write(
        "files", f"files-0000-0_0-0-0_{time(0)}.hfile", base_file({ALL: files(**{".": 0, "x": 0}), ".": files(a=1)})
    )
    made.write("files", f".files-0000-0_{time(1)}.log.1_0-0-0", data(time(1), {ALL: files(x=None)}))
    table = made.open()
    assert table.files() == {"": {"a": 1}}
    assert table.files_of([""]) == {"": {"a": 1}}
    assert table.partition_paths() == [""]


def test_a_commit_that_the_table_does_not_have_yet(made):
    """Records of an instant count only once the table has a completed commit of the same time."""
    made.commit(time(0))
    made.begin(time(1))
    made.write("files", f"files-0000-0_0-0-0_{time(0)}.hfile", base({"p": files(a=1)}))
    made.write("files", f".files-0000-0_{time(1)}.log.1_0-0-0", data(time(1), {"p": files(b=1)}))
    # it began after the timeline of the table was loaded
    before = made.open()
    assert before.files() == {"p": {"a": 1}}
    made.pending(time(1))
    assert made.open().files() == {"p": {"a": 1}}
    made.commit(time(1))
    assert made.open().files() == {"p": {"a": 1, "b": 1}}


def test_a_commit_that_the_metadata_table_did_not_complete(made):
    made.commit(time(0))
    made.write("files", f"files-0000-0_0-0-0_{time(0)}.hfile", base({"p": files(a=1)}))
    made.write("files", f".files-0000-0_{time(1)}.log.1_0-0-0", data(time(1), {"p": files(b=1)}))
    made.write("files", f"files-0000-0_0-0-0_{time(2)}.hfile", b"not complete")
    assert made.open().files() == {"p": {"a": 1}}


def test_a_rollback_revokes_earlier_blocks_only(tmp_path):
    """A later block of the instant is valid; in layout 1 a repeated compaction of the table has the same instant."""
    made = Made(tmp_path, 6)
    made.commit(time(0), time(1), time(2))
    made.write("files", f"files-0000-0_0-0-0_{time(0)}.hfile", base({"p": files(a=1)}))
    blocks = [
        data(time(1), {"p": files(wrong=1)}),
        rollback(time(3), time(1)),
        data(time(1), {"p": files(right=1)}),
        data(time(9), {"p": files(never=1)}),
    ]
    made.write("files", f".files-0000-0_{time(0)}.log.1_0-0-0", *blocks)
    assert made.open().files() == {"p": {"a": 1, "right": 1}}


def test_logs_before_a_compaction_are_in_the_base_file(made):
    made.commit(time(0), time(1), time(3))
    made.commit(time(2), action="commit")
    made.write("files", f"files-0000-0_0-0-0_{time(0)}.hfile", base({"p": files(a=1)}))
    made.write("files", f".files-0000-0_{time(1)}.log.1_0-0-0", data(time(1), {"p": files(a=None)}))
    made.write("files", f"files-0000-0_0-0-0_{time(2)}.hfile", base({"p": files(b=1)}))
    made.write("files", f".files-0000-0_{time(3)}.log.1_0-0-0", data(time(3), {"p": files(c=1)}))
    table = made.open()
    assert table.files() == {"p": {"b": 1, "c": 1}}
    [shard] = table.shards("files")
    assert (shard.base_instant, len(shard.logs)) == (time(2), 1)


def test_files_of_a_partition_that_is_not_listed(made):
    made.commit(time(0))
    made.write("files", f"files-0000-0_0-0-0_{time(0)}.hfile", base({"p": files(a=1), "q": files(b=1)}))
    with pytest.raises(CorruptTableError, match="has files of partition 'q', which its list of partitions lacks"):
        made.open().files()


def test_a_damaged_base_file(made):
    made.commit(time(0))
    name = f"files-0000-0_0-0-0_{time(0)}.hfile"
    made.write("files", name, base({"p": files(a=1)})[:-10])
    with pytest.raises(CorruptTableError, match="is damaged at byte") as caught:
        made.open().files()
    assert caught.value.file == f".hoodie/metadata/files/{name}"


@pytest.mark.parametrize("version", [6, 9])
def test_a_damaged_log(tmp_path, version):
    made = Made(tmp_path, version)
    made.commit(time(0), time(1))
    made.write("files", f"files-0000-0_0-0-0_{time(0)}.hfile", base({"p": files(a=1)}))
    name = f".files-0000-0_{time(0) if version == 6 else time(1)}.log.1_0-0-0"
    made.write("files", name, data(time(1), {"p": files(b=1)})[:-10])
    with pytest.raises(CorruptTableError, match="of the metadata table is damaged at byte 0"):
        made.open().files()


def test_the_torn_block_of_a_failed_write(tmp_path):
    made = Made(tmp_path, 6)
    made.commit(time(0), time(1))
    made.write("files", f"files-0000-0_0-0-0_{time(0)}.hfile", base({"p": files(a=1)}))
    blocks = [data(time(1), {"p": files(b=1)}), data(time(2), {"p": files(c=1)})[:-10]]
    made.write("files", f".files-0000-0_{time(0)}.log.1_0-0-0", *blocks)
    assert made.open().files() == {"p": {"a": 1, "b": 1}}


def test_a_value_that_is_not_a_record(made):
    made.commit(time(0))
    good = base_file({ALL: secondary()})
    made.write("files", f"files-0000-0_0-0-0_{time(0)}.hfile", good)
    with pytest.raises(CorruptTableError, match="it has no filesystemMetadata"):
        made.open().files()


def test_a_shard_that_is_missing(made):
    made.commit(time(0))
    for number in (0, 2):
        made.write("record_index", f"record-index-{number:04}-0_0-0-0_{time(0)}.hfile", base_file({}))
    with pytest.raises(CorruptTableError, match="file group 'record-index-0001-0' of"):
        made.open().record_locations()
    with pytest.raises(CorruptTableError, match=r"'\.hoodie/metadata/files' has no file groups"):
        made.open().files()


def test_a_newer_version(made):
    path = made.folder / ".hoodie/hoodie.properties"
    path.write_text(path.read_text().replace("version=9", "version=10"))
    with pytest.raises(UnsupportedTable, match="has version 10; versions 6, 8 and 9 are supported"):
        made.open()


def test_record_locations(made):
    """The last version of a key is used, and a delete removes the key."""
    made.commit(time(0), time(1), time(2), time(3))
    keys = [f"k{number}" for number in range(20)]
    of_shard = {}
    for key, number in zip(keys, shard_of_keys(keys, 3).tolist(), strict=True):
        of_shard.setdefault(number, []).append(key)
    assert sorted(of_shard) == [0, 1, 2]
    expected = {}
    for number, mine in of_shard.items():
        name = f"record-index-{number:04}-0"
        made.write(
            "record_index",
            f"{name}_0-0-0_{time(0)}.hfile",
            base_file({key: location("p", "", 0, 0x0123456789ABCDEF, -2, 5, 86_400_000) for key in mine}),
        )
        made.write("record_index", f".{name}_{time(1)}.log.1_0-0-0", data(time(1), {mine[0]: location("q", "any")}))
        made.write("record_index", f".{name}_{time(2)}.log.1_0-0-0", deletes(time(2), mine[0], mine[1], mine[2]))
        made.write("record_index", f".{name}_{time(3)}.log.1_0-0-0", data(time(3), {mine[2]: location("r", "again")}))
        expected |= dict.fromkeys(
            mine, ("p", "01234567-89ab-cdef-ffff-fffffffffffe-5", datetime(1970, 1, 2, tzinfo=UTC))
        )
        del expected[mine[0]], expected[mine[1]]
        expected[mine[2]] = ("r", "again", datetime(1970, 1, 1, tzinfo=UTC))
    table = made.open()
    for wanted in (None, keys, keys[::3], ["other"], []):
        found = table.record_locations(wanted).to_pylist()
        there = {row["key"]: (row["partition"], row["file_id"], row["instant"]) for row in found}
        assert len(there) == len(found)
        assert there == {key: value for key, value in expected.items() if wanted is None or key in wanted}


def test_a_partitioned_record_index(made):
    made.commit(time(0))
    keys = [f"k{number}" for number in range(10)]
    for partition, count in (("a", 1), ("b=1", 2)):
        for number in range(count):
            mine = [key for key, n in zip(keys, shard_of_keys(keys, count).tolist(), strict=True) if n == number]
            made.write(
                "record_index",
                f"record-index-{partition}-{number:04}-0_0-0-0_{time(0)}.hfile",
                base_file({key: location(partition, f"f-{partition}") for key in mine}),
            )
    table = made.open()
    assert len(table.record_locations()) == 20
    found = table.record_locations(["k3"]).select(["partition", "file_id"]).to_pylist()
    assert sorted(row["partition"] for row in found) == ["a", "b=1"]


def test_a_damaged_record_location(made):
    made.commit(time(0))
    made.write("record_index", f"record-index-0000-0_0-0-0_{time(0)}.hfile", base_file({"k": secondary()}))
    with pytest.raises(CorruptTableError, match="record of the metadata table that cannot be decoded"):
        made.open().record_locations()


def test_secondary_entries(made):
    made.commit(time(0), time(1))
    keys = {"v$1": 1, "v$2": 2, "\0$3": 3, "\\$\\\\x$a\\$b": 4, "vv$5": 5, "$6": 6}
    name = "secondary-index-at-0000-0"
    made.write("secondary_index_at", f"{name}_0-0-0_{time(0)}.hfile", base_file(dict.fromkeys(keys, secondary())))
    made.write("secondary_index_at", f".{name}_{time(1)}.log.1_0-0-0", data(time(1), {"v$2": secondary(True)}))
    table = made.open()

    def found(values):
        return {(row["value"], row["key"]) for row in table.secondary_entries("secondary_index_at", values).to_pylist()}

    assert found(None) == {("v", "1"), (None, "3"), ("$\\x", "a$b"), ("vv", "5"), ("", "6")}
    assert found(["v", "other"]) == {("v", "1")}
    assert found([None, "$\\x"]) == {(None, "3"), ("$\\x", "a$b")}
    assert found([""]) == {("", "6")}


def test_statistics_of_files(made):
    made.commit(time(0), time(1))
    name = "col-stats-0000-0"
    made.write(
        "column_stats",
        f"{name}_0-0-0_{time(0)}.hfile",
        base_file({stats_key(c, "p", f): stats(f, c, 1, 5) for c in ("a", "b") for f in ("x", "y")}),
    )
    made.write(
        "column_stats",
        f".{name}_{time(1)}.log.1_0-0-0",
        data(time(1), {stats_key("a", "p", "x"): stats("x", "a", 0, 0, deleted=True)}),
    )
    table = made.open()
    assert {(s.file, s.column) for s in table.column_stats()} == {("y", "a"), ("x", "b"), ("y", "b")}
    assert [(s.file, s.column, s.minimum, s.maximum) for s in table.column_stats(["a"])] == [("y", "a", 1, 5)]
    assert table.column_stats(["other"]) == []


def test_statistics_of_partitions_are_merged(made):
    """Newer statistics are combined with older ones, or replace the older ones if the newer ones are exact."""
    made.commit(time(0), time(1))
    name = "partition-stats-0000-0"
    old = {stats_key(c, "p"): stats("p", c, 3, 5, count=2) for c in "abc"} | {
        stats_key("d", "p"): stats("p", "d", None, None)
    }
    new = {
        stats_key("a", "p"): stats("p", "a", 1, 4, count=3),
        stats_key("b", "p"): stats("p", "b", 4, 4, tight=True),
        stats_key("d", "p"): stats("p", "d", 7, 8),
    }
    made.write("partition_stats", f"{name}_0-0-0_{time(0)}.hfile", base_file(old))
    made.write("partition_stats", f".{name}_{time(1)}.log.1_0-0-0", data(time(1), new))
    found = {s.column: (s.minimum, s.maximum, s.values, s.size, s.is_tight) for s in made.open().partition_stats()}
    assert found == {
        "a": (1, 5, 5, 20, False),
        "b": (4, 4, 1, 10, True),
        "c": (3, 5, 2, 10, False),
        "d": (7, 8, 2, 20, False),
    }


def test_values_of_statistics_have_their_type(made):
    made.commit(time(0))
    values = [
        ("Int", 19723, (12, None), date(2024, 1, 1)),
        ("Long", 1_704_067_200_000_001, (16, None), datetime(2024, 1, 1, 0, 0, 0, 1, tzinfo=UTC)),
        ("Long", 1_704_067_200_001, (18, None), datetime(2024, 1, 1, 0, 0, 0, 1000)),
        ("Bytes", (-12345).to_bytes(3, "big", signed=True), (10, "10,2"), Decimal("-123.45")),
        ("String", "é", (7, None), "é"),
        ("Double", 1.5, None, 1.5),
        ("Boolean", False, (2, None), False),
    ]
    made.write(
        "column_stats",
        f"col-stats-0000-0_0-0-0_{time(0)}.hfile",
        base_file(
            {
                stats_key(str(i), "", "f"): stats("f", str(i), raw, raw, wrapper=wrapper, value_type=type_)
                for i, (wrapper, raw, type_, _) in enumerate(values)
            }
        ),
    )
    found = {s.column: (s.minimum, s.maximum) for s in made.open().column_stats()}
    assert found == {str(i): (value, value) for i, (*_, value) in enumerate(values)}


def test_bloom_filters(made):
    made.commit(time(0))
    bloom = BloomFilter.empty(BloomShape())
    record = {"type": bloom.kind, "timestamp": time(0), "bloomFilter": bloom.to_text().encode(), "isDeleted": False}
    made.write(
        "bloom_filters",
        f"bloom-filters-0000-0_0-0-0_{time(0)}.hfile",
        base_file(
            {
                bloom_key("p", "f"): {"type": 4, "BloomFilterMetadata": record},
                bloom_key("p", "g"): {"type": 4, "BloomFilterMetadata": {**record, "isDeleted": True}},
                bloom_key("p", "h"): {"type": 4, "BloomFilterMetadata": {**record, "bloomFilter": b"?"}},
            }
        ),
    )
    table = made.open()
    [(file, found)] = table.bloom_filters([("p", "f"), ("p", "g"), ("", "f")]).items()
    assert (file, found.to_text()) == (("p", "f"), bloom.to_text())
    assert table.bloom_filters([]) == {}
    with pytest.raises(CorruptTableError, match="has a bloom filter of 'h' that cannot be read"):
        table.bloom_filters([("p", "h")])
