"""Reader of times of fixed width, such as 2024-01-15T10:30:00.000Z, by whole columns of digits."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from attrs import frozen
from numpy.typing import NDArray

from hoodoo_library_java_time.calendar import DAY, HOUR, MINUTE, SECOND
from hoodoo_library_java_time.pattern import Part

__all__ = ["FixedTimes", "read_fixed_width"]

_WIDTHS = {"y": 4, "M": 2, "d": 2, "H": 2, "m": 2, "s": 2}
_OFFSET_WIDTHS = (1, 5, 6)
_ZERO, _NINE = ord("0"), ord("9")


@frozen
class FixedTimes:
    """Times of n texts; the times of rows that are not `ok` are undefined.

    Attributes:
        ok: Mask of the texts that have exactly the form of the pattern, and a date and time that exist.
        local: Local milliseconds since 1970-01-01T00:00.
        offset: Milliseconds east of UTC; None if the pattern has no offset.
    """

    ok: NDArray[np.bool_]
    local: NDArray[np.int64]
    offset: NDArray[np.int64] | None


def read_fixed_width(texts: pa.Array, parts: Sequence[Part]) -> FixedTimes | None:
    """Read n texts (without nulls) by a pattern of full-width numbers, literals and perhaps an offset at the end.

    Texts that need lenient rules are not `ok`, and `DateReader` reads them. The result is None for all other patterns,
    such as a pattern without a year, with a day but no month, or with a field twice.
    """
    with_offset = bool(parts) and parts[-1].letter == "Z"
    body = parts[:-1] if with_offset else parts
    if not _has_fixed_width(body) or (with_offset and parts[-1].count > 2):
        return None
    width = sum(_width(part) for part in body)
    count = len(texts)
    ok = np.zeros(count, dtype=np.bool_)
    local = np.zeros(count, dtype=np.int64)
    offset = np.zeros(count, dtype=np.int64)
    lengths = pc.binary_length(texts).to_numpy(zero_copy_only=False)
    for extra in _OFFSET_WIDTHS if with_offset else (0,):
        rows = np.flatnonzero(lengths == width + extra)
        if len(rows):
            letters = _letters(texts if len(rows) == count else texts.take(pa.array(rows)), width + extra)
            ok[rows], local[rows] = _read_body(letters, body)
            if extra:
                fits, offset[rows] = _read_offset(letters[:, width:])
                ok[rows] &= fits
    return FixedTimes(ok, local, offset if with_offset else None)


def _has_fixed_width(parts: Sequence[Part]) -> bool:
    letters = [part.letter for part in parts if part.letter]
    fields = set(letters)
    # other rules complete a pattern without a year, or with a day and without its month
    return (
        len(fields) == len(letters)
        and "y" in fields
        and ("d" not in fields or "M" in fields)
        and all(part.text.isascii() if not part.letter else _is_full(part) for part in parts)
        and not any(part.letter == "y" and after.text[:1].isdigit() for part, after in pairwise(parts))
    )


def _is_full(part: Part) -> bool:
    return part.letter == "S" or _WIDTHS.get(part.letter) == part.count


def _width(part: Part) -> int:
    return part.count if part.letter else len(part.text)


def _letters(texts: pa.Array, width: int) -> NDArray[np.uint8]:
    """Return the bytes of texts of one width, a row per text."""
    data = texts.cast(pa.binary()).cast(pa.binary(width)).buffers()[1]
    letters: NDArray[np.uint8] = np.frombuffer(data, dtype=np.uint8).reshape(len(texts), width)
    return letters


def _read_body(letters: NDArray[np.uint8], parts: Sequence[Part]) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    fits = np.ones(len(letters), dtype=np.bool_)
    values: dict[str, NDArray[np.int64]] = {}
    place = 0
    for part in parts:
        piece = letters[:, place : place + _width(part)]
        place += _width(part)
        if part.letter:
            fits &= _are_digits(piece)
            values[part.letter] = _number(piece[:, :3] if part.letter == "S" else piece)
            if part.letter == "S":
                values["S"] *= 10 ** max(3 - part.count, 0)
        else:
            fits &= (piece == np.frombuffer(part.text.encode(), dtype=np.uint8)).all(axis=1)
    zeros = np.zeros(len(letters), dtype=np.int64)
    month, day = values.get("M", zeros + 1), values.get("d", zeros + 1)
    fits &= (month >= 1) & (month <= 12)
    months = (values["y"] - 1970) * 12 + month - 1
    first = months.astype("datetime64[M]").astype("datetime64[D]").astype(np.int64)
    following = (months + 1).astype("datetime64[M]").astype("datetime64[D]").astype(np.int64)
    fits &= (day >= 1) & (day <= following - first)
    local = (first + day - 1) * DAY
    for letter, unit, most in (("H", HOUR, 23), ("m", MINUTE, 59), ("s", SECOND, 59), ("S", 1, 999)):
        value = values.get(letter, zeros)
        fits &= value <= most
        local += value * unit
    return fits, local


def _read_offset(letters: NDArray[np.uint8]) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Read `Z`, `+hhmm` or `+hh:mm`, by the width; return a mask of the rows that fit, and offsets in milliseconds."""
    width = letters.shape[1]
    if width == 1:
        return _are(letters[:, 0], "Z"), np.zeros(len(letters), dtype=np.int64)
    negative = _are(letters[:, 0], "-")
    fits = negative | _are(letters[:, 0], "+")
    if width == 6:
        fits &= _are(letters[:, 3], ":")
    digits = np.concatenate((letters[:, 1:3], letters[:, width - 2 :]), axis=1)
    hours, minutes = _number(digits[:, :2]), _number(digits[:, 2:])
    fits &= _are_digits(digits) & (hours <= 23) & (minutes <= 59)
    total = hours * HOUR + minutes * MINUTE
    return fits, np.where(negative, -total, total)


def _are(letters: NDArray[np.uint8], wanted: str) -> NDArray[np.bool_]:
    return np.asarray(letters == ord(wanted), dtype=np.bool_)


def _are_digits(letters: NDArray[np.uint8]) -> NDArray[np.bool_]:
    return np.asarray(((letters >= _ZERO) & (letters <= _NINE)).all(axis=1), dtype=np.bool_)


def _number(letters: NDArray[np.uint8]) -> NDArray[np.int64]:
    value = np.zeros(len(letters), dtype=np.int64)
    for column in range(letters.shape[1]):
        value = value * 10 + (letters[:, column].astype(np.int64) - _ZERO)
    return value
