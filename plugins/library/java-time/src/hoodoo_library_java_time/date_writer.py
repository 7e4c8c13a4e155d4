"""Writer of times by a Joda date pattern, for whole arrays."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from attrs import field, frozen
from numpy.typing import NDArray

from hoodoo.errors import OptionError
from hoodoo_library_java_time.calendar import DAY, SECOND
from hoodoo_library_java_time.pattern import Part, parse_pattern
from hoodoo_library_java_time.zone import UTC_ZONE, Zone, offset_text

__all__ = ["DateWriter"]


@frozen
class DateWriter:
    """Writer of times by one pattern.

    Attributes:
        pattern: A Joda date pattern.
        option: The option with the pattern, for messages.
    """

    pattern: str
    option: str
    parts: tuple[Part, ...] = field(init=False, repr=False)

    @parts.default
    def _parts(self) -> tuple[Part, ...]:
        return parse_pattern(self.pattern, self.option)

    def write(self, millis: NDArray[np.int64], zone: Zone) -> pa.Array:
        """Return the texts of n instants (milliseconds since the epoch) in a zone: a string array.

        Instants with one offset share one text within a unit of the narrowest field, at most a day: an hourly pattern
        creates one text per hour.

        Raises:
            OptionError: The pattern has the name of the zone, which is not available.
        """
        if not len(millis):
            return pa.array([], type=pa.string())
        offsets = zone.offsets(millis)
        step = min((part.field.span for part in self.parts if part.field is not None), default=DAY)
        codes = _codes((millis + offsets) // min(step, DAY))
        if any(part.letter in ("z", "Z") for part in self.parts):
            codes = _codes(codes * (2 * DAY // SECOND) + (offsets + DAY) // SECOND)
        _, firsts, inverse = np.unique(codes, return_index=True, return_inverse=True)
        texts = [self.write_one(int(millis[row]), int(offsets[row]), zone) for row in firsts.tolist()]
        return pa.array(texts, type=pa.string()).take(pa.array(inverse))

    def write_one(self, millis: int, offset: int, zone: Zone) -> str:
        """Return the text of the instant `millis`, at which the zone has `offset`; both are in milliseconds.

        Raises:
            OptionError: As `write`.
        """
        return "".join(_written(part, millis, offset, zone) for part in self.parts)


def _codes(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return small numbers that are equal exactly where the values are equal."""
    codes: NDArray[np.int64] = pa.array(values).dictionary_encode().indices.to_numpy().astype(np.int64)
    return codes


def _written(part: Part, millis: int, offset: int, zone: Zone) -> str:
    if part.field is None:
        return _zone_text(part, millis, offset, zone) if part.letter else part.text
    value = part.field.get(millis + offset)
    if part.words:
        return part.words[value - part.first]
    if part.letter == "S":
        return f"{value:03d}"[: part.count].ljust(part.count, "0")
    if part.two_digits:
        return f"{abs(value) % 100:02d}"
    return f"{'-' if value < 0 else ''}{abs(value):0{part.count}d}"


def _zone_text(part: Part, millis: int, offset: int, zone: Zone) -> str:
    if part.letter == "Z":
        return zone.name if part.count > 2 else offset_text(offset, ":" if part.count == 2 else "")
    if part.count < 4:
        return zone.short_name(millis)
    if zone != UTC_ZONE:
        raise OptionError(
            f"the long name of time zone {zone.name} (pattern letters 'zzzz') is not supported;"
            " write 'Z', 'ZZ' or 'ZZZ' instead"
        )
    return "Coordinated Universal Time"
