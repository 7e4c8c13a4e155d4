"""Java's properties format: ISO-8859-1, Unicode escapes, continued lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

__all__ = ["dump_properties", "parse_properties"]

_BLANKS = " \t\f"
_LINE_END = re.compile(r"\r\n|\n|\r")
_ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}
_ESCAPED = {character: "\\" + letter for letter, character in _ESCAPES.items()} | {c: "\\" + c for c in "\\=:#!"}
_ESCAPE = re.compile(r"\\(u[0-9A-Fa-f]{4}|.)", re.DOTALL)
_SPECIAL = re.compile(r"[^ -~]|[\\=:#!]")


def parse_properties(body: bytes) -> dict[str, str]:
    """Return the keys and values of a properties file; the last value of a repeated key counts.

    Raises:
        ValueError: A Unicode escape is damaged; the message has the text that begins with it.
    """
    entries = {}
    for line in _logical_lines(body.decode("latin-1")):
        key, value = _split(line)
        entries[_unescape(key)] = _unescape(value)
    return entries


def dump_properties(entries: Mapping[str, str], comments: Sequence[str] = ()) -> bytes:
    """Return the bytes of a properties file, escaped as by Java's own writer; comment lines come first."""
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
    # characters beyond the basic plane are two escapes, one per UTF-16 unit
    return _ESCAPE.sub(_unescaped, text).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _unescaped(found: re.Match[str]) -> str:
    escaped = found[1]
    if escaped == "u":
        raise ValueError(f"damaged \\u escape in '{found.string[found.start() : found.start() + 20]}'")
    return chr(int(escaped[1:], 16)) if escaped[0] == "u" else _ESCAPES.get(escaped, escaped)


def _escape(text: str, *, key: bool) -> str:
    escaped = _SPECIAL.sub(_escaped, text)
    if key:
        return escaped.replace(" ", "\\ ")
    return "\\" + escaped if escaped.startswith(" ") else escaped


def _escaped(found: re.Match[str]) -> str:
    character = found[0]
    if character in _ESCAPED:
        return _ESCAPED[character]
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i] << 8 | units[i + 1]:04X}" for i in range(0, len(units), 2))
