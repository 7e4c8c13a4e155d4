"""Partition values of times (numbers of a unit, dates, timestamps or texts), written with one output pattern."""

from __future__ import annotations

import re
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from attrs import field, frozen
from numpy.typing import NDArray

from hoodoo.errors import DataError, OptionError, SchemaError
from hoodoo.keys.distinct_values import examples
from hoodoo.keys.partition_path import check_partition_paths, escape_paths, hive_style, single_field
from hoodoo.keys.value_text import timestamp_micros, timestamp_millis
from hoodoo.record import KeyConfig
from hoodoo.schema.columns import column_at, is_text
from hoodoo_library_java_time.calendar import DAY, HOUR, MINUTE, SECOND
from hoodoo_library_java_time.date_reader import DateReader, ReadTimes
from hoodoo_library_java_time.date_writer import DateWriter
from hoodoo_library_java_time.zone import UTC_ZONE, Zone, zone_of

__all__ = ["TimeFormat", "timed_partition_paths"]

_TEXT_TYPES = ("DATE_STRING", "MIXED")
_TYPE_UNITS = {"UNIX_TIMESTAMP": "SECONDS", "EPOCHMILLISECONDS": "MILLISECONDS", "EPOCHMICROSECONDS": "MICROSECONDS"}
_UNITS = {
    "NANOSECONDS": Fraction(1, 1_000_000),
    "MICROSECONDS": Fraction(1, 1_000),
    "MILLISECONDS": Fraction(1),
    "SECONDS": Fraction(SECOND),
    "MINUTES": Fraction(MINUTE),
    "HOURS": Fraction(HOUR),
    "DAYS": Fraction(DAY),
}
_LARGEST = np.iinfo(np.int64).max
_LARGEST_FLOAT = float(np.nextafter(2.0**63, 0.0))
_NULL_VALUE = 1


