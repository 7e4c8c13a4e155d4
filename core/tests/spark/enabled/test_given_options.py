"""The path of a table among the arguments and options of a reader or writer, without Spark."""

from __future__ import annotations

from pathlib import Path

import pytest

from hoodoo.errors import OptionError
from hoodoo.spark.enabled.given_options import GivenOptions


def given(**options):
    made = GivenOptions()
    for key, value in options.items():
        made.put(key, value)
    return made


def test_keys_are_compared_without_regard_to_case_and_the_last_value_counts():
    options = given(Operation="insert", OPERATION="upsert", count=3, ratio=0.5, flag=True, none=None)
    assert options.without() == {"OPERATION": "upsert", "count": "3", "ratio": "0.5", "flag": "true"}
    assert options.without("operation", "flag") == {"count": "3", "ratio": "0.5"}
    assert options.has("x", "operation")
    assert not options.has("none")


@pytest.mark.parametrize(
    ("argument", "options"),
    [
        ("/t", {}),
        (Path("/t"), {}),
        (["/t"], {}),
        (None, {"path": "/t"}),
        (None, {"basePath": "/t"}),
        ("/t/", {"PATH": "/t", "basepath": "/t"}),
    ],
)
def test_the_path_is_the_argument_or_an_option_and_no_option_of_the_write(argument, options):
    made = given(**options, operation="insert")
    assert made.table_path(argument, "save()", globs=False).rstrip("/") == "/t"
    assert made.without() == {"operation": "insert"}


@pytest.mark.parametrize("path", ["/t/*", "/t/*/*", "/t/*/*/*/", "file:///t/*"])
def test_a_pattern_of_all_partitions_is_the_table(path):
    assert given().table_path(path, "load()", globs=True) == path[: path.index("/t") + 2]


@pytest.mark.parametrize("path", ["/t/2020/*", "/t/city=*", "/t/{a,b}", "/t/20[12]*/*"])
def test_a_pattern_of_some_partitions_is_refused(path):
    if path == "/t/2020/*":
        # the reader states that this folder is not a table
        assert given().table_path(path, "load()", globs=True) == "/t/2020"
        return
    with pytest.raises(OptionError, match="filter by the partition columns"):
        given().table_path(path, "load()", globs=True)


def test_a_write_takes_a_path_as_it_is():
    assert given().table_path("/t/*", "save()", globs=False) == "/t/*"


@pytest.mark.parametrize(
    ("argument", "options", "message"),
    [
        (None, {}, r"the path of the table is missing; use save\(path\)"),
        ("/a", {"path": "/b"}, "these paths differ: option 'path' = '/b', path = '/a'"),
        (None, {"path": "/a", "basePath": "/b"}, "these paths differ"),
        (["/a", "/b"], {}, "was given 2 paths"),
    ],
)
def test_a_path_that_is_missing_or_not_clear_is_refused(argument, options, message):
    with pytest.raises(OptionError, match=message):
        given(**options).table_path(argument, "save()", globs=False)
