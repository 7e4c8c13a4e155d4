"""The key generator `global-delete`: named keys, no partitions."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hoodoo_keygen_global_delete import GlobalDeleteKeyGenerator

from hoodoo.errors import DataError
from hoodoo.record import KeyConfig
from hoodoo.testing import KeyGeneratorSuite


class TestOneColumn(KeyGeneratorSuite):
    plugin = "global-delete"
    config = KeyConfig(("id",), ("part",), complex_encoding="value")


class TestSeveralColumns(KeyGeneratorSuite):
    plugin = "global-delete"
    config = KeyConfig(("id", "sub"))


def test_a_lone_column_is_named_and_partitions_are_not_needed() -> None:
    rows = pa.table({"id": [1, 2]})
    config = KeyConfig(("id",), ("city",), complex_encoding="value")

    assert GlobalDeleteKeyGenerator().record_keys(rows, config).to_pylist() == ["id:1", "id:2"]
    assert GlobalDeleteKeyGenerator().partition_paths(rows, config).to_pylist() == ["", ""]


def test_a_key_of_nothing_is_refused() -> None:
    with pytest.raises(DataError) as caught:
        GlobalDeleteKeyGenerator().record_keys(pa.table({"id": pa.array([None], pa.string())}), KeyConfig(("id",)))
    assert caught.value.code == "key_null_or_empty"
