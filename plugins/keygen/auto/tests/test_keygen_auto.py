"""The key generator `auto`: keys from the position of a row in the input."""

from __future__ import annotations

from typing import ClassVar

import pyarrow as pa
import pytest
from hoodoo_keygen_auto import AutoKeyGenerator

from hoodoo.errors import DataError, OptionError
from hoodoo.keys import ARRIVAL, PARTITION_BITS
from hoodoo.record import KeyConfig
from hoodoo.testing import KeyGeneratorSuite

INSTANT = "20260101000000000"
NUMBERS = [0, 1, (3 << PARTITION_BITS) + 17]


class TestAuto(KeyGeneratorSuite):
    plugin = "auto"
    config = KeyConfig((), ("part",), hive_style=True, instant=INSTANT)
    columns: ClassVar = {ARRIVAL: "long"}
    values: ClassVar = {ARRIVAL: NUMBERS}


def test_instant_partition_and_row() -> None:
    rows = pa.table({ARRIVAL: NUMBERS})
    config = KeyConfig(instant=INSTANT)

    keys = AutoKeyGenerator().record_keys(rows, config).to_pylist()
    assert keys == [f"{INSTANT}_0_0", f"{INSTANT}_0_1", f"{INSTANT}_3_17"]
    assert AutoKeyGenerator().partition_paths(rows, config).to_pylist() == ["", "", ""]


def test_partitions_are_those_of_other_key_generators() -> None:
    rows = pa.table({"a": ["x"], "t": [0]})
    times = {"timestamp_type": "UNIX_TIMESTAMP", "output_format": "yyyy"}

    def path(*partition_by: str, **options: str) -> str:
        return AutoKeyGenerator(**options).partition_paths(rows, KeyConfig((), partition_by))[0].as_py()

    assert path("a", "t") == "x/0"
    assert path("t", **times) == "1970"
    assert path("t:timestamp", "a:simple", **times) == "1970/x"
    with pytest.raises(OptionError, match="takes one partition column"):
        path("t", "a", **times)


def test_rows_of_no_write_have_no_keys() -> None:
    with pytest.raises(DataError, match="for the rows of a write only"):
        AutoKeyGenerator().record_keys(pa.table({"a": [1]}), KeyConfig())
    assert AutoKeyGenerator().record_keys(pa.table({"a": pa.array([], pa.int64())}), KeyConfig()).to_pylist() == []