@frozen
class TimeFormat:
    """Conversion of times to partition values, by Hudi's `hoodie.keygen.timebased.*` options under their short names.

    Without `timestamp_type` the values are texts if `input_format` is given. Without an output zone a text keeps the
    zone in which it was read, and a number is written in UTC.

    Raises:
        OptionError: An option is missing (code `input_format_missing` for the input format) or its value is refused.
    """

    timestamp_type: str | None = None
    time_unit: str | None = None
    input_format: str | None = None
    input_format_delimiter: str | None = None
    output_format: str | None = None
    timezone: str | None = None
    input_timezone: str | None = None
    output_timezone: str | None = None
    kind: str = field(init=False)
    unit: Fraction | None = field(init=False)
    input_zone: Zone | None = field(init=False)
    output_zone: Zone | None = field(init=False)
    reader: DateReader | None = field(init=False)
    writer: DateWriter = field(init=False)

    @kind.default
    def _kind(self) -> str:
        if not (self.timestamp_type or "").strip():
            if self.input_format:
                return "DATE_STRING"
            raise OptionError(f"option 'timestamp_type' is not set; set it to one of {', '.join(_types())}")
        kind = str(self.timestamp_type).strip().upper()
        if kind not in _types():
            raise OptionError(
                f"option 'timestamp_type' is '{self.timestamp_type}'; set it to one of {', '.join(_types())}"
            )
        return kind

    @unit.default
    def _unit(self) -> Fraction | None:
        if self.kind in _TEXT_TYPES:
            return None
        name = _TYPE_UNITS.get(self.kind) or (self.time_unit or "").strip().upper() or "SECONDS"
        if name not in _UNITS:
            raise OptionError(f"option 'time_unit' is '{self.time_unit}'; set it to one of {', '.join(_UNITS).lower()}")
        return _UNITS[name]

    @input_zone.default
    def _input_zone(self) -> Zone | None:
        return self._zone("input_timezone", self.input_timezone)

    @output_zone.default
    def _output_zone(self) -> Zone | None:
        return self._zone("output_timezone", self.output_timezone)

    @reader.default
    def _reader(self) -> DateReader | None:
        if self.kind not in _TEXT_TYPES:
            return None
        delimiter = (self.input_format_delimiter or "").strip() or ","
        try:
            patterns = [pattern.strip() for pattern in re.split(delimiter, self.input_format or "")]
        except re.error as error:
            raise OptionError(
                f"option 'input_format_delimiter' is '{delimiter}', which is not a regular expression: {error};"
                " correct it"
            ) from None
        while patterns and not patterns[-1]:
            patterns.pop()
        if not patterns:
            raise OptionError(
                f"option 'input_format' is not set and timestamp type {self.kind} needs it; write a date pattern such"
                " as yyyy-MM-dd HH:mm:ss",
                code="input_format_missing",
            )
        return DateReader(tuple(patterns), "input_format", self.input_zone)

    @writer.default
    def _writer(self) -> DateWriter:
        if not self.output_format:
            raise OptionError("option 'output_format' is not set; write a date pattern such as yyyy/MM/dd")
        return DateWriter(self.output_format, "output_format")

    def _zone(self, option: str, name: str | None) -> Zone | None:
        if self.timezone is not None:
            option, name = "timezone", self.timezone
        return zone_of(name, option) if name and name.strip() else None

    def texts(self, values: pa.Array, column: str, *, consistent_timestamps: bool = False) -> pa.Array:
        """Return the output text of every value: a string array of the same length, without nulls.

        A null is one unit after the epoch; among texts, one millisecond after it. The days of a date and the
        microseconds of a timestamp are numbers in the configured unit.

        Args:
            values: The values of the partition column: texts, numbers, dates or timestamps.
            column: The name of the column, for messages.
            consistent_timestamps: Whether a timestamp is a time instead of a number in the configured unit.

        Raises:
            SchemaError: The column's type is not a time, or it is text and the timestamp type reads numbers (code
                `input_format_missing`).
            DataError: A text fits no input format, or the column has numbers and texts are expected (code
                `unparseable_timestamp`).
            OptionError: The output format or the first input format has the name of its zone, which is not available.
        """
        if pa.types.is_dictionary(values.type):
            values = values.cast(values.type.value_type)
        if is_text(values.type) or (pa.types.is_null(values.type) and self.reader is not None):
            return self._read_texts(values.cast(pa.string()), column)
        if consistent_timestamps and pa.types.is_timestamp(values.type):
            return self._numbers(timestamp_millis(values), Fraction(1), column)
        return self._numbers(_as_numbers(values, column), self.unit, column)

    def _numbers(self, values: pa.Array, unit: Fraction | None, column: str) -> pa.Array:
        if unit is None:
            if values.null_count == len(values):
                return self._read_texts(values.cast(pa.string()), column)
            raise DataError(
                f"partition column '{column}' does not hold texts, and timestamp type {self.kind} reads texts; set"
                " 'timestamp_type' to the unit of the numbers (of a date: SCALAR with 'time_unit' days, of a timestamp:"
                " EPOCHMICROSECONDS)",
                code="unparseable_timestamp",
            )
        known = pc.fill_null(values, 0).to_numpy(zero_copy_only=False)
        millis = _scaled(known, unit)
        if values.null_count:
            null_unit = self.unit if self.unit is not None else Fraction(1)
            nulls = values.is_null().to_numpy(zero_copy_only=False)
            millis = np.where(nulls, int(_NULL_VALUE * null_unit), millis)
        return self.writer.write(millis, self.output_zone or UTC_ZONE)

    def _read_texts(self, values: pa.Array, column: str) -> pa.Array:
        if self.reader is None:
            raise SchemaError(
                f"partition column '{column}' holds texts and timestamp type {self.kind} reads numbers; set"
                " 'timestamp_type' to DATE_STRING and 'input_format' to the pattern of the texts",
                code="input_format_missing",
            )
        # a format may have no text for a null, which matters only if there is one
        encoded = (pc.fill_null(values, self._null_text()) if values.null_count else values).dictionary_encode()
        times = self.reader.read_all(encoded.dictionary)
        if times.bad:
            raise DataError(
                f"partition column '{column}' holds values that cannot be read as times (distinct values:"
                f" {len(times.bad)}): {examples(times.bad)}; correct them, or add their pattern to 'input_format',"
                f" which has {', '.join(self.reader.patterns)}",
                code="unparseable_timestamp",
            )
        return self._written(times).take(encoded.indices)

    def _written(self, times: ReadTimes) -> pa.Array:
        if self.output_zone is not None:
            return self.writer.write(times.millis, self.output_zone)
        order = np.argsort(times.zone_numbers, kind="stable")
        groups = [times.millis[times.zone_numbers == number] for number in range(len(times.zones))]
        written = [self.writer.write(group, zone) for group, zone in zip(groups, times.zones, strict=True)]
        return pa.concat_arrays(written or [pa.array([], type=pa.string())]).take(pa.array(np.argsort(order)))

    def _null_text(self) -> str:
        """Return the text for a null: one millisecond after the epoch, written by the first input format."""
        assert self.reader is not None
        zone = self.input_zone or self.output_zone or UTC_ZONE
        writer = DateWriter(self.reader.patterns[0], "input_format")
        return writer.write_one(_NULL_VALUE, zone.offset(_NULL_VALUE), zone)


