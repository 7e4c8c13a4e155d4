"""Options of key generators that make folders from times."""

from __future__ import annotations

from typing import Any

import attrs
from attrs import frozen

from hoodoo.plugin import option
from hoodoo_library_java_time.time_format import TimeFormat

__all__ = ["TimeOptions"]

_PREFIX = "hoodie.keygen.timebased."
_FIRST_PREFIX = "hoodie.deltastreamer.keygen.timebased."
"""The prefix of the first releases of Hudi."""


def _time_option(name: str, help: str) -> Any:  # noqa: A002 - the word that option declarations use everywhere
    return option(default=None, key=_PREFIX + name, more_keys=(_FIRST_PREFIX + name,), help=help)


@frozen
class TimeOptions:
    """Options `hoodie.keygen.timebased.*` of Hudi, for key generators whose classes derive from this class."""

    timestamp_type: str | None = _time_option(
        "timestamp.type",
        "Kind of the values: UNIX_TIMESTAMP (seconds), EPOCHMILLISECONDS, EPOCHMICROSECONDS, SCALAR (numbers in "
        "time_unit), DATE_STRING or MIXED (texts); by default texts, if input_format is set.",
    )
    time_unit: str | None = _time_option(
        "timestamp.scalar.time.unit",
        "Unit of SCALAR: nanoseconds, microseconds, milliseconds, seconds (the default), minutes, hours, days.",
    )
    input_format: str | None = _time_option(
        "input.dateformat",
        "Date patterns of the texts; the first one that matches is used.",
    )
    input_format_delimiter: str | None = _time_option(
        "input.dateformat.list.delimiter.regex",
        "Regular expression that separates the input formats; a comma by default.",
    )
    output_format: str | None = _time_option(
        "output.dateformat",
        "Date pattern of the partition path; a slash begins a folder level.",
    )
    timezone: str | None = _time_option(
        "timezone",
        "Time zone of input and output; it overrides input_timezone and output_timezone.",
    )
    input_timezone: str | None = _time_option(
        "input.timezone",
        "Time zone of texts without a time zone; UTC by default.",
    )
    output_timezone: str | None = _time_option(
        "output.timezone",
        "Time zone of the partition path; by default the zone in which a text was read, UTC for numbers.",
    )

    def time_format(self) -> TimeFormat:
        """Return the conversion according to the options.

        Raises:
            OptionError: An option is missing or has a value that is not supported.
        """
        return TimeFormat(*(getattr(self, field.name) for field in attrs.fields(TimeOptions)))

    @property
    def has_times(self) -> bool:
        """Return whether any of the options is set."""
        return any(getattr(self, field.name) is not None for field in attrs.fields(TimeOptions))
