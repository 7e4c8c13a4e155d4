"""A part of the text of a statement, with its position."""

from __future__ import annotations

from attrs import frozen

from hoodoo.errors import StatementError

__all__ = ["Fragment", "Name"]


@frozen
class Fragment:
    """Part of a statement, as it is written.

    Attributes:
        statement: The text of the whole statement.
        start: Offset of the first character.
        end: Offset after the last character.
    """

    statement: str
    start: int
    end: int

    @property
    def sql(self) -> str:
        """Return the text of the part."""
        return self.statement[self.start : self.end]

    def error(self, message: str, *, code: str | None = None) -> StatementError:
        """Return an error at the position of the part."""
        return StatementError(message, text=self.statement, position=self.start, code=code)


@frozen
class Name:
    """Name of a table or column.

    Attributes:
        parts: The identifiers between the dots, without backticks.
        at: The place in the statement.
        is_quoted: Whether the last part is in backticks.
    """

    parts: tuple[str, ...]
    at: Fragment
    is_quoted: bool = False

    def __str__(self) -> str:
        return ".".join(self.parts)
