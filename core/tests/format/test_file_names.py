"""File names and partition metadata."""

from __future__ import annotations

import pytest

from hoodoo.errors import CorruptTableError
from hoodoo.format import (
    BaseFileName,
    ensure_partition_metadata,
    is_log_file,
    new_file_id,
    read_partition_metadata,
)
from hoodoo.storage import LocalStorage, Missing


@pytest.mark.parametrize("extension", [".parquet", ".lance"])
def test_base_file_names_both_ways(extension):
    text = f"a22e8257-e249-45e9-ba46-115bc85adcba-0_0-161-223_20240418173235694{extension}"
    name = BaseFileName.parse(text)
    assert name == ("a22e8257-e249-45e9-ba46-115bc85adcba-0", "0-161-223", "20240418173235694", extension)
    assert str(name) == text


@pytest.mark.parametrize(
    "text",
    [".hoodie_partition_metadata", "x.parquet", "a_b.parquet", "a_b_c_d.parquet", "a_b_c.parquet", ".a_b_1.parquet"],
)
def test_other_names_are_not_base_files(text):
    assert BaseFileName.parse(text) is None


def test_log_files_are_recognized():
    assert is_log_file(".f-0_20240101000000000.log.1_0-1-2")
    assert is_log_file(".f-0_20240101000000000.log.12")
    assert is_log_file(".f-0_20240101000000000.log.1_0-1-2.cdc")
    assert not is_log_file("f-0_0-1-2_20240101000000000.parquet")
    assert not is_log_file(".f-0_0-1-2_20240101000000000.parquet.crc")


def test_file_ids_are_distinct_and_hold_no_underscore():
    ids = {new_file_id(n) for n in range(3)}
    assert len(ids) == 3
    assert not any("_" in file_id for file_id in ids)
    assert {file_id.rpartition("-")[2] for file_id in ids} == {"0", "1", "2"}


@pytest.mark.parametrize(("partition", "depth"), [("", 0), ("p=1", 1), ("2024/01/02", 3)])
def test_partition_metadata_is_written_once(tmp_path, partition, depth):
    storage = LocalStorage(str(tmp_path))
    with pytest.raises(Missing):
        read_partition_metadata(storage, partition)
    ensure_partition_metadata(storage, partition, "20240101000000000")
    ensure_partition_metadata(storage, partition, "20250101000000000")
    metadata = read_partition_metadata(storage, partition)
    assert (metadata.commit_time, metadata.depth) == ("20240101000000000", depth)


def test_damaged_partition_metadata_is_named(tmp_path):
    storage = LocalStorage(str(tmp_path))
    storage.create("p/.hoodie_partition_metadata", b"commitTime=1\n")
    with pytest.raises(CorruptTableError, match=r"p/\.hoodie_partition_metadata"):
        read_partition_metadata(storage, "p")
