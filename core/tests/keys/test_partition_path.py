"""Partition paths: styles, their order, and paths that would leave the table."""

from __future__ import annotations

import pyarrow as pa
import pytest

from hoodoo.errors import DataError, OptionError
from hoodoo.keys import DEFAULT_PARTITION, check_partition_paths, partition_paths, single_partition_paths
from hoodoo.record import KeyConfig
from hoodoo.storage import HOODIE_FOLDER


def paths(*values: str | None, **config: bool) -> list[str]:
    rows = pa.table({"p": pa.array(values, pa.string())})
    return partition_paths(rows, KeyConfig(partition_by=("p",), **config)).to_pylist()


def test_values_are_folders() -> None:
    assert paths("a", "a/b", "2024-01-05", " x ", "ü") == ["a", "a/b", "2024-01-05", " x ", "ü"]


def test_null_and_empty_have_a_folder_of_their_own() -> None:
    assert paths(None, "") == [DEFAULT_PARTITION] * 2
    assert paths(None, hive_style=True, url_encode=True) == [f"p={DEFAULT_PARTITION}"]


def test_url_encoding() -> None:
    special = "\x01\x1f\x7f\"#%'*/:=?\\{[]^"
    encoded = "%01%1F%7F%22%23%25%27%2A%2F%3A%3D%3F%5C%7B%5B%5D%5E"

    assert paths(special, "a-b_c d+é}", url_encode=True) == [encoded, "a-b_c d+é}"]
    assert paths("../..", url_encode=True, hive_style=True) == ["p=..%2F.."]


def test_slash_dates_come_last() -> None:
    assert paths("2024-01-05", "-5", "2024/01/05", slash_date=True) == ["2024/01/05", "-5", "2024/01/05"]
    assert paths("2024-01-05", slash_date=True, hive_style=True) == ["p=2024/01/05"]


def test_several_columns() -> None:
    rows = pa.table({"a": [1, None], "s": [{"b": "x"}, None]})
    config = KeyConfig(partition_by=("a", "s.b"), hive_style=True, slash_date=True)

    assert partition_paths(rows, config).to_pylist() == ["a=1/s.b=x", f"a={DEFAULT_PARTITION}/s.b={DEFAULT_PARTITION}"]


def test_absent_column_reads_as_null() -> None:
    assert partition_paths(pa.table({"a": [1]}), KeyConfig(partition_by=("p",))).to_pylist() == [DEFAULT_PARTITION]


def test_no_partition_column() -> None:
    result = partition_paths(pa.table({"a": [1, 2]}), KeyConfig())

    assert result.type == pa.string()
    assert result.to_pylist() == ["", ""]


@pytest.mark.parametrize(
    "value",
    [
        "..", "../x", "x/..", "a/../b", "../../etc/x", ".", "a/./b", "/etc", "a//b", "a/", "a\x00b", "..\\x", "\\x",
        HOODIE_FOLDER, f"{HOODIE_FOLDER}/metadata",
    ],
)  # fmt: skip
def test_paths_that_leave_the_table_are_refused(value: str) -> None:
    with pytest.raises(DataError, match=r"the partition values of 'p' are not all folders") as caught:
        paths("fine", value)
    assert caught.value.code == "path_traversal"
    assert repr(value) in str(caught.value)
    assert "'fine'" not in str(caught.value)


def test_slash_dates_are_checked_too() -> None:
    with pytest.raises(DataError, match="not all folders inside"):
        paths("..-..", slash_date=True)


@pytest.mark.parametrize("value", ["..a", "a..b", "...", "a.", ".x", "p=..", ".hoodie2", "C:", "12:00"])
def test_dots_within_a_name_are_fine(value: str) -> None:
    check_partition_paths(pa.array([value]))


def test_the_empty_path_is_the_table_itself() -> None:
    check_partition_paths(pa.array(["", ""]))


def test_the_error_shows_three_values() -> None:
    with pytest.raises(DataError, match=r"'/a', '/b', '/c', \.\.\."):
        check_partition_paths(pa.array(["/a", "/b", "/c", "/d", "/a"]), ("p",))


@pytest.mark.parametrize(("columns", "instead"), [((), "non-partitioned"), (("a", "b"), "complex")])
def test_exactly_one_column(columns: tuple[str, ...], instead: str) -> None:
    with pytest.raises(OptionError, match=f"use key generator '{instead}'") as caught:
        single_partition_paths(pa.table({"a": [1]}), KeyConfig(partition_by=columns), "simple")
    assert caught.value.code == "simple_needs_one_field"
