"""Schemas that differ between base files, log blocks and the newest commit, which has the table's columns."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hoodoo
from tests.rows_merged.handmade.blocks import avro_block
from tests.rows_merged.handmade.builder import log_name
from tests.rows_merged.handmade.columns import TYPES, Columns, Type
from tests.rows_merged.handmade.instants import Timeline, Written
from tests.rows_merged.handmade.tables import COLUMNS, GROUP, T, Table, seen, wheel
from tests.support.rows import assert_same, hoodoo_rows, hudi_rows, plain

pytestmark = pytest.mark.slow

KEY: Columns = {"id": TYPES["string"], "ts": TYPES["long"]}


def evolved(path: Path, old: Type | None, new: Type | None, before: Any, after: Any, kind: str = "avro") -> Table:
    """Return a table whose column `x` has one type in the base file and another one in the log; None for no column.

    The base rows `a` and `b` contain `before`, the log rows `a` and `c` contain `after`.
    """
    table = Table(path, 9, KEY if old is None else {**KEY, "x": old})
    rest = () if old is None else (before,)
    table.write_base(1, ("a", 10, *rest), ("b", 10, *rest))
    table.columns = KEY if new is None else {**KEY, "x": new}
    rest = () if new is None else (after,)
    rows = [table.row(T(2), key, 20, *rest) for key in "ac"]
    table.write_log(2, table.avro(T(2), rows) if kind == "avro" else table.parquet(T(2), rows))
    return table


def _struct(*fields: tuple[str, str]) -> Type:
    record = {"type": "record", "name": "nested", "fields": [
        {"name": name, "type": ["null", TYPES[type_].avro], "default": None} for name, type_ in fields
    ]}  # fmt: skip
    return Type(record, pa.struct([(name, TYPES[type_].arrow) for name, type_ in fields]))


def _decimal(precision: int, scale: int, size: int | None = None) -> Type:
    logical = {"logicalType": "decimal", "precision": precision, "scale": scale}
    avro = {"type": "bytes", **logical} if size is None else {"type": "fixed", "name": "d", "size": size, **logical}
    return Type(avro, pa.decimal128(precision, scale))


_CHANGES: dict[str, tuple[Type | None, Type | None, Any, Any, Any]] = {
    # old type, new type, old value, new value, the old value in the new type
    "added": (None, TYPES["string"], None, "new", None),
    "dropped": (TYPES["string"], None, "old", None, None),
    "int to long": (TYPES["int"], TYPES["long"], 7, 2**40, 7),
    "int to double": (TYPES["int"], TYPES["double"], 7, 0.5, 7.0),
    "long to double": (TYPES["long"], TYPES["double"], 7, 0.5, 7.0),
    "float to double": (TYPES["float"], TYPES["double"], 0.25, 0.1, 0.25),
    "a field added in a struct": (
        _struct(("p", "int")), _struct(("p", "int"), ("q", "string")),
        {"p": 1}, {"p": 2, "q": "new"}, {"p": 1, "q": None},
    ),
    "a field widened in a struct": (
        _struct(("p", "int")), _struct(("p", "long")), {"p": 1}, {"p": 2**40}, {"p": 1}
    ),
    "fields of a struct reordered": (
        _struct(("p", "int"), ("q", "string")), _struct(("q", "string"), ("p", "int")),
        {"p": 1, "q": "old"}, {"p": 2, "q": "new"}, {"p": 1, "q": "old"},
    ),
    "a wider decimal": (
        _decimal(6, 2, 3), _decimal(12, 2, 6), Decimal("1234.56"), Decimal("9999999999.99"), Decimal("1234.56")
    ),
    "a decimal in bytes": (
        _decimal(6, 2, 3), _decimal(12, 2), Decimal("-0.01"), Decimal("9999999999.99"), Decimal("-0.01")
    ),
}  # fmt: skip
CHANGES = pytest.mark.parametrize("change", _CHANGES)


@CHANGES
@pytest.mark.parametrize("kind", ["avro", "parquet"])
def test_a_column_changes_between_the_base_file_and_a_log(change: str, kind: str, tmp_path: Path) -> None:
    old, new, before, after, kept = _CHANGES[change]
    evolved(tmp_path, old, new, before, after, kind)
    rest = (lambda value: (value,)) if new is not None else lambda _value: ()
    expected = [("a", 20, *rest(after)), ("b", 10, *rest(kept)), ("c", 20, *rest(after))]
    columns = list(KEY) + (["x"] if new is not None else [])
    wanted = [dict(zip(columns, row, strict=True)) for row in expected]
    assert_same(hoodoo_rows(tmp_path, columns), wanted, change)
    assert_same(hoodoo_rows(tmp_path), wanted, change, columns)


@CHANGES
def test_a_column_changes_between_the_base_file_and_a_log_in_the_package(change: str, tmp_path: Path) -> None:
    old, new, before, after, kept = _CHANGES[change]
    evolved(tmp_path, old, new, before, after)
    expected = [{"id": key, "x": value} for key, value in (("a", after), ("b", kept), ("c", after))]
    columns = ["id"] + (["x"] if new is not None else [])
    assert_same(hudi_rows(tmp_path), expected, change, columns)


def test_a_column_is_widened_from_log_to_log(tmp_path: Path) -> None:
    table = Table(tmp_path, 9, {**KEY, "x": TYPES["int"]})
    table.write_base(1, *((key, 10, 1) for key in "abcd"))
    table.write_log(2, ("b", 20, 2))
    table.columns = {**KEY, "x": TYPES["long"]}
    table.write_log(3, ("c", 20, 2**40), ("b", 5, 2**41))
    table.columns = {**KEY, "x": TYPES["double"]}
    table.write_log(4, ("d", 20, 0.5), table.parquet(T(4), [table.row(T(4), "e", 1, 1.5)]))
    expected = [("a", 1.0), ("b", 2.0), ("c", float(2**40)), ("d", 0.5), ("e", 1.5)]
    rows = [{"id": key, "x": value} for key, value in expected]
    assert_same(hoodoo_rows(tmp_path), rows, "hoodoo", ["id", "x"])
    assert_same(hudi_rows(tmp_path), rows, "the package", ["id", "x"])


@pytest.mark.parametrize("kind", ["avro", "parquet"])
def test_columns_are_in_another_order(kind: str, tmp_path: Path) -> None:
    table = Table(tmp_path, 9, {**COLUMNS, "n": TYPES["int"]})
    table.write_base(1, ("a", 10, "base", 1), ("b", 10, "base", 2))
    table.columns = {name: table.columns[name] for name in ("n", "v", "ts", "id")}
    row = table.row(T(2), id="a", ts=20, v="log", n=3)
    table.write_log(2, table.avro(T(2), [row]) if kind == "avro" else table.parquet(T(2), [row]))
    expected = [("a", 20, "log", 3), ("b", 10, "base", 2)]
    assert seen(tmp_path, "id", "ts", "v", "n") == wheel(tmp_path, "id", "ts", "v", "n") == expected
    assert list(hoodoo_rows(tmp_path)[0])[5:] == ["n", "v", "ts", "id"]


def _added_between_logs(path: Path) -> Table:
    """Return a table with a column that was added between two logs; for `a` the record that lacks it wins."""
    table = Table(path, 9)
    table.write_base(1, ("b", 10, "base"))
    table.write_log(2, ("a", 20, "x"))
    table.columns = {**COLUMNS, "late": TYPES["string"]}
    table.write_log(3, ("a", 5, "y", "loses"), ("b", 20, "z", "wins"))
    return table


def test_a_record_from_before_a_column_was_added_has_none(tmp_path: Path) -> None:
    """The record is not partial: it takes no values from a losing version."""
    _added_between_logs(tmp_path)
    expected = [("a", 20, "x", None), ("b", 20, "z", "wins")]
    columns = ("id", "ts", "v", "late")
    assert wheel(tmp_path, *columns) == expected
    assert seen(tmp_path, *columns) == expected


def test_time_travel_shows_the_columns_of_the_time(tmp_path: Path) -> None:
    _added_between_logs(tmp_path)
    assert seen(tmp_path, *COLUMNS, as_of=T(2)) == [("a", 20, "x"), ("b", 10, "base")]
    assert "late" not in hoodoo_rows(tmp_path, as_of=T(2))[0]


# types as other Parquet writers store them

AT = datetime(2024, 2, 29, 12, 30, 15, 123456, tzinfo=UTC)
BEFORE = datetime(1900, 1, 1, 0, 0, 0, 1, tzinfo=UTC)


def _times(path: Path, write: Callable[[Table, pa.Table], Any]) -> None:
    table = Table(path, 9, {**KEY, "at": TYPES["timestamp"]})
    rows = table.arrow([table.row(T(1), "a", 10, AT), table.row(T(1), "b", 10, BEFORE), table.row(T(1), "c", 10, None)])
    table.commit("commit", T(1), f"{T(1)[:-3]}500", [write(table, rows)])
    table.write_log(2, ("a", 20, BEFORE), ("d", 1, AT))


@pytest.mark.parametrize(
    "spelling",
    [{"use_deprecated_int96_timestamps": True}, {"coerce_timestamps": "us"}, {"compression": "gzip", "version": "1.0"}],
)
def test_timestamps_are_the_same_however_they_are_stored(spelling: dict[str, Any], tmp_path: Path) -> None:
    _times(tmp_path, lambda table, rows: table.base_table("", GROUP, T(1), rows, **spelling))
    expected = [{"id": key, "at": at} for key, at in (("a", BEFORE), ("b", BEFORE), ("c", None), ("d", AT))]
    assert_same(hoodoo_rows(tmp_path), expected, "hoodoo", ["id", "at"])
    assert_same(hudi_rows(tmp_path), expected, "the package", ["id", "at"])


@pytest.mark.parametrize("type_", ["millis", "timestamp"])
@pytest.mark.parametrize("kind", ["avro", "parquet"])
def test_milliseconds_and_microseconds(type_: str, kind: str, tmp_path: Path) -> None:
    """The table's newest schema determines the unit; the base file has the other one."""
    whole = AT.replace(microsecond=123000)
    other = "timestamp" if type_ == "millis" else "millis"
    evolved(tmp_path, TYPES[other], TYPES[type_], whole, whole, kind)
    read = {row["id"]: row["x"] for row in hoodoo_rows(tmp_path)}
    assert read == dict.fromkeys("abc", whole.replace(tzinfo=None))


