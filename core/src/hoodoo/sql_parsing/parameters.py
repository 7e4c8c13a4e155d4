"""Parameters of a statement: markers `:name` and `{name}`, and the literals that replace them.

A value never becomes part of a statement unchanged: it becomes a literal, whose text cannot end early.
"""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from attrs import frozen

from hoodoo.errors import StatementError
from hoodoo.sql_parsing.cursor import Cursor
from hoodoo.sql_text.fragment import Fragment
from hoodoo.sql_text.placed_text import Piece
from hoodoo.sql_text.tokens import Kind

__all__ = ["Marker", "literal", "literal_pieces", "markers", "named_in_braces", "with_literals"]

_PLAIN_TEXT = re.compile(r"[^'\"\\$`{}\x00-\x1f\x7f\ud800-\udfff]*")


@frozen
class Marker:
    """Marker of a parameter in a statement.

    Attributes:
        name: The name; "" for the marker `?`.
        at: The text of the marker.
        in_braces: Whether the marker is `{name}`.
    """

    name: str
    at: Fragment
    in_braces: bool = False


def markers(part: Fragment) -> list[Marker]:
    """Return the markers of a part, in order. Markers in strings, comments and types are ignored.

    Raises:
        StatementError: A string, a name, a comment or a brace is not closed.
    """
    cursor = Cursor.of(part.statement[: part.end])
    found: list[Marker] = []
    angles: list[bool] = []
    while not cursor.at_end:
        token = cursor.next()
        after = cursor.peek()
        if token.kind is not Kind.SYMBOL:
            continue
        if token.value == "<":
            angles.append(cursor.tokens[max(0, cursor.index - 2)].upper in ("STRUCT", "ARRAY", "MAP"))
        elif token.value == ">" and angles:
            angles.pop()
        if token.start < part.start:
            continue
        adjacent = after.start == token.end
        if token.value == ":" and after.is_name and adjacent and not (angles and angles[-1]):
            found.append(Marker(after.value, Fragment(part.statement, token.start, after.end)))
        elif token.value == "?":
            found.append(Marker("", Fragment(part.statement, token.start, token.end)))
        elif token.value == "{":
            cursor.index -= 1
            cursor.skip_one()
            last = cursor.tokens[cursor.index - 1]
            found.append(Marker(after.value, Fragment(part.statement, token.start, last.end), in_braces=True))
    return found


def named_in_braces(text: str) -> frozenset[str]:
    """Return the names of the markers `{name}` of a statement; if its text has an error, all words after a brace."""
    try:
        return frozenset(marker.name for marker in markers(Fragment(text, 0, len(text))) if marker.in_braces)
    except StatementError:
        return frozenset(re.findall(r"\{(\w+)", text))


def with_literals(part: Fragment, values: Mapping[str, Any]) -> str:
    """Return the text of a part in which literals replace the markers; see `literal_pieces` for errors."""
    return "".join(piece.text for piece in literal_pieces(part, values))


def literal_pieces(
    part: Fragment, values: Mapping[str, Any], *, escapes: bool = True, template: bool = False
) -> Iterator[Piece]:
    """Yield the pieces of a part, in which literals replace the markers.

    Args:
        part: An expression.
        values: The parameters by name.
        template: Whether the statement has markers `{name}`, so that two braces in a string are one, as in Spark.
        escapes: Whether backslashes escape characters in Spark's strings, which is the default of Spark.

    Raises:
        StatementError: A parameter is missing, its value has no literal, or a marker is `?` or a column of a DataFrame,
            such as `{df.id}`. Other errors are those of `markers`.
    """
    position = part.start
    for marker in markers(part):
        yield from _unescaped(Fragment(part.statement, position, marker.at.start), template)
        yield Piece(_value_of(marker, values, escapes), marker.at)
        position = marker.at.end
    yield from _unescaped(Fragment(part.statement, position, part.end), template)


def _unescaped(part: Fragment, template: bool) -> Iterator[Piece]:
    """Yield the pieces of a part without markers, in which one brace replaces two."""
    position = part.start
    for braces in re.finditer(r"\{\{|\}\}", part.sql) if template else ():
        at = Fragment(part.statement, part.start + braces.start(), part.start + braces.end())
        before = Fragment(part.statement, position, at.start)
        yield Piece(before.sql, before)
        yield Piece(braces[0][0], at)
        position = at.end
    last = Fragment(part.statement, position, part.end)
    yield Piece(last.sql, last)


