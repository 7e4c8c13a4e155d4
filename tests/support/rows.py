"""Rows of a table as two readers return them, in one form, and their comparison."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import hudi
import pyarrow as pa

import hoodoo

__all__ = ["Refused", "Row", "assert_same", "hoodoo_rows", "hudi_rows", "plain", "rows_of"]

Row = dict[str, Any]


class Refused(Exception):
    """Error of the `hudi` package, which does not export the class of its errors."""


def hudi_rows(
    path: Path | str, as_of: str | None = None, access: Mapping[str, str] | None = None, **options: Any
) -> list[Row]:
    """Return the rows that the `hudi` package reads.

    Args:
        path: The path or the location of the table.
        as_of: An instant; None for the current rows.
        access: The options of the package for the store of the table.
        options: Values for further methods `with_...` of `HudiReadOptions`.

    Raises:
        Refused: The package refuses to read the table.
    """
    read = hudi.HudiReadOptions()
    if as_of is not None:
        options["as_of_timestamp"] = as_of
    for name, value in options.items():
        read = getattr(read, f"with_{name}")(value)
    try:
        builder = hudi.HudiTableBuilder.from_base_uri(str(path)).with_storage_options(access or {})
        batches = builder.build().read(read)
    except Exception as error:
        if type(error).__name__ == "HudiCoreError":
            raise Refused(str(error)) from error
        raise
    return rows_of(pa.Table.from_batches(batches)) if batches else []


def hoodoo_rows(path: Path | str, *args: Any, access: Mapping[str, Any] | None = None, **query: Any) -> list[Row]:
    """Return the rows that `Table.to_arrow` reads; `access` has the options of the store of the table."""
    return rows_of(hoodoo.Table(path, access).to_arrow(*args, **query))


def rows_of(table: pa.Table) -> list[Row]:
    """Return the rows of a table with values that can be compared between readers."""
    return [{name: plain(value) for name, value in row.items()} for row in table.to_pylist(maps_as_pydicts="strict")]


def plain(value: Any) -> Any:
    """Return a value in one form, in which equal values of two readers are equal.

    Floats and decimals become texts, maps become dictionaries, and times with a zone become times in UTC without a
    zone. A list of pairs is a map. An empty list is a list.
    """
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, Decimal):
        digits = f"{value:f}"
        return digits.rstrip("0").rstrip(".") if "." in digits else digits
    if isinstance(value, datetime):
        return value.astimezone(UTC).replace(tzinfo=None, fold=0) if value.tzinfo else value
    if isinstance(value, dict):
        return {name: plain(item) for name, item in sorted(value.items())}
    if isinstance(value, (list, tuple)):
        if value and all(isinstance(item, tuple) and len(item) == 2 for item in value):
            return {name: plain(item) for name, item in sorted(value)}
        return [plain(item) for item in value]
    return value


def assert_same(
    actual: Iterable[Row], expected: Iterable[Row], what: str, columns: Sequence[str] | None = None
) -> None:
    """Check that both have the same rows, equally often, in the given columns (default: all), in any order."""

    def counted(rows: Iterable[Row]) -> Counter[str]:
        return Counter(repr([(name, plain(row[name])) for name in columns or sorted(row)]) for row in rows)

    got, wanted = counted(actual), counted(expected)
    missing, unexpected = sorted((wanted - got).elements()), sorted((got - wanted).elements())
    assert not [*missing, *unexpected], "\n".join(
        [f"{what}: {len(missing)} rows are missing and {len(unexpected)} are unexpected"]
        + [f"  missing    {row}" for row in missing[:5]]
        + [f"  unexpected {row}" for row in unexpected[:5]]
    )