NAIVE = AT.replace(tzinfo=None)


def _local(path: Path) -> None:
    local = Type({"type": "long", "logicalType": "local-timestamp-micros"}, pa.timestamp("us"))
    table = Table(path, 9, {**KEY, "at": local})
    table.write_base(1, ("a", 10, NAIVE), ("b", 10, None))
    table.write_log(2, ("b", 20, NAIVE))


def test_local_timestamps(tmp_path: Path) -> None:
    _local(tmp_path)
    read = hoodoo.Table(tmp_path).to_arrow(["id", "at"]).sort_by("id")
    assert read.to_pylist() == [{"id": "a", "at": NAIVE}, {"id": "b", "at": NAIVE}]


@pytest.mark.xfail(strict=True, raises=BaseException, reason="the package panics with a BaseException")
def test_local_timestamps_in_the_package(tmp_path: Path) -> None:
    _local(tmp_path)
    assert wheel(tmp_path, "id", "at") == [("a", NAIVE), ("b", NAIVE)]


# a base file of Hudi's own, whose lists have two levels


def test_a_log_meets_a_base_file_whose_lists_have_two_levels(real_table: Callable[[str], Path]) -> None:
    path = real_table("sample_table_cow__v8_nonpartitioned")
    properties = path / ".hoodie" / "hoodie.properties"
    properties.write_text(properties.read_text().replace("COPY_ON_WRITE", "MERGE_ON_READ"))
    files = {file: pq.ParquetFile(file) for file in path.glob("*.parquet")}
    base, file = max(files.items(), key=lambda entry: entry[0].name.split("_")[2])
    assert "array" in str(file.schema)
    last = max((path / ".hoodie" / "timeline").glob("*.commit"), key=lambda instant: instant.name)
    [commit] = list(fastavro.reader(io.BytesIO(last.read_bytes())))
    schema = json.loads(commit["extraMetadata"]["schema"])
    before = hudi_rows(path)

    changed = file.read().to_pylist()[0]
    lists = {field.name for field in file.schema_arrow if pa.types.is_list(field.type)}
    maps = {field.name for field in file.schema_arrow if pa.types.is_map(field.type)}
    assert lists
    row = {name: dict(value) if name in maps and value else value for name, value in changed.items()}
    row |= {name: row[name][::-1] + row[name] for name in lists} | {"longField": row["longField"] + 10**6}
    time, completion = f"2099{last.name[4:17]}", f"2099{last.name[4:16]}9"
    row["_hoodie_commit_time"] = time
    meta = [{"name": name, "type": ["null", "string"], "default": None} for name in list(row)[:5]]
    block = avro_block(time, {**schema, "fields": [*meta, *schema["fields"]]}, [row])
    log = Written("", base.name.split("_")[0], log_name(base.name.split("_")[0], time))
    (path / log.path).write_bytes(block)
    timeline = Timeline(path, 8)
    timeline.complete("deltacommit", time, completion, timeline.commit_body([log], schema, "UPSERT"))

    expected = [other for other in before if other["id"] != row["id"]]
    [found] = [other for other in hoodoo_rows(path) if other["id"] == row["id"]]
    assert {name: found[name] for name in lists} == {name: plain(row[name]) for name in lists}
    assert_same([other for other in hoodoo_rows(path) if other["id"] != row["id"]], expected, "rows without a log")
    assert_same(hoodoo_rows(path), hudi_rows(path), "hoodoo beside the package")
