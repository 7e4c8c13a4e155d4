"""Fixture of the tests of statements."""

from __future__ import annotations

import pytest

import hoodoo
from tests.rows_written.statements.merge_model import COLUMNS


@pytest.fixture
def create(spark, tmp_path):
    """Return a function that creates a table of rows of `COLUMNS`, with key `id` and ordering `ts`."""

    def made(rows: list[tuple], **options):
        path = tmp_path / f"table{len(list(tmp_path.iterdir()))}"
        given = {"table_name": "t", "record_key": "id", "ordering": "ts", **options}
        hoodoo.write(spark.createDataFrame(rows, COLUMNS), path, given)
        return path

    return made
