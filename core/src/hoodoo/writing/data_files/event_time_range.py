"""Range of event times among records, as Hudi records it for each file: milliseconds since the epoch."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from hoodoo.errors import OptionError
from hoodoo.options import WriteOptions
from hoodoo.record import Records

__all__ = ["event_times", "is_event_time", "tracked_column"]

_SECONDS = (10**9, 10**10 - 1)
_MILLISECONDS = (10**12, 10**13 - 1)


def event_times(records: Records, column: str) -> tuple[int, int] | None:
    """Return the smallest and the largest event time in milliseconds since the epoch; None without event times.

    As in Hudi, a number or text of ten digits is in seconds, and one of thirteen digits in milliseconds. Values of
    another length are ignored.

    Args:
        records: The records; event times of deletes are ignored.
        column: Name of a column of timestamps, dates, whole numbers or texts; "" for none.
    """
    if not column or not len(records):
        return None
    values = records.column(column)
    if records.is_delete.any():
        values = values.filter(pa.array(~records.is_delete))
    found = pc.min_max(_milliseconds(values))
    return None if found["min"].as_py() is None else (found["min"].as_py(), found["max"].as_py())


def tracked_column(write: WriteOptions, ordering: tuple[str, ...]) -> str:
    """Return the column of the event time, by default the first ordering column; "" if event times are not tracked.

    Raises:
        OptionError: Event times are to be tracked, and neither the event time column nor an ordering column is set.
    """
    wanted = write.event_time_field is not None if write.track_event_time is None else write.track_event_time
    if not wanted:
        return ""
    if write.event_time_field is None and not ordering:
        raise OptionError(
            "'track_event_time' is true, and the table has no ordering column; set 'event_time_field' to a column"
        )
    return write.event_time_field or ordering[0]


def is_event_time(type_: pa.DataType) -> bool:
    """Return whether a column of a type can contain event times."""
    return bool(
        pa.types.is_timestamp(type_) or pa.types.is_date(type_) or pa.types.is_integer(type_) or _is_text(type_)
    )


def _milliseconds(values: pa.Array) -> pa.Array:
    type_ = values.type
    if pa.types.is_timestamp(type_) or pa.types.is_date(type_):
        return values.cast(pa.timestamp("ms", getattr(type_, "tz", None)), safe=False).cast(pa.int64())
    if _is_text(type_):
        values = values.filter(pc.match_substring_regex(values, "^[0-9]{10}([0-9]{3})?$"))
    numbers = values.cast(pa.int64())
    in_seconds = pc.filter(numbers, _between(numbers, _SECONDS))
    in_milliseconds = pc.filter(numbers, _between(numbers, _MILLISECONDS))
    return pa.concat_arrays([pc.multiply(in_seconds, 1000), in_milliseconds])


def _between(numbers: pa.Array, ends: tuple[int, int]) -> pa.Array:
    return pc.and_(pc.greater_equal(numbers, ends[0]), pc.less_equal(numbers, ends[1]))


def _is_text(type_: pa.DataType) -> bool:
    return bool(pa.types.is_string(type_) or pa.types.is_large_string(type_))
