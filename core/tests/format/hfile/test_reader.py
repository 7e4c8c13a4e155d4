"""HFiles that HBase and Hudi wrote: all cells, and those of some keys."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hoodoo.errors import CorruptTableError
from hoodoo.format.bloom.key_hash import KeyHashes
from hoodoo.format.hfile import Codec, open_hfile
from hoodoo.storage import storage_for

from .hfiles import pairs

GOLDEN = Path(__file__).parents[4] / "tests/golden/hfiles"
# name: number of cells, levels of the index, compression
HFILES = {
    "hbase-gzip": (500, 1, Codec.GZIP),
    "hbase-none": (1000, 1, Codec.NONE),
    "hbase-unnumbered": (200, 1, Codec.GZIP),
    "hbase-two-levels": (200, 2, Codec.GZIP),
    "hbase-four-levels": (300, 4, Codec.NONE),
    "hudi-gzip": (500, 1, Codec.GZIP),
    "hudi-none": (300, 1, Codec.NONE),
    "hudi-empty": (0, 1, Codec.GZIP),
}


def cell(number):
    """Return the key and the value of the cell with this number that the program in `tests/interop/hfiles` writes."""
    return b"key-%06d" % number, b"value-%06d" % number * (number % 7)


@pytest.fixture
def golden():
    return storage_for(GOLDEN)


def test_each_golden_file_is_known():
    assert {file.stem for file in GOLDEN.glob("*.hfile")} == set(HFILES)


@pytest.mark.parametrize("name", HFILES)
def test_all_cells(golden, name):
    count, levels, codec = HFILES[name]
    with open_hfile(golden, f"{name}.hfile") as file:
        assert (len(file), file.trailer.levels, file.trailer.codec) == (count, levels, codec)
        assert pairs(file.all()) == [cell(number) for number in range(count)]
        assert file.schema_text == "the schema"


@pytest.mark.parametrize("name", HFILES)
def test_some_keys(golden, name):
    count, *_ = HFILES[name]
    with open_hfile(golden, f"{name}.hfile") as file:
        for number in range(0, count, 7):
            assert pairs(file.lookup([cell(number)[0]])) == [cell(number)]
        wanted = [0, 1, 50, 51, 170, count - 1, count, count + 1]
        keys = [cell(number)[0] for number in wanted if number >= 0]
        there = [cell(number) for number in sorted(set(wanted)) if 0 <= number < count]
        assert pairs(file.lookup([*keys, b"", b"a", b"key-000050a", b"z"])) == there
        assert pairs(file.lookup([])) == []


@pytest.mark.parametrize("name", HFILES)
def test_keys_with_a_prefix(golden, name):
    count, *_ = HFILES[name]
    with open_hfile(golden, f"{name}.hfile") as file:
        tens = [*range(100, 110), *range(150, 160)]
        assert pairs(file.with_prefixes([b"key-00010", b"key-00015", b"l", b"key-000155"])) == [
            cell(number) for number in tens if number < count
        ]
        assert len(file.with_prefixes([b""])) == len(file.with_prefixes([b"key-"])) == count
        assert len(file.with_prefixes([b"\xff\xff"])) == len(file.with_prefixes([])) == 0


def test_only_the_blocks_of_the_keys_are_read(golden):
    for name in ("hbase-four-levels", "hbase-gzip", "hudi-gzip"):
        with open_hfile(golden, f"{name}.hfile") as file:
            read = []
            inner, offsets = file.source.read_at, {entry.offset for entry, *_ in file.index.blocks([])}
            assert offsets == set()

            def counted(offset, length, inner=inner, read=read):
                read.append(length)
                return inner(offset, length)

            object.__setattr__(file.source, "read_at", counted)
            file.lookup([cell(123)[0]])
            assert len(read) == file.trailer.levels


def test_meta_blocks(golden):
    with open_hfile(golden, "hudi-gzip.hfile") as file:
        assert file.meta("note") == b"a meta block"
        assert file.meta("other") is None
        assert file.bloom_filter() is None


@pytest.mark.parametrize("name", ["mor6-archived-by-0.15.0", "mor8-archived-by-1.0.2", "mor9-archived"])
def test_hfiles_of_metadata_tables(real_table, name):
    """The file info of Hudi has the first and the last key, and the bloom filter contains all keys."""
    root = real_table(name)
    storage = storage_for(root)
    seen = 0
    for path in (root / ".hoodie/metadata").rglob("*.hfile"):
        with open_hfile(storage, str(path.relative_to(root))) as file:
            found = file.all()
            keys = found.keys.to_pylist()
            assert (keys[0], keys[-1]) == (file.info["minRecordKey"], file.info["maxRecordKey"])
            assert file.bloom_filter().may_contain(KeyHashes(found.keys.cast("large_string"))).all()
            assert json.loads(file.schema_text)["name"] == "HoodieMetadataRecord"
            assert pairs(file.lookup(keys[::2])) == pairs(found)[::2]
            seen += 1
    assert seen


def test_a_missing_file_is_gone(golden):
    with pytest.raises(CorruptTableError, match=r"HFile 'x\.hfile' is gone") as caught, open_hfile(golden, "x.hfile"):
        pass
    assert caught.value.code == "gone"
