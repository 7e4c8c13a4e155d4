"""Rows of a table from all readers, and their comparison with the model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import hudi
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hoodoo

from .model import TableModel

__all__ = ["META", "assert_same", "check_against", "expected_rows", "hoodoo_rows", "hudi_rows", "rows_of"]

META = (
    "_hoodie_commit_time",
    "_hoodie_commit_seqno",
    "_hoodie_record_key",
    "_hoodie_partition_path",
    "_hoodie_file_name",
)

Row = dict[str, Any]


def hudi_rows(path: Path, as_of: str | None = None) -> list[Row]:
    """Return the rows that the `hudi` package reads."""
    options = hudi.HudiReadOptions()
    if as_of is not None:
        options = options.with_as_of_timestamp(as_of)
    batches = hudi.HudiTableBuilder.from_base_uri(str(path)).build().read(options)
    return rows_of(pa.Table.from_batches(batches)) if batches else []


def hoodoo_rows(path: Path, **read: Any) -> list[Row]:
    """Return the rows that `Table.to_arrow` reads."""
    return rows_of(hoodoo.Table(path).to_arrow(**read))


def rows_of(table: pa.Table) -> list[Row]:
    """Return the rows of a table with values that can be compared between readers."""
    return [{name: plain(value) for name, value in row.items()} for row in table.to_pylist()]


def plain(value: Any) -> Any:
    """Return a value in one form: maps as dictionaries, times in UTC, NaN equal to itself."""
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, Decimal):
        digits = f"{value:f}"
        return digits.rstrip("0").rstrip(".") if "." in digits else digits
    if isinstance(value, datetime):
        return value.astimezone(UTC).replace(tzinfo=None, fold=0)
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
        return Counter(repr([(name, row[name]) for name in columns or sorted(row)]) for row in rows)

    got, wanted = counted(actual), counted(expected)
    missing, unexpected = sorted((wanted - got).elements()), sorted((got - wanted).elements())
    assert not [*missing, *unexpected], "\n".join(
        [f"{what}: {len(missing)} rows are missing and {len(unexpected)} are unexpected"]
        + [f"  missing    {row}" for row in missing[:5]]
        + [f"  unexpected {row}" for row in unexpected[:5]]
    )


def expected_rows(model: TableModel) -> list[Row]:
    """Return the model's rows, with the meta columns that it has."""
    return [
        {
            **{name: plain(value) for name, value in model.complete(version).items()},
            "_hoodie_commit_time": model.instant(version),
            "_hoodie_record_key": version.key,
            "_hoodie_partition_path": version.partition,
        }
        for version in model.rows
    ]


def check_against(model: TableModel, path: Path, as_of: str | None = None, *, package: bool = True) -> None:
    """Check that two readers return exactly the model's rows: data, keys, partition paths and commit times.

    File names must be those of the files that hold the rows, sequence numbers must be unique. The `hudi` package is
    left out where `package` is false.
    """
    expected = expected_rows(model)
    columns = [*META[:1], *META[2:4], *model.columns]
    ours = hoodoo_rows(path, as_of=as_of)
    assert_same(ours, expected, "Table.to_arrow", columns)
    if package and len(model.rule.ordering) < 2:
        theirs = hudi_rows(path, as_of)
        assert_same(theirs, expected, "the hudi package", columns)
        assert_same(theirs, ours, "the hudi package beside Table.to_arrow", META)
    elif package:
        with pytest.raises(Exception, match="ordering"):  # tables that are ordered by several columns
            hudi_rows(path, as_of)

    twice = {key for key, count in Counter(_place(row) for row in ours).items() if count > 1}
    assert twice <= model.appended, f"keys stored twice that no insert duplicated: {sorted(twice - model.appended)}"
    numbers = Counter(row["_hoodie_commit_seqno"] for row in ours)
    repeated = [number for number, count in numbers.items() if count > 1]
    assert not repeated, f"sequence numbers given twice: {repeated}"

    for file_slice in hoodoo.Table(path).file_slices(as_of):
        if file_slice.path is not None:
            names = pq.ParquetFile(path / file_slice.path).read(["_hoodie_file_name"]).column(0).unique().to_pylist()
            assert names in ([], [Path(file_slice.path).name]), f"'{file_slice.path}' holds rows of {names}"


def _place(row: Row) -> tuple[str, str]:
    return row["_hoodie_partition_path"], row["_hoodie_record_key"]
