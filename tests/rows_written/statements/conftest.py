"""Fixture that creates the tables for tests of statements."""

from __future__ import annotations

import pyarrow as pa
import pytest

import hoodoo
from tests.rows_written.statements.merge_model import COLUMNS

_TYPES = {"int": pa.int32(), "string": pa.string()}
_SCHEMA = pa.schema([(name, _TYPES[type_]) for name, type_ in (column.split() for column in COLUMNS.split(", "))])


@pytest.fixture
def create(tmp_path):
    """Return a function that creates a table of rows of `COLUMNS`, with key `id` and ordering `ts`.

    The function writes the rows without Spark, which takes less time, and returns the path of the table.
    """

    def made(rows: list[tuple], **options):
        path = tmp_path / f"table{len(list(tmp_path.iterdir()))}"
        given = {"table_name": "t", "record_key": "id", "ordering": "ts", **options}
        hoodoo.write(
            pa.Table.from_pylist([dict(zip(_SCHEMA.names, row, strict=True)) for row in rows], _SCHEMA), path, given
        )
        return path

    return made
