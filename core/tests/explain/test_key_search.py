"""The files that hold a key."""

from __future__ import annotations

import pytest

import hoodoo
from hoodoo.explain.key_search import KeySearch
from hoodoo.plugin import default_catalogue
from hoodoo.properties import load_properties
from hoodoo.schema.meta_columns import with_meta
from hoodoo.storage import storage_for
from hoodoo.table_rules.stored_keys import StoredKeys


@pytest.fixture
def search(tmp_path):
    def of(key):
        storage = storage_for(tmp_path / "t")
        properties = load_properties(storage)
        schema = with_meta(hoodoo.Table(tmp_path / "t").schema)
        return KeySearch(storage, key, StoredKeys.of_table(properties, default_catalogue()), schema)

    return of


@pytest.fixture
def slices(tmp_path):
    return lambda: hoodoo.Table(tmp_path / "t").file_slices()


@pytest.fixture
def merge(tmp_path):
    """Return a function that returns the merge of the table's only slice."""
    return lambda: hoodoo.Table(tmp_path / "t").splits()[0].merge


@pytest.mark.parametrize("bloom", [False, True])
def test_a_key_of_a_base_file(write, search, slices, bloom):
    write(("a", "x", 1, ""), ("c", "x", 1, ""), bloom_filter=bloom)
    [found] = slices()
    assert search("a").in_base_file(found.path)
    assert not search("b").in_base_file(found.path)
    assert search("c").in_slice(found, None)


def test_a_key_of_a_data_block(write, search, slices, merge):
    write(("a", "x", 1, ""), index="bucket", buckets=1)
    write(("b", "x", 1, ""))
    [found] = slices()
    assert search("b").in_slice(found, merge())
    assert not search("c").in_slice(found, merge())
    assert not search("b").in_slice(found, None), "without a merge no log is read"


def test_a_key_of_a_delete_block(write, search, slices, merge):
    write(("a", "x", 1, ""), index="bucket", buckets=1)
    write(("b", "x", 1, ""), deleted=True)
    [found] = slices()
    assert search("b").in_slice(found, merge())
