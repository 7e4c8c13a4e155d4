"""The bloom index finds the same keys as a read of all keys, and reads no keys of files that a footer excludes."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import hoodoo.index.bloom_index
from hoodoo.archived_timeline import load_timeline
from hoodoo.errors import CorruptTableError
from hoodoo.filegroup import file_slices
from hoodoo.format.bloom import BloomFilter, BloomShape, KeyFooter, KeyHashes, filter_metadata
from hoodoo.format.parquet import BaseFileWriter
from hoodoo.index.bloom_index import locate_pruned
from hoodoo.index.simple_index import locate, stored_keys
from hoodoo.properties import load_properties
from hoodoo.schema.avro_encode import to_avro
from hoodoo.storage import LocalStorage

SCHEMA = pa.schema([("id", pa.int64())])
PATH = "f-0_0-1-2_20240101000000000.parquet"
INSTANT = "20240101000000000"


@pytest.fixture
def storage(tmp_path):
    return LocalStorage(str(tmp_path))


@pytest.fixture
def reads(monkeypatch):
    """Return a list that gets an item for each read of keys."""
    read, calls = hoodoo.index.bloom_index.read_open_file, []

    def counted(*args, **kwargs):
        calls.append(args)
        return read(*args, **kwargs)

    monkeypatch.setattr(hoodoo.index.bloom_index, "read_open_file", counted)
    return calls


def write(storage, keys, bloom=None):
    rows = {
        "_hoodie_commit_time": [INSTANT] * len(keys),
        "_hoodie_commit_seqno": [f"{INSTANT}_0_{i}" for i in range(len(keys))],
        "_hoodie_record_key": keys,
        "_hoodie_partition_path": [""] * len(keys),
        "_hoodie_file_name": [PATH] * len(keys),
        "id": range(len(keys)),
    }
    with BaseFileWriter(storage, PATH, SCHEMA, to_avro(SCHEMA, "t"), bloom=bloom) as file:
        file.write(pa.table(rows, schema=pa.schema([*((n, pa.string()) for n in list(rows)[:5]), *SCHEMA])))


def filter_of(keys, shape=None):
    bloom = BloomFilter.empty(shape or BloomShape(1000, 1e-6))
    bloom.add(pa.array(keys, pa.string()))
    return bloom


def found(storage, asked):
    asked = pa.array(asked, pa.string())
    positions = locate_pruned(storage, PATH, KeyHashes(asked))
    assert positions.tolist() == locate(stored_keys(storage, PATH), asked).tolist()
    return [asked[i].as_py() for i in positions.tolist()]


STORED = [f"k{i:03d}" for i in range(0, 100, 2)]


def test_keys_are_found_among_others(storage):
    write(storage, STORED, filter_of(STORED))
    assert found(storage, ["k001", "k098", "a", "k000", "z", "k000"]) == ["k098", "k000", "k000"]


def test_the_filter_spares_reading_keys(storage, reads):
    write(storage, STORED, filter_of(STORED))
    assert found(storage, [f"k{i:03d}" for i in range(1, 99, 2)]) == []
    assert not reads
    found(storage, ["k001", "k002"])
    assert len(reads) == 1


def test_the_bounds_spare_reading_keys(storage, reads):
    write(storage, STORED)
    assert found(storage, ["a", "k", "k0981", "z"]) == []
    assert not reads
    assert found(storage, ["k098"]) == ["k098"]


def test_a_file_without_rows_holds_nothing(storage, reads):
    write(storage, [], filter_of([]))
    assert found(storage, ["a"]) == []
    assert not reads


def test_a_key_that_the_filter_takes_for_its_own_is_looked_up(storage):
    write(storage, STORED, filter_of([*STORED, "k001"]))
    assert found(storage, ["k001", "k002"]) == ["k002"]


@pytest.mark.parametrize("lacking", [STORED[:-1], STORED[1:], []], ids=["last", "first", "all"])
def test_a_filter_that_lacks_keys_is_not_used(storage, lacking):
    write(storage, STORED, filter_of(lacking))
    assert found(storage, STORED) == STORED


def test_a_filter_of_another_file_is_not_used(storage):
    write(storage, STORED, filter_of([f"x{i}" for i in range(50)]))
    assert found(storage, STORED) == STORED


@pytest.mark.parametrize("text", ["", "/////w==", "no base64"])
def test_a_filter_that_cannot_be_read_is_ignored(storage, monkeypatch, text):
    monkeypatch.setattr(BloomFilter, "to_text", lambda self: text)
    write(storage, STORED, filter_of(STORED))
    assert found(storage, ["k001", "k002"]) == ["k002"]


def test_bounds_in_the_order_of_other_writers_are_not_used(storage):
    # in UTF-16 the second is smaller, in UTF-8 the first
    keys = ["\uffee", "\U0001f600", "b"]
    write(storage, keys)
    assert found(storage, [*keys, "c"]) == keys
    with pq.ParquetFile(storage.open_input(PATH)) as file:
        assert KeyFooter.of(file).bounds is None


def test_a_file_that_is_missing_or_not_parquet_is_named(storage, tmp_path):
    with pytest.raises(CorruptTableError, match=PATH):
        locate_pruned(storage, PATH, KeyHashes(pa.array(["a"])))
    (tmp_path / PATH).write_bytes(b"PAR1 nothing PAR1")
    with pytest.raises(CorruptTableError, match=PATH):
        locate_pruned(storage, PATH, KeyHashes(pa.array(["a"])))


def test_the_footer_holds_the_filter_and_the_bounds(storage):
    bloom = filter_of(STORED)
    write(storage, STORED, bloom)
    with pq.ParquetFile(storage.open_input(PATH)) as file:
        metadata = {key.decode(): value.decode() for key, value in file.metadata.metadata.items()}
    assert filter_metadata(bloom).items() <= metadata.items()
    assert metadata["hoodie_bloom_filter_type_code"] == "DYNAMIC_V0"
    assert (metadata["hoodie_min_record_key"], metadata["hoodie_max_record_key"]) == ("k000", "k098")


REAL = (
    "sample_table_cow__v6_complexkeygen_hivestyle",
    "sample_table_cow__v8_simplekeygen_nonhivestyle",
    "sample_table_mor_avro__v9_txns_simple_nometa",
    "cow6-bloom-by-0.15.0",
    "cow8-by-1.0.2",
    "cow9-bloom",
    "mor9-archived",
)


@pytest.mark.parametrize("name", REAL)
def test_real_tables(real_table, name):
    storage = LocalStorage(str(real_table(name)))
    slices = [s for s in file_slices(storage, load_timeline(storage, load_properties(storage))) if s.path]
    stored = {s.path: pa.concat_arrays(list(stored_keys(storage, s.path))) for s in slices}
    everything = pa.concat_arrays(list(stored.values()))
    asked = pa.concat_arrays([everything, pc.binary_join_element_wise(everything, "x", "")])
    hashes = KeyHashes(asked)
    for path, keys in stored.items():
        with hoodoo.index.bloom_index.open_base_file(storage, path) as file:
            footer = KeyFooter.of(file)
        assert footer.bloom is not None
        assert footer.bounds == (min(keys.to_pylist()), max(keys.to_pylist()))
        assert asked.take(pa.array(locate_pruned(storage, path, hashes))).to_pylist() == keys.to_pylist()
        assert footer.may_contain(hashes).sum() == len(keys)
