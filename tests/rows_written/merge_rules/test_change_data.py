"""Change data of databases in whole tables: the same changes with every table type, version and index."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import hoodoo
from hoodoo.errors import OptionError, SchemaError, UnknownOption
from hoodoo.properties import load_properties
from hoodoo.storage import storage_for
from hoodoo.testing.engine import write_arrow
from tests.support.rows import hudi_rows

pytestmark = pytest.mark.slow

MODEL = "org.apache.hudi.common.model."
TYPES = ("COPY_ON_WRITE", "MERGE_ON_READ")
GONE = "__debezium_unavailable_value"
Row = dict[str, Any]

DMS = pa.schema([("id", pa.string()), ("ts", pa.int64()), ("v", pa.string()), ("Op", pa.string())])
MYSQL = pa.schema(
    [
        ("id", pa.string()),
        ("v", pa.string()),
        ("_event_seq", pa.string()),
        ("_event_bin_file", pa.string()),
        ("_event_pos", pa.int64()),
        ("_change_operation_type", pa.string()),
    ]
)
POSTGRES = pa.schema(
    [("id", pa.string()), ("v", pa.string()), ("_event_lsn", pa.int64()), ("_change_operation_type", pa.string())]
)


def dms(key: str, ts: int, value: str, op: str | None = "U") -> Row:
    return {"id": key, "ts": ts, "v": value, "Op": op}


def mysql(key: str, file: int, position: int, value: str, op: str = "u") -> Row:
    return {
        "id": key,
        "v": value,
        "_event_seq": f"{file:06}.{position}",
        "_event_bin_file": f"mysql-bin.{file:06}",
        "_event_pos": position,
        "_change_operation_type": op,
    }


def postgres(key: str, lsn: int, value: str, op: str = "u") -> Row:
    return {"id": key, "v": value, "_event_lsn": lsn, "_change_operation_type": op}


def options(payload: str, **more: Any) -> dict[str, Any]:
    return {"table_name": "t", "record_key": "id", "payload": payload, "index": "bucket", "buckets": 2, **more}


def write(path: Path, schema: pa.Schema, rows: Sequence[Row], given: Mapping[str, Any]) -> hoodoo.Commit:
    return write_arrow(pa.Table.from_pylist(rows, schema), path, dict(given), cores=2)


def values(path: Path, **read: Any) -> dict[str, str]:
    return {row["id"]: row["v"] for row in hoodoo.Table(path).to_arrow(**read).to_pylist()}


def stored(path: Path) -> Mapping[str, str]:
    return load_properties(storage_for(str(path)))


HISTORIES: dict[str, tuple[pa.Schema, list[list[Row]], dict[str, str]]] = {
    "aws-dms": (
        DMS,
        [
            [dms(key, 10, "load", None) for key in "abcd"],
            [dms("a", 20, "new"), dms("b", 20, "gone", "D")],
            [dms("a", 5, "late"), dms("c", 5, "gone", "D")],
            [dms("b", 1, "again", "I"), dms("e", 1, "never", "D")],
        ],
        # the ordering value of the stored row is not used
        {"a": "late", "b": "again", "d": "load"},
    ),
    "mysql-debezium": (
        MYSQL,
        [
            [mysql(key, 9, 100, "load", "r") for key in "abcd"],
            [mysql("a", 9, 1000, "new"), mysql("b", 10, 4, "gone", "d")],
            [mysql("a", 9, 200, "late"), mysql("c", 9, 20, "late", "d"), mysql("d", 10, 9, "newer")],
            [mysql("d", 10, 10, "newest"), mysql("e", 9, 5, "never", "d"), mysql("b", 11, 1, "again", "c")],
        ],
        {"a": "new", "b": "again", "c": "load", "d": "newest"},
    ),
    "postgres-debezium": (
        POSTGRES,
        [
            [postgres(key, 9, f"toast {key}", "r") for key in "abcdf"],
            [postgres("a", 20, GONE), postgres("b", 20, GONE, "d"), postgres("c", 20, "new"), postgres("f", 20, "new")],
            [postgres("f", 10, "late"), postgres("c", 30, GONE), postgres("d", 8, "late", "d")],
            [postgres("b", 40, "again", "c"), postgres("e", 1, "never", "d"), postgres("c", 100, GONE)],
        ],
        {"a": "toast a", "b": "again", "c": "new", "d": "toast d", "f": "new"},
    ),
}


LATE_DELETES = {"mysql-debezium": "c", "postgres-debezium": "d"}


@pytest.mark.each_value
@pytest.mark.parametrize("index", ["bucket", "simple", "global-simple"])
@pytest.mark.parametrize("version", [6, 9])
@pytest.mark.parametrize("table_type", TYPES)
@pytest.mark.parametrize("payload", HISTORIES)
def test_changes_leave_the_same_rows(payload: str, table_type: str, version: int, index: str, tmp_path: Path) -> None:
    """The rows are the same after the last commit, after a compaction, and after the last changes arrive again."""
    schema, batches, expected = HISTORIES[payload]
    if table_type == "MERGE_ON_READ" and version == 6:
        # a log has a delete by its key alone, which is applied before anything is compared, as in Hudi
        expected = {key: value for key, value in expected.items() if key not in LATE_DELETES.get(payload, "")}
    given = options(payload, table_type=table_type, table_version=version, index=index, small_file_limit=0)
    given |= {"buckets": 2 if index == "bucket" else None, "ordering": "ts" if payload == "aws-dms" else None}
    for rows in batches:
        write(tmp_path, schema, rows, given)
    assert values(tmp_path) == expected
    if table_type == "MERGE_ON_READ":
        assert hoodoo.Table(tmp_path).compact() is not None
        assert values(tmp_path) == values(tmp_path, query_type="read_optimized") == expected
    write(tmp_path, schema, batches[-1], given)
    assert values(tmp_path) == expected
    if version == 9:
        read = {row["id"]: row["v"] for row in hudi_rows(tmp_path)} if len(hudi_ordering(tmp_path)) < 2 else expected
        assert read == expected


def hudi_ordering(path: Path) -> list[str]:
    """Return the ordering columns of a table of version 9, or one empty text; the package `hudi` accepts only one."""
    return stored(path).get("hoodie.table.ordering.fields", "").split(",")


@pytest.mark.parametrize("table_type", TYPES)
@pytest.mark.parametrize("payload", ["mysql-debezium", "postgres-debezium"])
def test_one_batch_of_all_changes(payload: str, table_type: str, tmp_path: Path) -> None:
    """Within a batch, PostgreSQL values that were not logged are not filled: the earlier value is lost."""
    schema, batches, expected = HISTORIES[payload]
    write(tmp_path, schema, [row for rows in batches for row in rows], options(payload, table_type=table_type))

    lost = {"a": GONE, "c": GONE} if payload == "postgres-debezium" else {}
    assert values(tmp_path) == expected | lost


@pytest.mark.parametrize("version", [6, 9])
@pytest.mark.parametrize("payload", ["mysql-debezium", "postgres-debezium"])
def test_a_late_change_after_a_delete_that_a_log_has(payload: str, version: int, tmp_path: Path) -> None:
    """Version 9 compares the change with the delete; in version 6 the payload ignores the delete, as in Hudi."""
    schema = HISTORIES[payload][0]
    changes = {
        "mysql-debezium": [mysql("a", 2, 1, "base"), mysql("a", 3, 100, "gone", "d"), mysql("a", 3, 20, "late")],
        "postgres-debezium": [postgres("a", 9, "base"), postgres("a", 100, "gone", "d"), postgres("a", 20, "late")],
    }[payload]
    given = options(payload, table_type="MERGE_ON_READ", table_version=version)
    write(tmp_path, schema, changes[:1], given)
    hoodoo.Table(tmp_path).compact()
    for change, left in zip(changes[1:], ({}, {"a": "late"} if version == 6 else {}), strict=True):
        write(tmp_path, schema, [change], given)
        assert values(tmp_path) == left


# as Hudi 1.2.0 wrote them for tables of these payloads
MODES = {
    "aws-dms": {
        "hoodie.record.merge.mode": "COMMIT_TIME_ORDERING",
        "hoodie.table.legacy.payload.class": f"{MODEL}AWSDmsAvroPayload",
        "hoodie.record.merge.property.hoodie.payload.delete.field": "Op",
        "hoodie.record.merge.property.hoodie.payload.delete.marker": "D",
        "hoodie.table.ordering.fields": "ts",
    },
    "mysql-debezium": {
        "hoodie.record.merge.mode": "EVENT_TIME_ORDERING",
        "hoodie.table.legacy.payload.class": f"{MODEL}debezium.MySqlDebeziumAvroPayload",
        "hoodie.record.merge.property.hoodie.payload.delete.field": "_change_operation_type",
        "hoodie.record.merge.property.hoodie.payload.delete.marker": "d",
        "hoodie.table.ordering.fields": "_event_bin_file,_event_pos",
    },
    "postgres-debezium": {
        "hoodie.record.merge.mode": "EVENT_TIME_ORDERING",
        "hoodie.table.legacy.payload.class": f"{MODEL}debezium.PostgresDebeziumAvroPayload",
        "hoodie.record.merge.property.hoodie.payload.delete.field": "_change_operation_type",
        "hoodie.record.merge.property.hoodie.payload.delete.marker": "d",
        "hoodie.table.ordering.fields": "_event_lsn",
        "hoodie.table.partial.update.mode": "FILL_UNAVAILABLE",
        "hoodie.record.merge.property.hoodie.write.partial.update.unavailable.value": GONE,
    },
}
ORDERING = {"aws-dms": "ts", "mysql-debezium": "_event_seq", "postgres-debezium": "_event_lsn"}


@pytest.mark.parametrize("payload", HISTORIES)
def test_version_9_stores_what_hudi_stores(payload: str, tmp_path: Path) -> None:
    """The payload may have its name in hoodoo or in Hudi, and a later write may repeat or omit the options."""
    schema, batches, _ = HISTORIES[payload]
    name = MODES[payload]["hoodie.table.legacy.payload.class"]
    given = options(payload, ordering=ORDERING[payload], table_version=9)
    write(tmp_path, schema, batches[0], {**given, "payload": name})
    properties = stored(tmp_path)

    assert {key: properties.get(key) for key in MODES[payload]} == MODES[payload]
    assert "hoodie.compaction.payload.class" not in properties
    write(tmp_path, schema, batches[1], given)
    write(tmp_path, schema, batches[2], {})


@pytest.mark.parametrize("payload", HISTORIES)
def test_version_6_stores_the_payload(payload: str, tmp_path: Path) -> None:
    """The properties have no merge mode, and no ordering that was not specified."""
    schema, batches, _ = HISTORIES[payload]
    write(tmp_path, schema, batches[0], options(payload, table_type="MERGE_ON_READ"))
    properties = stored(tmp_path)

    assert properties["hoodie.compaction.payload.class"] == MODES[payload]["hoodie.table.legacy.payload.class"]
    assert not [key for key in properties if key.startswith("hoodie.record.merge")]
    assert not [key for key in properties if key.startswith("hoodie.payload.delete")]
    assert not properties.get("hoodie.table.precombine.field")


def test_in_version_9_only_a_capital_deletes_unless_the_rule_is_requested(tmp_path: Path) -> None:
    """Hudi's readers are case-sensitive, too."""
    later, asked = {"table_version": 9}, {"table_version": 9, "delete_rule": "dms-op"}
    for name, more, left in (("a", later, {"a": "y"}), ("b", asked, {}), ("c", {}, {})):
        path = tmp_path / name
        given = options("aws-dms", **more)
        write(path, DMS, [dms("a", 1, "x", "I")], given)
        write(path, DMS, [dms("a", 2, "y", "d")], given)
        assert values(path) == left


