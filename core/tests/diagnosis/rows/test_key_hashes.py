"""The search for repeated hashes of keys, in memory and in temporary files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from hoodoo.diagnosis.rows.key_hashes import HashCollection, hashes_of


@pytest.mark.parametrize("most", [10_000_000, 500])
def test_repeated_keys_are_found_by_partition_and_across_partitions(most):
    parts = {
        0: (0, [f"k{n}" for n in range(1000)]),
        1: (0, ["k5", "k6", "k6"]),  # the partition of source 0
        2: (1, ["k7", "other"]),
        3: (2, [f"only{n}" for n in range(1000)]),
    }
    with HashCollection(most) as hashes:
        for source, (partition, keys) in parts.items():
            hashes.add(pa.array(keys), partition, source)
        assert hashes.uses_files == (most == 500)
        found = hashes.repeated(100)
        folder = hashes._folder and Path(hashes._folder.name)

    assert (found.within, found.across) == (3, 1)
    assert set(found.hashes_within) == set(hashes_of(pa.array(["k5", "k6"])))
    assert set(found.hashes_across) == set(hashes_of(pa.array(["k7"])))
    assert found.sources == {0, 1, 2}
    assert folder is None or not folder.exists()


def test_the_numbers_count_all_and_the_hashes_are_limited():
    keys = pa.array([f"k{n}" for n in range(50)] * 2)
    with HashCollection() as hashes:
        hashes.add(keys, 0, 0)
        found = hashes.repeated(10)
    assert found.within == 50
    assert len(found.hashes_within) == 10
    assert not len(found.hashes_across)


def test_no_keys_have_no_repeated_hash():
    with HashCollection() as hashes:
        found = hashes.repeated(10)
    assert (found.within, found.across, found.sources) == (0, 0, frozenset())
    assert found.hashes_within.dtype == np.uint64
