"""The options of key generators that make folders of times."""

from __future__ import annotations

import attrs
from attrs import frozen

from hoodoo.keys.timebased import TimeFormat
from hoodoo.options.parse import TIMEBASED_PREFIXES
from hoodoo.plugin import option

__all__ = ["TimeOptions"]

_PREFIX = TIMEBASED_PREFIXES[0]


@frozen
class TimeOptions:
    """Hudi's `hoodie.keygen.timebased.*`; the base of a key generator's class, whose options they are then."""

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

    def time_format(self) -> TimeFormat:
        """What the options say.

        Raises:
            OptionError: An option is missing or cannot be honoured.
        """
        return TimeFormat(*(getattr(self, field.name) for field in attrs.fields(TimeOptions)))

    @property
    def has_times(self) -> bool:
        """Whether any of the options is set."""
        return any(getattr(self, field.name) is not None for field in attrs.fields(TimeOptions))
