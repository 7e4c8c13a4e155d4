"""Base files of each format: the number of rows and the columns, without reading rows."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hoodoo.errors import CorruptTableError
from hoodoo.format.base_files import stored_rows, stored_schema
from hoodoo.storage import LocalStorage

PATH = "f-0_0-1-2_20240101000000000.parquet"


@pytest.fixture
def storage(tmp_path):
    return LocalStorage(str(tmp_path))


def test_rows_and_columns_are_those_of_the_footer(storage):
    table = pa.table({"id": pa.array([1, 2, 3], pa.int32()), "name": ["a", None, "c"]})
    pq.write_table(table, storage.local_path(PATH))
    assert stored_rows(storage, PATH) == 3
    assert stored_schema(storage, PATH).remove_metadata() == table.schema


def test_a_footer_that_contradicts_itself_has_no_columns(storage):
    avro = '{"type": "record", "name": "r", "fields": [{"name": "id", "type": "long"}]}'
    table = pa.table({"ix": [1]}).replace_schema_metadata({"parquet.avro.schema": avro})
    pq.write_table(table, storage.local_path(PATH))
    assert stored_schema(storage, PATH) is None


@pytest.mark.parametrize("form", ["parquet", "lance"])
def test_a_file_that_is_gone_is_named(storage, form):
    if form == "lance":
        pytest.importorskip("lance.file", reason="Lance needs pylance: pip install 'hoodoo-core[lance]'")
    path = f"f-0_0-1-2_20240101000000000.{form}"
    for function in (stored_rows, stored_schema):
        with pytest.raises(CorruptTableError, match=f"base file '{path}' is gone"):
            function(storage, path)