def timed_partition_paths(rows: pa.Table, config: KeyConfig, times: TimeFormat, generator: str) -> pa.Array:
    """Return the paths of a table that is partitioned by the time in one column.

    Args:
        rows: The incoming rows; an absent column reads as null.
        config: The configuration, with the partition column; url-encoding and hive style are applied in this order.
        times: The conversion of the values of the column to text.
        generator: The key generator's name, for messages.

    Returns:
        A string array, one path per row, without nulls.

    Raises:
        OptionError: Not exactly one partition column is configured (code `simple_needs_one_field`), or as
            `TimeFormat.texts`.
        SchemaError: As `TimeFormat.texts`.
        DataError: A value cannot be read (code `unparseable_timestamp`), or its path would leave the table
            (`path_traversal`).
    """
    column = single_field(config, generator)
    values = column_at(rows, column)
    if values is None:
        values = pa.nulls(rows.num_rows)
    paths = times.texts(values, column, consistent_timestamps=config.consistent_logical_timestamps)
    if config.url_encode:
        paths = escape_paths(paths)
    if config.hive_style:
        paths = hive_style(paths, column)
    check_partition_paths(paths, (column,))
    return paths


def _types() -> tuple[str, ...]:
    return (*_TYPE_UNITS, "SCALAR", *_TEXT_TYPES)


def _as_numbers(values: pa.Array, column: str) -> pa.Array:
    """Return an int64 array: numbers without fractions, the days of dates, the microseconds of timestamps."""
    kind = values.type
    if pa.types.is_integer(kind) or pa.types.is_null(kind):
        return values.cast(pa.int64())
    if pa.types.is_floating(kind):
        # as in a Java cast: NaN becomes 0, and a number that is too large becomes the largest one
        floats = np.nan_to_num(values.cast(pa.float64()).to_numpy(zero_copy_only=False), nan=0.0)
        whole = np.where(floats >= _LARGEST, _LARGEST, np.clip(floats, -(2.0**63), _LARGEST_FLOAT).astype(np.int64))
        return pa.array(whole, mask=values.is_null().to_numpy(zero_copy_only=False))
    if pa.types.is_decimal(kind):
        return pc.cast(pc.trunc(values), pa.int64(), safe=False)
    if pa.types.is_date(kind):
        return values.cast(pa.date32()).cast(pa.int32()).cast(pa.int64())
    if pa.types.is_timestamp(kind):
        return timestamp_micros(values)
    raise SchemaError(
        f"partition column '{column}' of type {kind} does not hold times; use an integer, floating, decimal, date,"
        " timestamp or string column"
    )


def _scaled(values: NDArray[np.int64], unit: Fraction) -> NDArray[np.int64]:
    """Return counts of a unit as milliseconds: truncated towards zero for a finer unit, and limited to 64 bits."""
    if unit < 1:
        parts = unit.denominator
        return np.where(values < 0, -(-values // parts), values // parts)
    most = _LARGEST // unit.numerator
    result: NDArray[np.int64] = np.clip(values, -most, most) * unit.numerator
    return result
