"""One option: its declaration, and the values that it takes."""

from __future__ import annotations

from typing import Any

import attrs
import pytest
from attrs import frozen

from hoodoo.errors import OptionError
from hoodoo.options.parsing.declare import convert, keys_of, option


@frozen
class Sample:
    text: str | None = option("hoodie.text", "hoodie.older.text", help="Text.")
    flag: bool | None = option(kind="flag", help="A flag.")
    count: int = option(kind="integer", minimum=1, default=4, help="A count.")
    names: tuple[str, ...] | None = option(kind="names", help="Columns.")
    mapping: dict[str, Any] | None = option(kind="mapping", help="More.")
    side: str = option(default="left", choices=("left", "RIGHT"), help="A side.")


def converted(name: str, value: Any) -> Any:
    return convert(attrs.fields_dict(Sample)[name], "KEY", value)


def test_a_field_is_set_by_its_name_and_by_hudis_keys() -> None:
    assert keys_of(attrs.fields(Sample).text) == ("text", "hoodie.text", "hoodie.older.text")


def test_what_is_not_given_has_the_declared_default() -> None:
    assert Sample() == Sample(text=None, flag=None, count=4, names=None, mapping=None, side="left")


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("text", "a b", "a b"),
        ("text", 20250101, "20250101"),
        ("text", 1.1, "1.1"),
        ("flag", True, True),
        ("flag", " TRUE ", True),
        ("flag", "yes", True),
        ("flag", 1, True),
        ("flag", "0", False),
        ("flag", "No", False),
        ("count", 7, 7),
        ("count", " 12 ", 12),
        ("names", "a, b ,,c", ("a", "b", "c")),
        ("names", ["a", "b.c"], ("a", "b.c")),
        ("names", ("a",), ("a",)),
        ("names", "", ()),
        ("mapping", '{"a": 1}', {"a": 1}),
        ("mapping", {"a": [1]}, {"a": [1]}),
        ("side", "LEFT", "left"),
        ("side", "right", "RIGHT"),
    ],
)
def test_a_value_comes_in_the_type_of_the_option(name: str, value: Any, expected: Any) -> None:
    found = converted(name, value)
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("text", True, "text"),
        ("text", ["a"], "text"),
        ("flag", "perhaps", "true or false"),
        ("flag", 2, "true or false"),
        ("count", "many", "whole number"),
        ("count", "1.5", "whole number"),
        ("count", 0, "at least 1"),
        ("names", 3, "column names"),
        ("names", ["a", 3], "column names"),
        ("names", "a,b,a", "'a' twice"),
        ("mapping", "{", "JSON"),
        ("mapping", "[1]", "dictionary"),
        ("mapping", "[" * 100_000, "nested too deeply"),
        ("mapping", 3, "dictionary"),
        ("side", "up", "left, RIGHT"),
    ],
)
def test_a_value_that_cannot_be_is_refused_by_key_with_what_it_takes(name: str, value: Any, said: str) -> None:
    with pytest.raises(OptionError) as raised:
        converted(name, value)
    assert "'KEY'" in str(raised.value)
    assert said in str(raised.value)


def test_a_dictionary_is_copied() -> None:
    given = {"a": 1}
    converted("mapping", given)["b"] = 2
    assert given == {"a": 1}
