"""Partition values that would leave the table's folder, or hide rows in its metadata."""

from __future__ import annotations

import pytest

from hoodoo.errors import DataError, StorageError

pytestmark = pytest.mark.slow

BAD = ["..", "../x", "/abs", "a/../../b", "a/../b", "a\0b", "a//b", "a/", "a\\b", "x/./y"]
BARE = [".", ".hoodie", ".hoodie/x"]
"""Values that are rejected as a whole path, and harmless after `column=`."""


@pytest.mark.parametrize("value", BAD + BARE)
def test_a_partition_value_that_leaves_the_table(either, refuses, value):
    _refuse(either, refuses, value)


@pytest.mark.parametrize("value", ["a/../../b", "a\0b", "a//b", "a\\b"])
def test_a_prefix_does_not_make_it_harmless(place, refuses, value):
    _refuse(place, refuses, value, hive_style=True)


@pytest.mark.parametrize("value", ["..", ".", ".hoodie"])
def test_encoding_does_not_touch_dots(place, refuses, value):
    _refuse(place, refuses, value, url_encode=True)


@pytest.mark.parametrize("columns", [["..", "a"], ["a", ".."], ["a", "/b"], ["a", "b/"]])
def test_one_of_several_levels_leaves_the_table(place, refuses, columns):
    rows = place.rows_with(part=["x", columns[0], "y"], part2=["x", columns[1], "y"])
    good = place.rows_with(part2=["x", "x", "y"])

    refuses.late(
        DataError,
        "path_traversal",
        "'part', 'part2'",
        "not all folders inside the table",
        write=lambda: place.write(rows, partition_by="part,part2"),
        good=lambda: place.write(good, partition_by="part,part2"),
    )


@pytest.mark.parametrize(
    ("value", "options", "folder"),
    [
        ("../x", {"url_encode": True}, "..%2Fx"),
        ("/abs", {"url_encode": True}, "%2Fabs"),
        ("a\0b", {"url_encode": True}, "a%00b"),
        (".hoodie/x", {"url_encode": True}, ".hoodie%2Fx"),
        ("..", {"hive_style": True}, "part=.."),
        (".hoodie", {"hive_style": True}, "part=.hoodie"),
        ("%2e%2e", {}, "%2e%2e"),
        ("", {}, "__HIVE_DEFAULT_PARTITION__"),
        (None, {}, "__HIVE_DEFAULT_PARTITION__"),
    ],
)
def test_values_that_look_dangerous_and_are_not(place, value, options, folder):
    place.write(place.rows_with(part=["x", value, "y"]), **options)

    assert [file for file in place.files() if file.startswith(folder + "/") and file.endswith(".parquet")]
    assert [row["part"] for row in place.rows()] == ["x", value, "y"]
    assert [file.name for file in place.path.parent.iterdir()] == ["table"]


@pytest.mark.parametrize("value", ["x" * 256, "ü" * 128])
def test_a_partition_value_that_is_too_long_for_a_folder(either, refuses, value):
    """Names of files have at most 255 bytes, on most file systems."""
    refuses.late(
        StorageError,
        "storage",
        "File name too long",
        write=lambda: either.write(either.rows_with(part=["x", value, "y"])),
        good=lambda: either.write(either.rows_with(part=["x", value[:127], "y"])),
    )


def _refuse(place, refuses, value, **options):
    rows = place.rows_with(part=["x", value, "y"])

    refuses.late(
        DataError,
        "path_traversal",
        "'part'",
        repr(value)[1:-1],
        "not all folders inside the table",
        "correct the values",
        write=lambda: place.write(rows, **options),
        good=lambda: place.write(**options),
    )

    assert [file.name for file in place.path.parent.iterdir()] == ["table"]
