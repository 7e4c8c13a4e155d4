"""Meta columns in front of the columns of a table."""

from __future__ import annotations

import pyarrow as pa

from hoodoo.schema.meta_columns import META_COLUMNS, with_meta, without_meta

DATA = pa.schema([pa.field("id", pa.int64(), nullable=False), ("v", pa.string())])


def test_meta_columns_are_nullable_text_in_front():
    found = with_meta(DATA)
    assert found.names == [*META_COLUMNS, "id", "v"]
    assert {(field.type, field.nullable) for field in found if field.name in META_COLUMNS} == {(pa.string(), True)}
    assert without_meta(found) == DATA


def test_existing_meta_columns_are_replaced():
    stored = pa.schema([DATA.field("id"), pa.field("_hoodie_commit_time", pa.int64(), nullable=False), DATA.field("v")])
    assert with_meta(stored) == with_meta(DATA)
