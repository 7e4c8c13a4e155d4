"""Tables in temporary files."""

from __future__ import annotations

import pyarrow as pa
import pytest

from hoodoo.errors import StorageError
from hoodoo.local.spilled_tables import spilled


def test_tables_with_different_dictionaries_are_read_back(tmp_path):
    tables = [pa.table({"a": [n], "d": pa.array([f"v{n}"]).dictionary_encode()}) for n in range(3)]

    assert spilled(tmp_path / "rows", tables) == tables


def test_spilled_tables_take_no_memory_of_arrow(tmp_path):
    table = pa.table({"a": pa.array(range(1_000_000))})
    before = pa.total_allocated_bytes()

    found = spilled(tmp_path / "rows", [table])

    assert found[0]["a"][-1].as_py() == 999_999
    assert pa.total_allocated_bytes() - before < table.nbytes / 10


def test_a_folder_that_cannot_take_the_rows_is_an_error_with_the_way_out(tmp_path):
    with pytest.raises(StorageError, match=r"'batch_memory'.*TMPDIR.*Spark DataFrame") as raised:
        spilled(tmp_path / "missing" / "rows", [pa.table({"a": [1]})])
    assert raised.value.code == "spill"
