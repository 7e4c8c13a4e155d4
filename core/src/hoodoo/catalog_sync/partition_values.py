"""Values of a partition in a catalog, computed from its path by the rules of Hudi's extractor classes."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence
from urllib.parse import unquote

from attrs import evolve, frozen

from hoodoo.caller import warn_caller
from hoodoo.errors import CatalogError, OptionError

__all__ = ["ExtractorReplaced", "PartitionValues", "partition_values_of"]

_KEY = "hoodie.datasource.hive_sync.partition_extractor_class"
_FIELDS = "hoodie.datasource.hive_sync.partition_fields"


class ExtractorReplaced(UserWarning):
    """Warning about a partition value extractor that is a Java class of the user and is not called."""


def _single(path: str) -> list[str]:
    return [path.replace("/", "-")]


def _levels(path: str) -> list[str]:
    return [_without_name(level) for level in path.split("/")]


def _hive_style(path: str) -> list[str]:
    name, equals, value = path.partition("=")
    if not equals or not name:
        raise ValueError("it is not of the form column=value")
    return [value]


def _day(path: str) -> list[str]:
    year, month, day = map(int, _numbers(path, 3))
    return [datetime.date(year, month, day).isoformat()]


def _hour(path: str) -> list[str]:
    year, month, day, hour = map(int, _numbers(path, 4))
    return [datetime.datetime(year, month, day, hour).strftime("%Y-%m-%d-%H")]


def _numbers(path: str, count: int) -> list[str]:
    levels = [_without_name(level) for level in path.split("/")]
    if len(levels) != count or not all(level.isdigit() for level in levels):
        raise ValueError(f"it does not have {count} numbers with '/' between them")
    return levels


def _without_name(level: str) -> str:
    return level.partition("=")[2] if "=" in level else level


_EXTRACTORS: dict[str, Callable[[str], list[str]]] = {
    "SinglePartPartitionValueExtractor": _single,
    "MultiPartKeysValueExtractor": _levels,
    "HiveStylePartitionValueExtractor": _hive_style,
    "SlashEncodedDayPartitionValueExtractor": _day,
    "SlashEncodedHourPartitionValueExtractor": _hour,
}
_UNPARTITIONED = "NonPartitionedExtractor"


@frozen
class PartitionValues:
    """Rule that reads the values of a partition path.

    Attributes:
        columns: The partition columns in the catalog; empty for a table without partitions there.
        extractor: The simple name of Hudi's extractor class.
        decode: Whether values are URL-decoded.
    """

    columns: tuple[str, ...]
    extractor: str
    decode: bool

    def of(self, path: str) -> tuple[str, ...]:
        """Return one value per partition column.

        Raises:
            CatalogError: The path does not have the form that the rule requires, or has another number of values.
        """
        try:
            values = _EXTRACTORS[self.extractor](path)
        except ValueError as error:
            raise CatalogError(
                f"partition path '{path}' does not fit {self.extractor}: {error}; correct {_KEY}"
            ) from None
        if len(values) != len(self.columns):
            raise CatalogError(
                f"partition path '{path}' has, by {self.extractor}, {len(values)} value{_s(values)}, and the catalog "
                f"has {len(self.columns)} partition column{_s(self.columns)} ({', '.join(self.columns)}); correct "
                f"{_FIELDS} or {_KEY}"
            )
        return tuple(unquote(value) if self.decode else value for value in values)

    def spellings(self, path: str) -> tuple[tuple[str, ...], ...]:
        """Return the values of a path, then the values with the opposite of `decode` if they differ."""
        return tuple(dict.fromkeys((self.of(path), evolve(self, decode=not self.decode).of(path))))


def _s(items: Sequence[str]) -> str:
    return "" if len(items) == 1 else "s"


def partition_values_of(
    extractor: str | None,
    columns: Sequence[str] | None,
    table_columns: Sequence[str],
    *,
    hive_style: bool,
    decode: bool,
) -> PartitionValues:
    """Return the rule for a table: that of the given class, or the one that Hudi chooses.

    Args:
        extractor: The Java class that the user names, if any. Hudi's choice replaces an unknown class, with a warning.
        columns: The partition columns in the catalog that the user names; None for those of the table.
        table_columns: The partition columns of the table.
        hive_style: Whether the partition paths of the table have the form column=value.
        decode: Whether values are URL-decoded.

    Raises:
        OptionError: The user names partition columns, and the class for tables without partitions.
    """
    chosen = tuple(table_columns if columns is None else columns)
    simple = (extractor or "").strip().rpartition(".")[2]
    one = "HiveStylePartitionValueExtractor" if hive_style else "SinglePartPartitionValueExtractor"
    default = one if len(chosen) == 1 else "MultiPartKeysValueExtractor"
    if simple == _UNPARTITIONED:
        if columns:
            raise OptionError(
                f"{_KEY} is {extractor}, for a table without partitions, and {_FIELDS} names {', '.join(columns)}; "
                "correct one of them"
            )
        chosen = ()
    elif simple and simple not in _EXTRACTORS:
        warn_caller(
            f"{_KEY} is {extractor}, a Java class that does not run here; partition values are read by {default} "
            f"instead; the supported classes are: {', '.join([*_EXTRACTORS, _UNPARTITIONED])}",
            ExtractorReplaced,
        )
        simple = ""
    return PartitionValues(chosen, simple if simple in _EXTRACTORS else default, decode)
