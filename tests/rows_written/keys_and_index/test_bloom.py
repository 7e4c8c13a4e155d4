"""Bloom filters in the base files that writes and compactions of hoodoo create."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hoodoo
from hoodoo.errors import OptionError
from hoodoo.format.bloom import BloomFilter, BloomShape
from hoodoo.testing.engine import write_arrow
from tests.support.rows import assert_same, hoodoo_rows, hudi_rows

pytestmark = pytest.mark.slow

SCHEMA = pa.schema([("id", pa.string()), ("place", pa.string()), ("ts", pa.int64())])
OPTIONS = {"table_name": "t", "record_key": "id", "partition_by": "place", "ordering": "ts"}
SMALL = {"bloom_entries": 20, "bloom_fpp": 0.001, "bloom_max_entries": 50}
SHAPE = BloomShape(20, 0.001, "DYNAMIC_V0", 50)


def write(path: Path, numbers: Any, ts: int = 1, **options: Any) -> hoodoo.Commit:
    rows = [{"id": f"k{n}", "place": "xy"[n % 2], "ts": ts} for n in numbers]
    return write_arrow(pa.Table.from_pylist(rows, SCHEMA), path, {**OPTIONS, "index": "bloom", **options})


def filters(path: Path) -> list[tuple[list[str], str | None, str | None]]:
    """Return the keys of each base file, and the text and kind of its filter, which are None without a filter."""
    found = []
    for file_slice in hoodoo.Table(path).file_slices():
        file = pq.ParquetFile(path / (file_slice.path or ""))
        metadata = {key.decode(): value.decode() for key, value in file.metadata.metadata.items()}
        keys = file.read(["_hoodie_record_key"]).column(0).to_pylist()
        found.append((keys, metadata.get("org.apache.hudi.bloomfilter"), metadata.get("hoodie_bloom_filter_type_code")))
    return found


def made_of(keys: list[str], shape: BloomShape = SHAPE) -> str:
    bloom = BloomFilter.empty(shape)
    bloom.add(pa.array(keys, pa.string()))
    return bloom.to_text()


def assert_filters(path: Path, shape: BloomShape = SHAPE) -> None:
    assert filters(path)
    for keys, text, kind in filters(path):
        assert (text, kind) == (made_of(keys, shape), shape.kind)
    assert_same(hudi_rows(path), hoodoo_rows(path), "the hudi package", SCHEMA.names)


@pytest.mark.parametrize("table_type", ["COPY_ON_WRITE", "MERGE_ON_READ"])
def test_whatever_writes_a_base_file_gives_it_a_filter_of_its_keys(table_type: str, tmp_path: Path) -> None:
    options = {"table_type": table_type, **SMALL}
    write(tmp_path, range(30), **options)
    assert_filters(tmp_path)
    write(tmp_path, range(20, 90), 2, **options)  # updates, and new keys for small files
    assert_filters(tmp_path)
    write(tmp_path, range(90, 100), operation="insert", **options)
    write(tmp_path, range(100, 120), operation="bulk_insert", **options)
    assert_filters(tmp_path)
    write(tmp_path, range(120, 130, 2), operation="insert_overwrite", **options)
    assert_filters(tmp_path)


def test_a_compaction_makes_filters(tmp_path: Path) -> None:
    write(tmp_path, range(30), table_type="MERGE_ON_READ")
    write(tmp_path, range(10), 2)
    write(tmp_path, range(10, 15), 2, operation="delete")
    assert hoodoo.Table(tmp_path).compact() is not None
    assert sum(len(keys) for keys, *_ in filters(tmp_path)) == 25
    assert_filters(tmp_path, BloomShape())
    inline = {"hoodie.compact.inline": "true", "hoodie.compact.inline.max.delta.commits": "1"}
    write(tmp_path, range(5), 3, **SMALL, **inline)
    assert not any(s.logs for s in hoodoo.Table(tmp_path).file_slices())
    assert made_of(filters(tmp_path)[0][0]) == filters(tmp_path)[0][1]


def test_a_filter_keeps_removed_keys_until_they_are_many(tmp_path: Path) -> None:
    even = range(0, 200, 2)  # one partition, one file
    write(tmp_path, even, **SMALL)
    [(keys, text, _)] = filters(tmp_path)
    assert sorted(keys) == sorted(f"k{n}" for n in even)
    assert text == made_of(keys)
    write(tmp_path, range(0, 20, 2), 2, operation="delete", **SMALL)
    [(keys_left, text_left, _)] = filters(tmp_path)
    assert len(keys_left) == 90
    assert text_left == text
    write(tmp_path, range(20, 60, 2), 2, operation="delete", **SMALL)
    write(tmp_path, [200], **SMALL)
    assert_filters(tmp_path)
    assert len(filters(tmp_path)[0][0]) == 71


def test_a_filter_of_another_shape_is_created_again(tmp_path: Path) -> None:
    write(tmp_path, range(10))
    assert_filters(tmp_path, BloomShape())
    write(tmp_path, range(5, 15), **SMALL)
    assert_filters(tmp_path)
    hudi = {"hoodie.index.bloom.num_entries": "30", "hoodie.index.bloom.fpp": "0.01"}
    write(tmp_path, range(5, 15), 2, **hudi, **{"hoodie.bloom.index.filter.type": "SIMPLE"})
    assert_filters(tmp_path, BloomShape(30, 0.01, "SIMPLE"))


def test_filters_without_the_index_and_the_index_without_filters(tmp_path: Path) -> None:
    write(tmp_path / "bucket", range(10), index="bucket", bloom_filter=True, **SMALL)
    assert_filters(tmp_path / "bucket")
    write(tmp_path / "simple", range(10), index="simple")
    assert {text for _, text, _ in filters(tmp_path / "simple")} == {None}
    write(tmp_path / "bloom", range(10), **{"hoodie.parquet.bloom.filter.enabled": "false"})
    assert {text for _, text, _ in filters(tmp_path / "bloom")} == {None}
    commit = write(tmp_path / "bloom", range(5, 15), 2)
    assert (commit.rows_updated, commit.rows_inserted) == (5, 5)
    assert_filters(tmp_path / "bloom", BloomShape())


def test_simple_and_bloom_may_take_turns_and_bucket_may_not(tmp_path: Path) -> None:
    write(tmp_path, range(10), **SMALL)
    for ts, index in enumerate(["simple", "bloom", "SIMPLE", "BLOOM"], 2):
        commit = write(tmp_path, range(ts, ts + 10), ts, **{"index": None, "hoodie.index.type": index}, **SMALL)
        assert (commit.rows_updated, commit.rows_inserted) == (9 if ts > 2 else 8, 1 if ts > 2 else 2)
        assert_filters(tmp_path)
    with pytest.raises(OptionError, match="'index'"):
        write(tmp_path, range(10), index="bucket")


@pytest.mark.parametrize("policy", ["drop", "fail"])
def test_inserts_look_up_by_filters(policy: str, tmp_path: Path) -> None:
    write(tmp_path, range(40), **SMALL, max_file_size=1, small_file_limit=0)
    if policy == "drop":
        commit = write(tmp_path, range(35, 45), operation="insert", dup_policy=policy)
        assert (commit.rows_inserted, commit.rows_ignored) == (5, 5)
    else:
        with pytest.raises(hoodoo.errors.DataError, match="such as"):
            write(tmp_path, range(35, 45), operation="insert", dup_policy=policy)
