"""Wording of numbers, sizes and durations in findings."""

from __future__ import annotations

from datetime import timedelta

__all__ = ["counted", "duration", "size"]

_IRREGULAR = {"copy": "copies", "entry": "entries", "key": "keys"}


def counted(number: int, noun: str) -> str:
    """Return a number with its noun in the singular or plural: `1 row`, `1,200 rows`."""
    first, _, rest = noun.partition(" ") if noun.startswith(("file group", "file slice")) else ("", "", noun)
    plural = _IRREGULAR.get(rest, f"{rest}s")
    return " ".join(part for part in (f"{number:,}", first, rest if number == 1 else plural) if part)


def size(number: float) -> str:
    """Return a number of bytes in the largest unit that is not above it: `3.2 MiB`."""
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if number < 1024:
            return f"{number:.0f} {unit}" if unit == "bytes" else f"{number:.1f} {unit}"
        number /= 1024
    return f"{number:.1f} TiB"


def duration(time: timedelta) -> str:
    """Return a duration without its sign, in the unit that suits it: `40 s`, `12 min`, `3.5 h`, `20 days`."""
    seconds = abs(time.total_seconds())
    if seconds < 120:
        return f"{seconds:.0f} s"
    if seconds < 2 * 3600:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h" if seconds < 2 * 86400 else f"{seconds / 86400:.0f} days"
