"""The key generator `custom`: partition columns of the kinds `simple` and `timestamp`."""

from __future__ import annotations

from typing import ClassVar

import pyarrow as pa
import pytest
from hoodoo_keygen_custom import CustomKeyGenerator

from hoodoo.errors import OptionError
from hoodoo.record import KeyConfig
from hoodoo.testing import KeyGeneratorSuite

TIMES: dict[str, str] = {"timestamp_type": "EPOCHMILLISECONDS", "output_format": "yyyy/MM/dd"}


class TestTimeAndValue(KeyGeneratorSuite):
    plugin = "custom"
    options: ClassVar = TIMES
    config = KeyConfig(("id", "sub"), ("t:timestamp", "part:SIMPLE"), hive_style=True)
    columns: ClassVar = {"t": "long", "part": "string"}

    def choices(self):
        """Return the choices of the suite, without names that contain a kind, such as `t:timestamp`."""
        found = dict(super().choices())
        return {name: types for name, types in found.items() if ":" not in name}


ROWS = pa.table({"id": [1, 2], "t": pa.array([1_700_000_000_000, None]), "city": ["oslo", None]})


def paths(*partition_by: str, **options: str) -> list[str]:
    return CustomKeyGenerator(**options).partition_paths(ROWS, KeyConfig(("id",), partition_by)).to_pylist()


def test_each_column_by_its_kind() -> None:
    assert paths("city:simple", "t:TIMESTAMP", **TIMES) == [
        "oslo/2023/11/14",
        "__HIVE_DEFAULT_PARTITION__/1970/01/01",
    ]
    assert paths("city: simple") == ["oslo", "__HIVE_DEFAULT_PARTITION__"]
    assert paths() == ["", ""]


def test_times_share_a_folder_on_purpose() -> None:
    rows = pa.table({"a": ["x/y", "x/y", "z"], "t": [0, 1, 2]})
    config = KeyConfig((), ("a:simple", "t:timestamp"))
    generator = CustomKeyGenerator(timestamp_type="EPOCHMILLISECONDS", output_format="yyyy/MM")

    assert generator.partition_paths(rows, config).to_pylist() == ["x/y/1970/01", "x/y/1970/01", "z/1970/01"]
    assert generator.path_qualifiers(rows, config) is None


@pytest.mark.parametrize(
    ("part", "code"),
    [("city", "partition_type_missing"), (":simple", "partition_type_missing"), ("city:date", "bad_partition_type")],
)
def test_kinds_that_cannot_be(part: str, code: str) -> None:
    with pytest.raises(OptionError) as caught:
        paths(part)
    assert caught.value.code == code


def test_times_need_their_options() -> None:
    with pytest.raises(OptionError, match="timestamp_type"):
        paths("t:timestamp")
    with pytest.raises(OptionError, match="output_format"):
        CustomKeyGenerator(timestamp_type="SCALAR")