def _value_of(marker: Marker, values: Mapping[str, Any], escapes: bool) -> str:
    if not marker.name:
        raise marker.at.error("a marker '?' is possible in queries only; name the parameter, as in ':limit'")
    if marker.name not in values:
        given = f"; the given parameters are: {', '.join(sorted(values))}" if values else ""
        raise marker.at.error(f"the value of parameter '{marker.name}' is missing; pass it{given}")
    if marker.in_braces and marker.at.sql.strip("{} ") != marker.name:
        raise marker.at.error(
            f"a column of a DataFrame is not possible here; use {{{marker.name}}} as the source of MERGE, or in a query"
        )
    try:
        return literal(values[marker.name], escapes=escapes)
    except TypeError as error:
        raise marker.at.error(f"parameter '{marker.name}' {error}") from error


def literal(value: Any, *, escapes: bool = True) -> str:
    """Return a value as a literal of Spark's SQL, with the type that PySpark gives it.

    Raises:
        TypeError: Spark has no literal for the type or for the value, such as a decimal with more than 38 digits.
    """
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, str):
        return _text(str(value), escapes)
    if isinstance(value, bytes | bytearray):
        return f"X'{bytes(value).hex().upper()}'"
    if isinstance(value, int):
        return _whole(int(value))
    if isinstance(value, float):
        return _float(float(value))
    if isinstance(value, Decimal):
        return _decimal(value)
    return _time(value)


def _text(value: str, escapes: bool) -> str:
    if _PLAIN_TEXT.fullmatch(value):
        return f"'{value}'"
    if escapes and "${" not in value and value.isprintable():
        return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
    try:
        return f"CAST(X'{value.encode().hex().upper()}' AS STRING)"
    except UnicodeEncodeError as error:
        raise TypeError("is text with half of a surrogate pair, which UTF-8 cannot encode; correct it") from error


def _whole(value: int) -> str:
    if -(2**31) < value < 2**31:
        return f"{value}" if value >= 0 else f"({value})"
    if -(2**63) < value < 2**63:
        return f"{value}L" if value >= 0 else f"({value}L)"
    return _decimal(Decimal(value))


def _float(value: float) -> str:
    if math.isfinite(value):
        return f"{value!r}D" if math.copysign(1, value) > 0 else f"({value!r}D)"
    return f"CAST('{'NaN' if math.isnan(value) else 'Infinity' if value > 0 else '-Infinity'}' AS DOUBLE)"


def _decimal(value: Decimal) -> str:
    if not value.is_finite():
        raise TypeError(f"is the decimal {value}, which Spark does not have; pass a float")
    _, digits, exponent = value.as_tuple()
    scale = max(0, -int(exponent))
    precision = max(len(digits) + max(0, int(exponent)), scale, 1)
    if precision > 38:
        raise TypeError(f"is {value}, which has {precision} digits; Spark's decimals have at most 38; pass text")
    return f"CAST('{value:f}' AS DECIMAL({precision},{scale}))"


def _time(value: Any) -> str:
    if isinstance(value, dt.datetime):
        # PySpark interprets a time without a zone in the time zone of this process
        try:
            utc = value.astimezone(dt.UTC)
        except (OverflowError, ValueError):
            raise TypeError(f"is {value}, which is not in the years 1 to 9999 in UTC; pass another time") from None
        return f"TIMESTAMP'{utc.isoformat(sep=' ', timespec='microseconds')}'"
    if isinstance(value, dt.date):
        return f"DATE'{value.isoformat()}'"
    if isinstance(value, dt.timedelta):
        total = abs(value)
        hours, seconds = divmod(total.seconds, 3600)
        minutes, seconds = divmod(seconds, 60)
        sign = "-" if value < dt.timedelta() else ""
        text = f"{sign}{total.days} {hours:02d}:{minutes:02d}:{seconds:02d}.{total.microseconds:06d}"
        return f"INTERVAL '{text}' DAY TO SECOND"
    raise TypeError(
        f"is of type {type(value).__name__}, which has no literal; pass text, a number, a decimal, bytes, a date, a "
        "datetime, a timedelta or None"
    )
