"""Record keys of stored rows, from the meta column or from the key columns."""

from __future__ import annotations

import pyarrow as pa
import pytest

from hoodoo.errors import CorruptTableError, DataError
from hoodoo.index.key_source import KEY_COLUMN, META_KEYS, KeySource

ID = pa.field("id", pa.int64())


def made(rows):
    if rows.column("id").null_count:
        raise DataError("column 'id' is null")
    return rows.column("id").cast(pa.string()).combine_chunks()


MADE = KeySource(pa.schema([ID]), made)


def test_the_meta_column_has_the_keys():
    rows = pa.table({"_hoodie_record_key": ["a", "b"], "id": [1, 2]})
    assert META_KEYS.of(rows, "f").to_pylist() == ["a", "b"]
    assert META_KEYS.filled(rows, "f") is rows
    assert META_KEYS.with_columns(KEY_COLUMN) is KEY_COLUMN


def test_keys_are_made_of_columns():
    rows = pa.table({"_hoodie_record_key": pa.nulls(2, pa.string()), "id": [1, 2]})
    assert MADE.of(rows, "f").to_pylist() == ["1", "2"]
    assert MADE.filled(rows, "f").to_pylist() == [{"_hoodie_record_key": n, "id": int(n)} for n in "12"]
    assert MADE.with_columns(KEY_COLUMN).names == ["_hoodie_record_key", "id"]


def test_stored_rows_that_form_no_key_are_damage():
    with pytest.raises(CorruptTableError, match="'f' has rows whose values form no record key") as damaged:
        MADE.of(pa.table({"id": pa.array([1, None])}), "f")
    assert damaged.value.file == "f"
