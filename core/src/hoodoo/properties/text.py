"""Java's properties text: ISO-8859-1, Unicode escapes, continued lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

__all__ = ["dump_properties", "parse_properties"]

_BLANKS = " \t\f"
_LINE_END = re.compile(r"\r\n|\n|\r")
_ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}
_ESCAPED = {"\t": "\\t", "\n": "\\n", "\r": "\\r", "\f": "\\f", "\\": "\\\\", "=": "\\=", ":": "\\:"}


def parse_properties(body: bytes) -> dict[str, str]:
    """Keys and values of a properties file; of a key that stands twice the last value counts.

    Raises `ValueError` for a damaged Unicode escape, with the text around it.
    """
    entries = {}
    for line in _logical_lines(body.decode("latin-1")):
        key, value = _split(line)
        entries[_unescape(key)] = _unescape(value)
    return entries


def dump_properties(entries: Mapping[str, str], comments: Sequence[str] = ()) -> bytes:
    """The text of a properties file, as Java's own writer escapes it; comment lines come first."""
    lines = [f"#{comment}" for comment in comments]
    lines += [f"{_escape(key, key=True)}={_escape(value, key=False)}" for key, value in entries.items()]
    return ("\n".join(lines) + "\n").encode("latin-1")


def _logical_lines(text: str) -> Iterator[str]:
    pending: str | None = None
    for natural in _LINE_END.split(text):
        line = natural.lstrip(_BLANKS)
        if pending is None and (not line or line[0] in "#!"):
            continue
        line = (pending or "") + line
        backslashes = len(line) - len(line.rstrip("\\"))
        if backslashes % 2:
            pending = line[:-1]
        else:
            pending = None
            yield line
    if pending:
        yield pending


def _split(line: str) -> tuple[str, str]:
    at = 0
    while at < len(line) and line[at] not in "=:" + _BLANKS:
        at += 2 if line[at] == "\\" else 1
    rest = line[at:].lstrip(_BLANKS)
    if rest[:1] in ("=", ":"):
        rest = rest[1:].lstrip(_BLANKS)
    return line[:at], rest


def _unescape(text: str) -> str:
    if "\\" not in text:
        return text
    parts = []
    at = 0
    while at < len(text):
        character = text[at]
        if character != "\\" or at + 1 == len(text):
            parts.append(character)
            at += 1
            continue
        escaped = text[at + 1]
        if escaped == "u":
            digits = text[at + 2 : at + 6]
            if not re.fullmatch("[0-9A-Fa-f]{4}", digits):
                raise ValueError(f"damaged \\u escape in {text[at : at + 20]!r}")
            parts.append(chr(int(digits, 16)))
            at += 6
        else:
            parts.append(_ESCAPES.get(escaped, escaped))
            at += 2
    # characters beyond the basic plane stand as two escapes, one per UTF-16 unit
    return "".join(parts).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _escape(text: str, *, key: bool) -> str:
    parts = []
    for at, character in enumerate(text):
        if character in _ESCAPED:
            parts.append(_ESCAPED[character])
        elif character == " ":
            parts.append("\\ " if key or at == 0 else " ")
        elif character in "#!":
            parts.append("\\" + character)
        elif " " <= character <= "~":
            parts.append(character)
        else:
            units = character.encode("utf-16-be", "surrogatepass")
            parts += [f"\\u{units[i] << 8 | units[i + 1]:04X}" for i in range(0, len(units), 2)]
    return "".join(parts)
