"""Comparison of a table, as two readers return it, with its model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from attrs import field, frozen

import hoodoo
from hoodoo.storage import name_of, storage_for
from tests.support.rows import Refused, Row, assert_same, hoodoo_rows, hudi_rows, plain
from tests.support.versions import META

from .model import TableModel

__all__ = ["Place", "check_against", "expected_rows"]


@frozen
class Place:
    """Location of a table.

    Attributes:
        path: A local path, or a location in a store.
        options: The options of hoodoo for the store.
        package_options: The options of the `hudi` package; None if it cannot open the store.
    """

    path: Path | str
    options: Mapping[str, Any] = field(factory=dict, repr=False)
    package_options: Mapping[str, str] | None = field(factory=dict, repr=False)

    def table(self) -> hoodoo.Table:
        """Open the table."""
        return hoodoo.Table(self.path, self.options)


def expected_rows(model: TableModel) -> list[Row]:
    """Return the model's rows with their commit time, record key and partition path."""
    return [
        {
            **{name: plain(value) for name, value in model.complete(version).items()},
            "_hoodie_commit_time": model.instant(version),
            "_hoodie_record_key": version.key,
            "_hoodie_partition_path": version.partition,
        }
        for version in model.rows
    ]


def check_against(model: TableModel, place: Path | Place, as_of: str | None = None, *, package: bool = True) -> None:
    """Check that two readers return exactly the model's rows: data, keys, partition paths and commit times.

    File names must be those of the base files that hold the rows, sequence numbers must be unique, and only keys that
    an insert repeated may occur twice. The `hudi` package is left out if `package` is false, or if it cannot open the
    store; it must refuse a table with several ordering columns.
    """
    if not isinstance(place, Place):
        place = Place(place)
    package = package and place.package_options is not None
    expected = expected_rows(model)
    columns = [*META[:1], *META[2:4], *model.columns]
    ours = hoodoo_rows(place.path, as_of=as_of, access=place.options)
    assert_same(ours, expected, "Table.to_arrow", columns)
    if package and len(model.rule.ordering) < 2:
        theirs = hudi_rows(place.path, as_of, place.package_options)
        assert_same(theirs, expected, "the hudi package", columns)
        assert_same(theirs, ours, "the hudi package beside Table.to_arrow", META)
    elif package:
        with pytest.raises(Refused, match="ordering"):  # tables that are ordered by several columns
            hudi_rows(place.path, as_of, place.package_options)

    twice = {key for key, count in Counter(_place(row) for row in ours).items() if count > 1}
    assert twice <= model.appended, f"keys stored twice that no insert duplicated: {sorted(twice - model.appended)}"
    numbers = Counter(row["_hoodie_commit_seqno"] for row in ours)
    repeated = [number for number, count in numbers.items() if count > 1]
    assert not repeated, f"sequence numbers given twice: {repeated}"

    storage = storage_for(place.path, place.options)
    for file_slice in place.table().file_slices(as_of):
        if file_slice.path is not None:
            with storage.open_input(file_slice.path) as source:
                names = pq.ParquetFile(source).read(["_hoodie_file_name"]).column(0).unique().to_pylist()
            assert names in ([], [name_of(file_slice.path)]), f"'{file_slice.path}' holds rows of {names}"


def _place(row: Row) -> tuple[str, str]:
    return row["_hoodie_partition_path"], row["_hoodie_record_key"]
