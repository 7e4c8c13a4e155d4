"""Tables that Hudi wrote: they are read, then changed, and read by another reader."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import hoodoo
from hoodoo.testing.engine import write_arrow
from tests.rows_written.comparing import check_against
from tests.rows_written.model import Rule, TableModel
from tests.support.by_format import by_format
from tests.support.rows import assert_same, hudi_rows, rows_of
from tests.support.versions import META

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.slow

Row = dict[str, Any]
Unpack = Callable[[str], Path]
Write = Callable[[pa.Table, Path, dict[str, Any]], hoodoo.Commit]

PREFIX = "sample_table_cow__v6_"


def _hour(row: Row) -> str:
    return row["ts_str"][:13].replace("-", "/").replace("T", "/")


KINDS: dict[str, tuple[Callable[[Row], str], Callable[[Row], str]]] = {
    "complexkeygen_hivestyle": (
        lambda row: f"id:{row['id']},name:{row['name']}",
        lambda row: f"byteField={row['byteField']}/shortField={row['shortField']}",
    ),
    "nonpartitioned": (lambda row: str(row["id"]), lambda row: ""),
    "simplekeygen_nonhivestyle_overwritetable": (lambda row: str(row["id"]), lambda row: str(row["byteField"])),
    "timebasedkeygen_nonhivestyle": (lambda row: str(row["id"]), _hour),
}
"""Functions that return the record key and the partition path of a row, by table."""


@pytest.fixture
def expected(shared_data: Path) -> Callable[[str], pa.Table]:
    return lambda name: pq.read_table(shared_data / "expected" / f"{PREFIX}{name}.snapshot.parquet")


@pytest.mark.parametrize("name", [*KINDS, "simplekeygen_hivestyle_no_metafields"])
def test_table_is_read_in_every_column(name: str, real_table: Unpack, expected: Callable[[str], pa.Table]) -> None:
    path = real_table(PREFIX + name)
    wanted = expected(name)
    read = hoodoo.Table(path).to_arrow()
    meta_is_stored = META[0] in wanted.column_names
    columns = wanted.column_names
    assert [column for column in read.column_names if meta_is_stored or column not in META] == columns
    assert_same(rows_of(read), rows_of(wanted), "Table.to_arrow", columns)
    for column in columns:
        assert _kind(read.schema.field(column).type) == _kind(wanted.schema.field(column).type), column


@pytest.mark.spark
@pytest.mark.nightly
@pytest.mark.parametrize("name", KINDS)
def test_spark_reads_the_table_in_every_column(
    name: str, real_table: Unpack, expected: Callable[[str], pa.Table], spark: SparkSession
) -> None:
    path = real_table(PREFIX + name)
    wanted = expected(name)
    for way, read in (
        ("hoodoo.read", hoodoo.read(spark, path)),
        *(("the data source", source) for source in by_format(spark, path)),
    ):
        assert read.columns == wanted.column_names
        assert_same(rows_of(read.toArrow()), rows_of(wanted), way)


def test_empty_table_is_read_and_written_to(real_table: Unpack) -> None:
    path = real_table(PREFIX + "empty")
    assert hoodoo.Table(path).to_arrow().num_rows == 0
    assert hoodoo.Table(path).file_slices() == []
    schema = hoodoo.Table(path).schema
    model = TableModel(schema.names, lambda row: str(row["id"]), lambda row: "", Rule("merger", "commit-time"))
    for ids in ((1, 2), (2, 3)):
        rows = [dict.fromkeys(schema.names) | {"id": number, schema.names[-1]: None} for number in ids]
        model.apply("upsert", rows)
        model.stamp(_arrow(pa.Table.from_pylist(rows, schema=schema), path, {}).instant or "")
        check_against(model, path)


def test_a_table_without_meta_columns_is_written_to(real_table: Unpack) -> None:
    path = real_table(PREFIX + "simplekeygen_hivestyle_no_metafields")
    columns = hoodoo.Table(path).schema
    before = {row["id"]: row for row in rows_of(hoodoo.Table(path).to_arrow(columns.names))}
    changed, gone, *_ = sorted(before)
    newest = dict(before[changed], name="changed", longField=before[changed]["longField"] + 1)
    batch = hoodoo.Table(path).to_arrow(columns.names)
    batch = batch.filter(pc.equal(batch["id"], changed))
    for name in ("name", "longField"):
        position = columns.get_field_index(name)
        batch = batch.set_column(position, columns.field(position), pa.array([newest[name]], columns.field(name).type))
    write_arrow(batch, path, {})
    write_arrow(hoodoo.Table(path).to_arrow(columns.names, pc.field("id") == gone), path, {"operation": "delete"})
    wanted = [newest, *(row for number, row in before.items() if number not in (changed, gone))]
    assert_same(rows_of(hoodoo.Table(path).to_arrow(columns.names)), wanted, "hoodoo", columns.names)
    assert_same(hudi_rows(path), wanted, "the hudi package", columns.names)


@pytest.mark.parametrize("name", KINDS)
def test_writes_leave_what_the_model_predicts(
    name: str, real_table: Unpack, expected: Callable[[str], pa.Table]
) -> None:
    _play(name, real_table(PREFIX + name), expected(name), _arrow)


@pytest.mark.spark
@pytest.mark.representatives(name=["timebasedkeygen_nonhivestyle"])
@pytest.mark.parametrize("name", KINDS)
def test_writes_by_spark_leave_what_the_model_predicts(
    name: str, real_table: Unpack, expected: Callable[[str], pa.Table], spark: SparkSession
) -> None:
    def write(table: pa.Table, path: Path, options: dict[str, Any]) -> hoodoo.Commit:
        return hoodoo.write(spark.createDataFrame(table), path, {**options, "index": "simple"})

    path = real_table(PREFIX + name)
    model = _play(name, path, expected(name), write)
    assert_same(rows_of(hoodoo.read(spark, path).toArrow()), hudi_rows(path), "hoodoo.read", [*META, *model.columns])


def _arrow(table: pa.Table, path: Path, options: dict[str, Any]) -> hoodoo.Commit:
    return write_arrow(table, path, options)


def _play(name: str, path: Path, stored: pa.Table, write: Write) -> TableModel:
    """Write two upserts and two deletes to the table, check it after each, and return its model."""
    schema = hoodoo.Table(path).schema
    key, partition = KINDS[name]
    model = TableModel(schema.names, key, partition, Rule("merger", "event-time", ("longField",)))
    for row in stored.to_pylist():
        assert (key(row), partition(row)) == (row["_hoodie_record_key"], row["_hoodie_partition_path"])
        model.store({column: row[column] for column in schema.names}, row["_hoodie_commit_time"])
    check_against(model, path)

    def step(operation: str, rows: list[Row], columns: list[str] = schema.names) -> None:
        rows = [{column: row[column] for column in columns} for row in rows]
        counts = model.apply(operation, rows)
        table = pa.Table.from_pylist(rows, schema=pa.schema([schema.field(column) for column in columns]))
        commit = write(table, path, {"operation": operation})
        assert (commit.rows_inserted, commit.rows_updated, commit.rows_deleted, commit.rows_ignored) == (
            counts.inserted,
            counts.updated,
            counts.deleted,
            counts.ignored,
        )
        assert commit.rows_incoming == len(rows)
        model.stamp(commit.instant or "")
        check_against(model, path)

    first = [dict(held.values) for held in model.rows]
    step("upsert", list(_changes(first)))
    keys = _key_columns(path)
    living = [dict(held.values) for held in model.rows]
    # with an ordering value a delete is compared; without one it is unconditional
    late = {**living[0], "longField": living[0]["longField"] - 1}
    step("delete", [late, living[-1], {**living[-1], "id": 999}], [*keys, "longField"])
    step("delete", [living[1]], keys)
    # tombstones are not kept: an older version of a deleted record is restored
    step("upsert", [{**living[-1], "longField": 1, "name": living[-1]["name"]}])
    assert hoodoo.Table(path).timeline.pending == ()
    return model


def _changes(stored: list[Row]) -> Iterator[Row]:
    """Yield the rows of a batch: an update, a late row, a tie, repeated and new keys, in stored and new partitions.

    There is no late row and no tie if fewer than three rows are stored.
    """
    newest = max(row["longField"] for row in stored)
    yield {**_other(stored[0]), "longField": newest + 1}
    if len(stored) > 2:
        yield {**_other(stored[1]), "longField": stored[1]["longField"] - 1}
        yield _other(stored[2])
    for number, source in enumerate(stored):
        yield {**_other(source), "id": 100 + number, "name": "ключ 鍵 é"}
    yield {**stored[0], "id": 100, "name": "ключ 鍵 é", "longField": 1}
    elsewhere = {"byteField": 77, "shortField": -5}
    if "ts_str" in stored[0]:
        elsewhere["ts_str"] = "2024-02-29T23:59:59.999Z"
    yield {**stored[0], **elsewhere, "id": 200, "name": "elsewhere"}
    yield {**stored[0], **elsewhere, "id": 1, "name": "elsewhere"}
    nulls = dict.fromkeys(_CHANGED)
    yield {**stored[0], **nulls, "id": 201, "name": "nulls"}


_CHANGED: Row = {
    "isActive": None,
    "intField": -(2**31),
    "floatField": 0.5,
    "doubleField": -0.0,
    "decimalField": Decimal("-99999.99999"),
    "dateField": date(1582, 10, 4),
    "timestampField": datetime(1969, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
    "binaryField": b"\x00\xff",
    "arrayField": [None, {"arr_struct_f1": None, "arr_struct_f2": 7}],
    "mapField": [("ключ", None), ("", {"map_field_value_struct_f1": None, "map_field_value_struct_f2": True})],
    "structField": {"field1": "", "field2": None, "child_struct": None},
}
"""Other values for the columns that are not part of keys, partitions or ordering."""


def _other(row: Row) -> Row:
    return {**row, **_CHANGED}


def _key_columns(path: Path) -> list[str]:
    """Return the columns of record key and partition path."""
    properties = hoodoo.Table(path).properties
    names = [properties["hoodie.table.recordkey.fields"], properties.get("hoodie.table.partition.fields", "")]
    return [name for name in ",".join(names).split(",") if name]


def _kind(type_: pa.DataType) -> str:
    """Return a type as text, without the names that Parquet writers give to list items and map entries."""
    if pa.types.is_list(type_):
        return f"list<{_kind(type_.value_type)}>"
    if pa.types.is_map(type_):
        return f"map<{_kind(type_.key_type)}, {_kind(type_.item_type)}>"
    if pa.types.is_struct(type_):
        return f"struct<{', '.join(f'{field.name}: {_kind(field.type)}' for field in type_.fields)}>"
    return str(type_)
