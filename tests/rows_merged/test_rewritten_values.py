"""Rows that a write does not change keep every digit when their file is rewritten or their log compacted."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import hoodoo
from hoodoo.testing.engine import write_arrow
from tests.rows_merged.handmade.columns import TYPES, Type
from tests.rows_merged.handmade.tables import GROUP, T, Table
from tests.support.rows import assert_same, hoodoo_rows, hudi_rows

pytestmark = pytest.mark.slow

KEY = {"id": TYPES["string"], "ts": TYPES["long"]}
TIMES = {
    # the column's type in the table, its value, and its form in the base file
    "microseconds": ("timestamp", datetime(2024, 2, 29, 12, 30, 15, 123456, tzinfo=UTC), {}),
    "milliseconds": ("millis", datetime(2024, 2, 29, 12, 30, 15, 123000, tzinfo=UTC), {}),
    "INT96": (
        "timestamp",
        datetime(2024, 2, 29, 12, 30, 15, 123456, tzinfo=UTC),
        {"use_deprecated_int96_timestamps": True},
    ),
    "before 1900": ("timestamp", datetime(1883, 11, 18, 12, 3, 57, 999999, tzinfo=UTC), {}),
    "before 1900 in INT96": (
        "timestamp",
        datetime(1883, 11, 18, 12, 3, 57, 999999, tzinfo=UTC),
        {"use_deprecated_int96_timestamps": True},
    ),
    "before 1582": ("timestamp", datetime(1, 1, 2, 0, 0, 0, 1, tzinfo=UTC), {}),
    "the last one": ("timestamp", datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC), {}),
}


def _base(path: Path, type_: Type, value: Any, table_type: str, parquet: dict[str, Any]) -> Table:
    """Write rows `a` and `b` with the value, in a base file as from another writer."""
    table = Table(path, 9, {**KEY, "x": type_}, table_type=table_type)
    rows = table.arrow([table.row(T(1), key, 1, value) for key in "ab"])
    table.commit("commit", T(1), f"{T(1)[:-3]}500", [table.base_table("", GROUP, T(1), rows, **parquet)])
    table.slice = T(1)
    return table


def _agree(path: Path, **expected: Any) -> None:
    rows = [{"id": key, "x": value} for key, value in expected.items()]
    assert_same(hoodoo_rows(path), rows, "hoodoo", ["id", "x"])
    assert_same(hudi_rows(path), rows, "the package", ["id", "x"])


@pytest.mark.parametrize("case", TIMES)
@pytest.mark.parametrize("log", [False, True], ids=["rewritten", "compacted"])
def test_times(case: str, log: bool, tmp_path: Path) -> None:
    type_, value, parquet = TIMES[case]
    kind = "MERGE_ON_READ" if log else "COPY_ON_WRITE"
    _base(tmp_path, TYPES[type_], value, kind, parquet)
    _agree(tmp_path, a=value, b=value)
    other = value.replace(microsecond=5000)
    schema = hoodoo.Table(tmp_path).schema
    for ts, operation in ((2, "upsert"), (3, "upsert")):
        rows = pa.Table.from_pylist([{"id": "a", "ts": ts, "x": other}], schema)
        write_arrow(rows, tmp_path, {"operation": operation})
        _agree(tmp_path, a=other, b=value)
    assert (hoodoo.Table(tmp_path).compact() is not None) == log
    _agree(tmp_path, a=other, b=value)
    assert hoodoo.Table(tmp_path).schema == schema


def _decimal(precision: int, scale: int, size: int | None = None) -> Type:
    logical = {"logicalType": "decimal", "precision": precision, "scale": scale}
    avro = {"type": "bytes", **logical} if size is None else {"type": "fixed", "name": "d", "size": size, **logical}
    return Type(avro, pa.decimal128(precision, scale))


DECIMALS = {
    "few digits": (_decimal(4, 2, 2), ("-99.99", "0.01")),
    "in an int": (_decimal(9, 9, 4), ("-0.999999999", "0.000000001")),
    "in a long": (_decimal(18, 0, 8), ("-999999999999999999", "1")),
    "38 digits": (_decimal(38, 0, 16), ("-" + "9" * 38, "9" * 38)),
    "38 digits behind the point": (_decimal(38, 38, 16), ("-0." + "9" * 38, "0." + "0" * 37 + "1")),
    "38 digits in bytes": (_decimal(38, 10), ("-" + "9" * 28 + "." + "9" * 10, "-0.0000000001")),
}


@pytest.mark.parametrize("case", DECIMALS)
@pytest.mark.parametrize("log", ["", "avro", "parquet"])
def test_decimals(case: str, log: str, tmp_path: Path) -> None:
    type_, texts = DECIMALS[case]
    value, other = map(Decimal, texts)
    table = _base(tmp_path, type_, value, "MERGE_ON_READ" if log else "COPY_ON_WRITE", {})
    if log:
        # a log of another writer in addition to hoodoo's
        block = (table.avro if log == "avro" else table.parquet)(T(2), [table.row(T(2), "c", 1, value)])
        table.write_log(2, block)
    rest = {"c": value} if log else {}
    _agree(tmp_path, a=value, b=value, **rest)
    rows = pa.Table.from_pylist([{"id": "a", "ts": 2, "x": other}], hoodoo.Table(tmp_path).schema)
    write_arrow(rows, tmp_path, {"log_format": log} if log else {})
    _agree(tmp_path, a=other, b=value, **rest)
    assert (hoodoo.Table(tmp_path).compact() is not None) == bool(log)
    _agree(tmp_path, a=other, b=value, **rest)


def test_days_before_1582(tmp_path: Path) -> None:
    """The days are those of the proleptic Gregorian calendar, as in Avro and Parquet."""
    days = [date(1, 1, 1), date(1582, 10, 4), date(1582, 10, 15), date(1899, 12, 31), date(9999, 12, 31)]
    schema = pa.schema([("id", pa.string()), ("x", pa.date32())])
    rows = pa.Table.from_pylist([{"id": str(n), "x": day} for n, day in enumerate(days)], schema)
    options = {"table_name": "t", "record_key": "id", "merger": "commit-time", "table_type": "MERGE_ON_READ"}
    for log_format in ("avro", "parquet"):
        write_arrow(rows, tmp_path, {**options, "log_format": log_format})
        _agree(tmp_path, **{str(n): day for n, day in enumerate(days)})
    hoodoo.Table(tmp_path).compact()
    _agree(tmp_path, **{str(n): day for n, day in enumerate(days)})
