"""One record key column as it is, and folders made of a time by a date pattern, such as yyyy/MM/dd."""

from __future__ import annotations

import pyarrow as pa
from attrs import frozen

from hoodoo.keys import TimeFormat, plain_keys, timed_partition_paths
from hoodoo.plugin import hookimpl, option
from hoodoo.record import KeyConfig

__version__ = "0.1.0"

_PREFIX = "hoodie.keygen.timebased."


@frozen
class TimestampKeyGenerator:
    """Hudi's TimestampBasedKeyGenerator.

    Patterns are Joda's: `hh` is the 12-hour clock. A null is one unit after the epoch, so it lies in 1970.
    """

    timestamp_type: str | None = option(
        default=None,
        key=_PREFIX + "timestamp.type",
        help="what the column holds: UNIX_TIMESTAMP (seconds), EPOCHMILLISECONDS, EPOCHMICROSECONDS, SCALAR"
        " (time_unit), DATE_STRING or MIXED (texts); texts if only input_format is set",
    )
    time_unit: str | None = option(
        default=None,
        key=_PREFIX + "timestamp.scalar.time.unit",
        help="the unit of SCALAR: nanoseconds, microseconds, milliseconds, seconds (the default), minutes, hours, days",
    )
    input_format: str | None = option(
        default=None,
        key=_PREFIX + "input.dateformat",
        help="date patterns of texts, tried in order",
    )
    input_format_delimiter: str | None = option(
        default=None,
        key=_PREFIX + "input.dateformat.list.delimiter.regex",
        help="a regular expression that separates the input formats; a comma by default",
    )
    output_format: str | None = option(
        default=None,
        key=_PREFIX + "output.dateformat",
        help="the date pattern of the partition path; a slash makes a folder level",
    )
    timezone: str | None = option(
        default=None,
        key=_PREFIX + "timezone",
        help="the time zone of input and output; overrides both",
    )
    input_timezone: str | None = option(
        default=None,
        key=_PREFIX + "input.timezone",
        help="the time zone of texts that name none; UTC by default",
    )
    output_timezone: str | None = option(
        default=None,
        key=_PREFIX + "output.timezone",
        help="the time zone of the partition path; by default the one that a text was read in, UTC for numbers",
    )

    def __attrs_post_init__(self) -> None:
        # options that cannot be honoured are refused before any row is looked at
        self._format()

    def record_keys(self, rows: pa.Table, config: KeyConfig) -> pa.Array:
        """The text of the record key column."""
        return plain_keys(rows, config, "timestamp")

    def partition_paths(self, rows: pa.Table, config: KeyConfig) -> pa.Array:
        """The time in the partition column, written by the output format."""
        return timed_partition_paths(rows, config, self._format(), "timestamp")

    def _format(self) -> TimeFormat:
        return TimeFormat(
            self.timestamp_type,
            self.time_unit,
            self.input_format,
            self.input_format_delimiter,
            self.output_format,
            self.timezone,
            self.input_timezone,
            self.output_timezone,
        )


@hookimpl
def hoodoo_keygen() -> type[TimestampKeyGenerator]:
    """The class behind the name."""
    return TimestampKeyGenerator
