"""The rows that a diagnosis reads."""

from __future__ import annotations

import pytest

from hoodoo.diagnosis import no_progress
from hoodoo.diagnosis.rows.table_rows import TableRows


def source_of(table, sample=None):
    return TableRows.of(table.state(), sample)


def keys_of(source, *numbers):
    chosen = frozenset(numbers) or None
    return sorted(key for batch in source.batches("s", no_progress, chosen) for key in batch.keys.to_pylist())


def test_only_columns_of_keys_and_partitions_are_read(table):
    (first, *_) = source_of(table).batches("s", no_progress)
    assert first.rows.column_names == ["_hoodie_record_key", "_hoodie_partition_path", "id", "p"]


@pytest.mark.parametrize("version", [6, 9])
def test_logs_are_merged(make, version):
    table = make(table_type="MERGE_ON_READ", table_version=version)
    table.write(range(4))
    table.write([1, 2, 8], 2)
    table.write([0], operation="delete")
    assert keys_of(source_of(table)) == ["k1", "k2", "k3", "k8"]


def test_chosen_splits_alone_are_read(table):
    source = source_of(table)
    number = next(n for n, split in enumerate(source.splits) if split.partition == "y")
    assert keys_of(source, number) == ["k1", "k3", "k5"]
    assert (source.read_rows, source.complete) == (3, 1)


def test_a_sample_is_spread_over_the_splits(table):
    source = source_of(table, 3)
    numbers = [int(key[1:]) for key in keys_of(source)]
    assert sorted(number % 2 for number in numbers) == [0, 0, 1, 1]  # partitions x and y
    assert (source.most_rows, source.read_rows, source.complete) == (2, 4, 0)