@pytest.mark.parametrize("version", [6, 9])
def test_a_full_load_has_no_operation_column(version: int, tmp_path: Path) -> None:
    """The column is added with the first changes."""
    load = pa.schema([field for field in DMS if field.name != "Op"])
    given = options("aws-dms", table_version=version)
    write(tmp_path, load, [{"id": "a", "ts": 1, "v": "x"}, {"id": "b", "ts": 1, "v": "x"}], given)
    write(tmp_path, DMS, [dms("a", 2, "y", "D"), dms("b", 2, "y", "U")], given)
    assert values(tmp_path) == {"b": "y"}


PLAIN = pa.schema([("id", pa.string()), ("ts", pa.int64()), ("v", pa.string()), ("kind", pa.string())])


def plain(key: str, ts: int, value: str, kind: str = "+I") -> Row:
    return {"id": key, "ts": ts, "v": value, "kind": kind}


def merged(**more: Any) -> dict[str, Any]:
    return {"table_name": "t", "record_key": "id", "ordering": "ts", "merger": "event-time", **more}


@pytest.mark.parametrize("table_type", TYPES)
@pytest.mark.parametrize("index", ["simple", "bucket", "global-simple"])
def test_ignored_deletes_are_as_if_they_had_not_come(index: str, table_type: str, tmp_path: Path) -> None:
    """A file group without other changes gets no new file; the operation `delete` deletes nevertheless."""
    given = merged(
        table_type=table_type,
        index=index,
        buckets=2 if index == "bucket" else None,
        delete_rule="rowkind,ignore-delete",
        delete_rule_options={"field": "kind"},
    )
    write(tmp_path, PLAIN, [plain("a", 1, "x"), plain("b", 1, "x")], given)
    ignored = [plain("a", 3, "gone", "-D"), plain("a", 2, "y", "+U"), plain("b", 2, "gone", "-U")]
    write(tmp_path, PLAIN, [*ignored, plain("c", 1, "never", "-D"), plain("d", 1, "new")], given)
    assert values(tmp_path) == {"a": "y", "b": "x", "d": "new"}
    files = {file for file in tmp_path.rglob("*") if file.suffix == ".parquet" or ".log." in file.name}
    commit = write(tmp_path, PLAIN, ignored[:1], given)
    assert (commit.rows_updated, commit.rows_deleted, commit.rows_inserted) == (0, 0, 0)
    assert {file for file in tmp_path.rglob("*") if file.suffix == ".parquet" or ".log." in file.name} == files
    write(tmp_path, PLAIN, [plain("e", 1, "bulk"), plain("f", 1, "gone", "-D")], {**given, "operation": "bulk_insert"})
    write(
        tmp_path, pa.schema([PLAIN.field(0), PLAIN.field(1)]), [{"id": "b", "ts": 9}], {**given, "operation": "delete"}
    )
    assert values(tmp_path) == {"a": "y", "d": "new", "e": "bulk"}


