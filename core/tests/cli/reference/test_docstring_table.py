"""Tables of members and functions contain their signatures and docstrings."""

from __future__ import annotations

from enum import Enum

import pytest
from attrs import frozen

from hoodoo.cli.reference.docstring_table import Member, class_lines, function_lines, markdown_table, members


class Base:
    """Base.

    Attributes:
        kind: The kind of the object,
            in words.
    """

    kind: str = ""

    def same(self, other: Base, *, deep: bool = False) -> bool:
        """Return whether both are the same.

        Args:
            other: Another object.
            deep: Compare the parts.

        Raises:
            ValueError: They cannot be compared.
        """
        return self is other


@frozen(slots=False)
class Pair(Base):
    """Two numbers.

    They are
    ordered.

    Attributes:
        left: The smaller `|` number.
    """

    left: int
    hidden: int = 0

    @property
    def size(self) -> int:
        """The difference."""
        return self.hidden - self.left

    @classmethod
    def of(cls, *numbers: int, **more: int) -> Pair:
        """Return a pair."""
        return cls(*numbers, **more)

    def same(self, other: Base, *, deep: bool = False) -> bool:
        """Return true."""
        return True

    def _private(self) -> None:
        """Do nothing."""


class Color(Enum):
    """A color."""

    RED = 1
    """Like a rose."""
    BLUE = 2


def test_members_are_attributes_and_methods_with_their_meanings() -> None:
    assert members(Base) == [
        Member("kind", "str", "The kind of the object, in words."),
        Member(
            "same(other, *, deep=False)",
            "bool",
            "Return whether both are the same. `other`: Another object. `deep`: Compare the parts. "
            "`ValueError`: They cannot be compared.",
        ),
    ]


def test_a_class_replaces_the_members_of_its_base() -> None:
    assert members(Pair) == [
        Member("kind", "str", "The kind of the object, in words."),
        Member("left", "int", "The smaller `|` number."),
        Member("size", "int", "The difference."),
        Member("of(*numbers, **more)", "Pair", "Return a pair."),
        Member("same(other, *, deep=False)", "bool", "Return true."),
    ]


def test_members_of_an_enumeration_have_the_texts_below_them() -> None:
    assert members(Color) == [Member("RED", "1", "Like a rose."), Member("BLUE", "2", "")]


def test_a_class_has_its_paragraphs_and_a_table() -> None:
    assert list(class_lines(Pair))[:7] == [
        "Two numbers.",
        "",
        "They are ordered.",
        "",
        "| Member | Type | Meaning |",
        "|---|---|---|",
        "| `kind` | `str` | The kind of the object, in words. |",
    ]
    assert r"| `left` | `int` | The smaller `\|` number. |" in list(class_lines(Pair))


def test_a_function_without_result_has_an_empty_cell() -> None:
    def checked(name: str) -> None:
        """Raise if there is no such name."""

    assert list(function_lines([checked]))[2:] == ["| `checked(name)` |  | Raise if there is no such name. |"]


@pytest.mark.parametrize(("cell", "written"), [("a", "| a |"), ("a|b", r"| a\|b |")])
def test_a_cell_may_contain_a_bar(cell: str, written: str) -> None:
    assert list(markdown_table(("head",), [(cell,)])) == ["| head |", "|---|", written]
