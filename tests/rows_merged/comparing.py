"""Rows by every reader, and their comparison."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import hudi
import pyarrow as pa
from attrs import evolve

import hoodoo
from hoodoo.reading import Split

__all__ = ["Refused", "assert_same", "hoodoo_rows", "plain", "rows_in_two_parts", "rows_of", "wheel_rows"]

Row = dict[str, Any]


class Refused(Exception):
    """Error of the `hudi` package, which does not export the class of its errors."""


def wheel_rows(path: Path, **options: Any) -> list[Row]:
    """Return the rows that the `hudi` package reads, with the options of `HudiReadOptions.with_...`."""
    read = hudi.HudiReadOptions()
    for name, value in options.items():
        read = getattr(read, f"with_{name}")(value)
    try:
        batches = hudi.HudiTableBuilder.from_base_uri(str(path)).build().read(read)
    except Exception as error:
        if type(error).__name__ == "HudiCoreError":
            raise Refused(str(error)) from error
        raise
    return rows_of(pa.Table.from_batches(batches)) if batches else []


def hoodoo_rows(path: Path, *args: Any, **query: Any) -> list[Row]:
    """Return the rows that `Table.to_arrow` reads."""
    return rows_of(hoodoo.Table(path).to_arrow(*args, **query))


def rows_in_two_parts(split: Split) -> list[Row]:
    """Return the rows of a split for an engine that reads its base file, and skips rows by the deletion vector."""
    changes = split.divided()
    base = evolve(split, merge=None).read().read_all()
    changed = split.changed().read().read_all()
    if changes.surviving is not None:
        assert_same(rows_of(split.changed(changes.surviving).read().read_all()), rows_of(changed), "surviving records")
    return rows_of(base.filter(pa.array(~changes.deletion_vector))) + rows_of(changed)


def rows_of(table: pa.Table) -> list[Row]:
    """Return the rows of a table with values that can be compared between readers."""
    return [{name: plain(value) for name, value in row.items()} for row in table.to_pylist()]


def plain(value: Any) -> Any:
    """Return a value in one form: maps as dictionaries, times in UTC, NaN equal to itself."""
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, Decimal):
        return f"{value.normalize():f}"
    if isinstance(value, datetime):
        return value.astimezone(UTC).replace(tzinfo=None)
    if isinstance(value, (dict, list)) and not value:
        return []  # the type of the column distinguishes the two
    if isinstance(value, dict):
        return {name: plain(item) for name, item in sorted(value.items())}
    if isinstance(value, (list, tuple)):
        if all(isinstance(item, tuple) and len(item) == 2 for item in value):
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
