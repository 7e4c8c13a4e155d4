"""Text whose characters have positions in the text of a statement, so that errors can show them."""

from __future__ import annotations

from collections.abc import Iterable

from attrs import frozen

from hoodoo.errors import StatementError
from hoodoo.sql_text.fragment import Fragment, error_in

__all__ = ["Piece", "PlacedText", "at_place_of", "error_at", "placed", "sliced"]


@frozen
class Piece:
    """Text that replaces a part of a statement; most often the unchanged part.

    Attributes:
        text: The text that replaces the part.
        at: The part that the text replaces.
    """

    text: str
    at: Fragment


class PlacedText(str):
    """Text that is made of parts of a statement.

    Attributes:
        whole: The text of the whole statement.
        spans: For each piece, its offset in this text, and the offsets of its start and its end in the statement, all
            in characters. The last two are equal for a piece that replaces another text, such as a literal for a
            parameter.
    """

    whole: str
    spans: tuple[tuple[int, int, int], ...]

    def place(self, offset: int) -> int:
        """Return the offset in the statement of the character at an offset of this text."""
        own, first, last = next((span for span in reversed(self.spans) if span[0] <= offset), self.spans[0])
        return min(first + max(offset - own, 0), last)


def placed(pieces: Iterable[Piece]) -> PlacedText:
    """Return the concatenated text of pieces of one statement; `pieces` must not be empty."""
    given = list(pieces)
    spans, length = [], 0
    for piece in given:
        is_copy = piece.text == piece.at.sql
        spans.append((length, piece.at.start, piece.at.end if is_copy else piece.at.start))
        length += len(piece.text)
    return _made("".join(piece.text for piece in given), given[0].at.statement, spans)


def at_place_of(text: str, name: str) -> str:
    """Return a name with the position of another text, if that text has one: errors about the name show that text."""
    if not isinstance(text, PlacedText):
        return name
    return _made(name, text.whole, [(0, text.place(0), text.place(0))])


def sliced(text: str, start: int, end: int) -> PlacedText:
    """Return the characters of a text from `start` to `end`, without white space at both ends."""
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    if not isinstance(text, PlacedText):
        return placed([Piece(text[start:end], Fragment(text, start, end))])
    inside = [span for span in text.spans if start < span[0] < end]
    moved = [(own - start, first, last) for own, first, last in inside]
    last = next((span[2] for span in reversed(text.spans) if span[0] <= start), text.spans[0][2])
    return _made(text[start:end], text.whole, [(0, text.place(start), last), *moved])


def _made(text: str, whole: str, spans: Iterable[tuple[int, int, int]]) -> PlacedText:
    found = PlacedText(text)
    found.whole, found.spans = whole, tuple(spans)
    return found


def error_at(message: str, text: str, offset: int = 0, *, code: str | None = None) -> StatementError:
    """Return an error that shows the line of an offset in the text, or in the statement that contains the text.

    Args:
        message: The sentence of the error.
        text: The text, or a part of a statement.
        offset: The offset of the fault in the text, in characters.
        code: The code of the error; None for that of the class.
    """
    if isinstance(text, PlacedText):
        return error_in(text.whole, text.place(offset), message, code=code)
    return error_in(text, min(offset, len(text)), message, code=code)
