"""Keys of rows that may change a stored row of a table with generated keys."""

from __future__ import annotations

import pyarrow as pa
import pytest
from attrs import frozen

from hoodoo.plugin.base import BaseKeyGenerator
from hoodoo.record import KeyConfig
from hoodoo.writing.stored_row_keys import STORED_KEY, STORED_PATH, StoredRowKeys

CONFIG = KeyConfig(record_key=(), partition_by=("p",))


@frozen
class Numbered(BaseKeyGenerator):
    """Key generator of keys `new0`, `new1`, and so on."""

    def record_keys(self, rows, config):
        return pa.array([f"new{at}" for at in range(rows.num_rows)], pa.string())

    def partition_paths(self, rows, config):
        return rows.column("p").cast(pa.string()).combine_chunks()

    def path_qualifiers(self, rows, config):
        return pa.array(["q"] * rows.num_rows)


def rows(keys, paths):
    values = {"p": pa.array(["x"] * len(keys))}
    return pa.table({**values, STORED_KEY: pa.array(keys, pa.string()), STORED_PATH: pa.array(paths, pa.string())})


@pytest.mark.parametrize(
    ("keys", "paths", "found"),
    [
        (["a", "b"], ["p1", ""], (["a", "b"], ["p1", ""])),
        (["a", None], ["p1", None], (["a", "new1"], ["p1", "x"])),
        ([None, None], [None, None], (["new0", "new1"], ["x", "x"])),
        ([], [], ([], [])),
    ],
)
def test_a_stored_row_keeps_its_key_and_its_partition_and_a_new_row_gets_both(keys, paths, found):
    generator, given = StoredRowKeys(Numbered()), rows(keys, paths)
    made = generator.record_keys(given, CONFIG), generator.partition_paths(given, CONFIG)
    assert tuple(values.to_pylist() for values in made) == found
    assert all(values.type == pa.string() for values in made)


def test_rows_without_the_columns_are_new():
    given = rows(["a"], ["p1"]).select(["p"])
    assert StoredRowKeys(Numbered()).record_keys(given, CONFIG).to_pylist() == ["new0"]
    assert StoredRowKeys(Numbered()).partition_paths(given, CONFIG).to_pylist() == ["x"]
    assert StoredRowKeys(Numbered()).path_qualifiers(given, CONFIG).to_pylist() == ["q"]
    assert StoredRowKeys(Numbered()).key_qualifiers(given, CONFIG) is None
