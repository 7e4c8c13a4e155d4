"""Parts and names in the text of a statement, with their positions, and errors that show a position."""

from __future__ import annotations

from attrs import frozen

from hoodoo.errors import StatementError

__all__ = ["Fragment", "Name", "error_in"]


@frozen
class Fragment:
    """Part of a statement, as it is written.

    Attributes:
        statement: The text of the whole statement.
        start: Offset of the first character in the statement, in characters.
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
        return error_in(self.statement, self.start, message, code=code)


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


def error_in(text: str, position: int, message: str, *, code: str | None = None) -> StatementError:
    """Return an error that shows a position of a text: its line, at most 100 characters of it, with a caret.

    Args:
        text: The text.
        position: The offset of the fault, in characters.
        message: The sentence of the error.
        code: The code of the error; None for that of the class.
    """
    line, column = text.count("\n", 0, position) + 1, position - (text.rfind("\n", 0, position) + 1)
    shown = text.split("\n")[line - 1].rstrip("\r").replace("\t", " ")
    begin = max(0, min(column - 50, len(shown) - 100))
    excerpt = f"  {shown[begin : begin + 100]}\n  {' ' * (column - begin)}^"
    return StatementError(
        f"{message} (line {line}, column {column + 1})\n{excerpt}", line=line, column=column + 1, code=code
    )
