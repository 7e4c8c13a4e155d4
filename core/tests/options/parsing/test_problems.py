"""The first error is raised, or all are collected."""

from __future__ import annotations

import pytest

from hoodoo.errors import HoodooError, OptionError, SchemaError
from hoodoo.options import ArchiveOptions, Problems, TableOptions, parse


def test_the_first_error_is_raised() -> None:
    with pytest.raises(SchemaError, match="first"), Problems().caught():
        raise SchemaError("first")


def test_errors_are_collected_in_order_and_others_pass() -> None:
    problems = Problems(collects=True)
    for error in (SchemaError("a"), OptionError("b")):
        with problems.caught():
            raise error
    assert [str(error) for error in problems.found] == ["a", "b"]
    with pytest.raises(ZeroDivisionError), problems.caught():
        raise ZeroDivisionError


def test_a_dictionary_with_several_errors() -> None:
    problems = Problems(collects=True)
    given = {
        "no_such_option": 1,
        "hoodie.allow.operation.metadata.field": "true",
        "table_type": "COW",
        "hoodie.keep.max.commits": 3,
        "table_name": "t",
    }

    found = parse(given, [TableOptions, ArchiveOptions], problems=problems)

    assert found[TableOptions] == TableOptions(table_name="t")
    assert all(isinstance(error, HoodooError) for error in problems.found)
    words = ["hoodie.allow.operation.metadata.field", "table_type", "no_such_option", "keep_max_commits"]
    assert [word in str(error) for word, error in zip(words, problems.found, strict=True)] == [True] * 4
