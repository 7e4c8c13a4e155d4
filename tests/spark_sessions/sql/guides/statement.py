"""Statements as public guides have them, with our own tables, columns and values."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

__all__ = ["Guide", "Section", "Statement", "refused", "runs"]


@frozen
class Statement:
    """Statement or call of a guide, with its expected result or error.

    `<folder>` in a text is a folder of the test, `<first>` the instant of the first commit of the table `parcels`, and
    `<before>` an instant before that commit.

    Attributes:
        text: SQL, or Python if the section has calls.
        rows: The rows of the result, in any order; None if the result is not compared.
        refused: A part of the message of the error; None for a statement that runs.
        instead: The alternative of a refused statement, for the page.
    """

    text: str
    rows: tuple[tuple[object, ...], ...] | None = None
    refused: str | None = None
    instead: str = ""


@frozen
class Section:
    """Section of a guide, which is a test.

    Attributes:
        title: The heading in the guide.
        needs: SQL that prepares tables, and is not part of the guide.
        statements: The statements, which run in order.
        is_python: Whether the statements are calls of the builder.
    """

    title: str
    needs: Sequence[str]
    statements: Sequence[Statement]
    is_python: bool = False


@frozen
class Guide:
    """Page of a public guide, with its statements.

    Attributes:
        name: A short name, with which the names of its tests begin.
        title: The title of the page, after the name of the product.
        address: The URL of the page.
        sections: The sections that have statements, in the order of the page.
    """

    name: str
    title: str
    address: str
    sections: Sequence[Section]


def runs(text: str, *rows: tuple[object, ...]) -> Statement:
    """Return a statement that runs, with the rows of its result; without rows the result is not compared."""
    return Statement(text, rows or None)


def refused(text: str, message: str, instead: str) -> Statement:
    """Return a statement that is refused, with a part of the message of the error and the alternative."""
    return Statement(text, refused=message, instead=instead)