def test_options_of_delete_rules_stay_with_the_table(tmp_path: Path) -> None:
    """A later write may omit or repeat the options, but not change them."""
    given = merged(delete_rule="rowkind", delete_rule_options='{"rowkind.field": "kind"}')
    write(tmp_path, PLAIN, [plain("a", 1, "x"), plain("b", 1, "x")], given)
    write(tmp_path, PLAIN, [plain("a", 2, "y", "-D")], {})
    write(tmp_path, PLAIN, [plain("b", 2, "y", "+U")], given)
    assert values(tmp_path) == {"b": "y"}
    with pytest.raises(OptionError, match="delete_rule_options"):
        write(tmp_path, PLAIN, [plain("b", 2, "y")], {**given, "delete_rule_options": {"rowkind.field": "v"}})


@pytest.mark.parametrize(
    ("more", "error", "words"),
    [
        ({"delete_rule": "rowkind"}, OptionError, "needs option 'field'"),
        (
            {"delete_rule": "rowkind", "delete_rule_options": {"field": "nowhere"}},
            SchemaError,
            "names column 'nowhere'",
        ),
        ({"delete_rule": "dms-op", "delete_rule_options": {"field": "kind"}}, UnknownOption, "no option 'field'"),
        ({"delete_rule_options": {"field": "kind"}}, UnknownOption, "'any-of'.* no option 'field'"),
    ],
)
def test_what_delete_rules_refuse(more: dict[str, Any], error: type[Exception], words: str, tmp_path: Path) -> None:
    """The error comes before anything is written."""
    with pytest.raises(error, match=words):
        write(tmp_path, PLAIN, [plain("a", 1, "x")], merged(**more))
    assert not list(tmp_path.iterdir())
