"""Values of partition columns from partition paths that determine the values of their rows exactly."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from typing import TYPE_CHECKING
from urllib.parse import unquote

import pyarrow as pa
from attrs import frozen

from hoodoo.keys.partition_path import DEFAULT_PARTITION
from hoodoo.properties import TableProperties
from hoodoo.properties.property_keys import SLASH_DATE

if TYPE_CHECKING:
    from hoodoo.reading import Split

__all__ = ["PartitionPathReader", "Value", "by_known_values"]

Value = str | int | date | None

_OLD_DEFAULT_PARTITION = "default"
_GENERATORS = re.compile(r"(?:simple|complex)(?:(?:avro)?keygenerator)?")
_ENCODED = re.compile("%[0-7][0-9A-Fa-f]")
_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,18}")
_BITS = {pa.int32(): 31, pa.int64(): 63}


@frozen
class PartitionPathReader:
    """Reader of the partition paths of a table.

    Attributes:
        fields: The partition columns, in the order of the path.
        hive_style: Whether the levels of a path have the form `column=value`.
        url_encode: Whether the values in a path are percent-encoded.
    """

    fields: tuple[pa.Field, ...]
    hive_style: bool
    url_encode: bool

    @classmethod
    def of(cls, properties: TableProperties, schema: pa.Schema) -> PartitionPathReader | None:
        """Return the reader of a table; None if its paths do not contain the plain values of columns to read.

        The paths do not contain these values if the table has no partition columns, if the schema lacks one of them, or
        if the key generator or the option of dates with slashes writes other forms of the values.

        Args:
            properties: The table's properties.
            schema: The columns to read.
        """
        generator = (properties.keygen or "").rpartition(".")[2].lower()
        slashes = properties.get(SLASH_DATE, "false").lower() == "true"
        columns = properties.partition_by
        known = all(name in schema.names for name in columns)
        if not columns or not known or slashes or not _GENERATORS.fullmatch(generator):
            return None
        return cls(tuple(schema.field(name) for name in columns), properties.hive_style, properties.url_encode)

    def of_path(self, path: str) -> tuple[Value, ...] | None:
        """Return the values of the partition columns in a partition.

        Return None if the path is ambiguous about a value, or its levels do not correspond to the columns.
        """
        levels = path.split("/")
        if len(levels) != len(self.fields):
            return None
        values = []
        for field, level in zip(self.fields, levels, strict=True):
            name, found, text = level.partition("=") if self.hive_style else (field.name, "=", level)
            if name != field.name or not found:
                return None
            value = self._value(text, field.type)
            if value is _AMBIGUOUS:
                return None
            values.append(value)
        return tuple(values)  # type: ignore[arg-type]

    def of_paths(self, paths: Iterable[str]) -> dict[str, tuple[Value, ...]]:
        """Return the values of the partitions whose paths are unambiguous, by path."""
        values = {path: self.of_path(path) for path in set(paths)}
        return {path: found for path, found in values.items() if found is not None}

    def _value(self, text: str, type_: pa.DataType) -> object:
        if "%" in (_ENCODED.sub("", text) if self.url_encode else text):
            return _AMBIGUOUS
        text = unquote(text)
        if pa.types.is_string(type_):
            # rows with null and rows with an empty value share a folder
            return _AMBIGUOUS if text in ("", DEFAULT_PARTITION, _OLD_DEFAULT_PARTITION) else text
        if text == DEFAULT_PARTITION:
            return None
        if type_ in _BITS and _INTEGER.fullmatch(text) and -(2 ** _BITS[type_]) <= int(text) < 2 ** _BITS[type_]:
            return int(text)
        if pa.types.is_date32(type_):
            try:
                day = date.fromisoformat(text)
            except ValueError:
                return _AMBIGUOUS
            return day if day.isoformat() == text else _AMBIGUOUS
        return _AMBIGUOUS


def by_known_values(
    splits: Sequence[Split], partitions: PartitionPathReader | None
) -> Iterator[tuple[list[Split], tuple[pa.Field, ...], dict[str, tuple[Value, ...]]]]:
    """Yield the splits whose partition values are known, the partition columns, and the values by partition path.

    Then yield the other splits, without columns and values. A group without splits is not yielded.
    """
    values = {} if partitions is None else partitions.of_paths(split.partition for split in splits)
    if partitions is not None and (known := [split for split in splits if split.partition in values]):
        yield known, partitions.fields, values
    if others := [split for split in splits if split.partition not in values]:
        yield others, (), {}


_AMBIGUOUS = object()
