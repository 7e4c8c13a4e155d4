"""Record keys that a corrupt page header turned into nulls."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hoodoo.errors import CorruptTableError
from hoodoo.format import read_base_file
from hoodoo.schema.meta_columns import COMMIT_TIME, RECORD_KEY
from hoodoo.storage import storage_for

SCHEMA = pa.schema([(RECORD_KEY, pa.string())])


def keys_of(tmp_path, keys, times):
    columns = {COMMIT_TIME: pa.array(times, pa.string()), RECORD_KEY: pa.array(keys, pa.string())}
    pq.write_table(pa.table(columns), tmp_path / "f.parquet")
    batches = list(read_base_file(storage_for(str(tmp_path)), "f.parquet", SCHEMA))
    return pa.concat_tables(batches)[RECORD_KEY].to_pylist()


@pytest.mark.parametrize("keys", [["a", None], [None, None]])
def test_null_keys_of_rows_with_commit_times_are_an_error(tmp_path, keys):
    with pytest.raises(CorruptTableError, match=r"rows without a record key: . of 2"):
        keys_of(tmp_path, keys, ["20260101000000000"] * 2)


def test_tables_without_meta_columns_have_null_keys(tmp_path):
    assert keys_of(tmp_path, [None, None], [None, None]) == [None, None]
