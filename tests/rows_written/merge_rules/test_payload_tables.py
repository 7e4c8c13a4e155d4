"""Tables with a payload: Hudi's properties in each version, and column defaults, which some payloads ignore."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import fastavro
import pyarrow as pa
import pytest

import hoodoo
from hoodoo.errors import OptionError
from hoodoo.schema.avro_encode import to_avro
from hoodoo.schema.defaults import with_default
from hoodoo.testing.engine import write_arrow

pytestmark = pytest.mark.slow

ROWS = pa.table({"id": ["a"], "ts": [1], "v": ["x"]})
MODEL = "org.apache.hudi.common.model."
NON_DEFAULTS = f"{MODEL}OverwriteNonDefaultsWithLatestAvroPayload"
SCHEMA = pa.schema(
    [
        pa.field("id", pa.string()),
        pa.field("ts", pa.int64()),
        with_default(pa.field("city", pa.string()), "NY"),
        with_default(pa.field("tags", pa.list_(pa.string())), []),
        with_default(pa.field("price", pa.decimal128(4, 2)), "\u0001"),
    ]
)


def options(payload: str, version: int = 6, kind: str = "MERGE_ON_READ", **more: Any) -> dict[str, Any]:
    settings = {"table_name": "t", "table_version": version, "table_type": kind, "record_key": "id", "ordering": "ts"}
    return {**settings, "payload": payload, **more}


def properties(path: Path) -> dict[str, str]:
    """Return the table properties about the merge rule, with keys without the prefix `hoodie.`."""
    lines = (path / ".hoodie" / "hoodie.properties").read_text(encoding="utf-8").splitlines()
    entries = dict(line.split("=", 1) for line in lines if line.startswith("hoodie."))
    about = ("payload.class", "merge.mode", "merge.strategy.id", "partial.update.mode")
    return {key.removeprefix("hoodie."): value for key, value in entries.items() if key.endswith(about)}


CUSTOM = {"record.merge.mode": "CUSTOM", "record.merge.strategy.id": "00000000-0000-0000-0000-000000000000"}
EVENT_TIME = {
    "record.merge.mode": "EVENT_TIME_ORDERING",
    "record.merge.strategy.id": "eeb8d96f-b1e4-49fd-bbf8-28ac514178e5",
}
COMMIT_TIME = {
    "record.merge.mode": "COMMIT_TIME_ORDERING",
    "record.merge.strategy.id": "ce9acb64-bde0-424c-9b91-f6ebba25356d",
}
IGNORE_DEFAULTS = {"table.partial.update.mode": "IGNORE_DEFAULTS"}


@pytest.mark.parametrize(
    ("payload", "class_", "later"),
    [
        ("event-time-avro", "EventTimeAvroPayload", EVENT_TIME),
        ("overwrite-non-defaults", "OverwriteNonDefaultsWithLatestAvroPayload", {**COMMIT_TIME, **IGNORE_DEFAULTS}),
        ("partial-update", "PartialUpdateAvroPayload", {**EVENT_TIME, **IGNORE_DEFAULTS}),
        ("first-value", "FirstValueAvroPayload", None),
        ("pass-through", "HoodieAvroPayload", None),
    ],
)
def test_version_6_has_the_class_and_version_9_the_mode(
    payload: str, class_: str, later: dict[str, str] | None, tmp_path: Path
) -> None:
    """A payload without a mode is stored with its class; Hudi's name and hoodoo's create the same table."""
    for name in (payload, MODEL + class_):
        for version in (6, 9):
            write_arrow(ROWS, tmp_path / f"{name}-{version}", options(name, version))

        assert properties(tmp_path / f"{name}-6") == {"compaction.payload.class": MODEL + class_}
        found = properties(tmp_path / f"{name}-9")
        if later is None:
            assert found == {**CUSTOM, "compaction.payload.class": MODEL + class_}
        else:
            assert found == {**later, "table.legacy.payload.class": MODEL + class_}


@pytest.mark.parametrize("kind", ["COPY_ON_WRITE", "MERGE_ON_READ"])
@pytest.mark.parametrize("version", [6, 9])
def test_clauses_have_names_of_hoodoo_and_hudi_does_not_merge_by_them(version: int, kind: str, tmp_path: Path) -> None:
    """No table names Hudi's class, because the clauses of its MERGE INTO are not stored in tables."""
    path = tmp_path / "t"
    clauses = {
        "matched": [{"action": "update", "cond": ["eq", "s.v", "y"], "set": {"v": "s.v"}}],
        "not_matched": [{"cond": ["gt", "s.ts", 0]}],
    }
    settings = options("expression", version, kind, merger_options=clauses)
    write_arrow(ROWS, path, settings)
    write_arrow(pa.table({"id": ["a", "b"], "ts": [0, 0], "v": ["y", "new"]}), path, settings)
    write_arrow(pa.table({"id": ["a"], "ts": [5], "v": ["z"]}), path, options("expression", version, kind))

    assert hoodoo.Table(path).to_arrow(["id", "ts", "v"]).to_pylist() == [{"id": "a", "ts": 1, "v": "y"}]
    assert hoodoo.Table(path).to_arrow(["ts"]).to_pylist() == [{"ts": 1}]
    assert "ExpressionPayload" not in str(properties(path))
    if kind == "MERGE_ON_READ":
        assert properties(path)["compaction.payload.class"] == "hoodoo.payload.expression"
    why = hoodoo.Table(path).explain("a").answer("why_this_one")
    assert kind == "COPY_ON_WRITE" or "no clause of 'matched'" in why


@pytest.mark.parametrize("version", [6, 9])
def test_a_clause_that_does_not_fit_the_columns_leaves_no_table(version: int, tmp_path: Path) -> None:
    wrong = {"matched": [{"action": "update", "cond": ["eq", "s.missing", 1]}]}

    with pytest.raises(OptionError, match=r"matched\[0\].* names column 's.missing'"):
        write_arrow(ROWS, tmp_path / "t", options("expression", version, merger_options=wrong))
    assert not (tmp_path / "t").exists()


@pytest.mark.parametrize("payload", ["overwrite-non-defaults", "partial-update", "event-time-avro", "first-value"])
@pytest.mark.parametrize("version", [6, 9])
def test_the_payload_may_be_named_at_every_write_and_no_other(payload: str, version: int, tmp_path: Path) -> None:
    for _ in range(2):
        write_arrow(ROWS, tmp_path / "t", options(payload, version))

    with pytest.raises(OptionError, match="the table's rule is"):
        write_arrow(ROWS, tmp_path / "t", options("overwrite-with-latest", version))


@pytest.mark.parametrize("kind", ["COPY_ON_WRITE", "MERGE_ON_READ"])
@pytest.mark.parametrize(
    ("payload", "gone"), [("event-time", True), ("first-value", True), ("event-time-avro", False), ("empty", True)]
)
def test_a_delete_marker_counts_for_some(payload: str, gone: bool, kind: str, tmp_path: Path) -> None:
    settings = options(payload, kind=kind)
    settings |= {"hoodie.payload.delete.field": "v", "hoodie.payload.delete.marker": "gone"}
    write_arrow(ROWS, tmp_path / "t", settings)
    write_arrow(pa.table({"id": ["a"], "ts": [2], "v": ["gone"]}), tmp_path / "t", settings)

    assert hoodoo.Table(tmp_path / "t").to_arrow(columns=["v"]).to_pylist() == ([] if gone else [{"v": "gone"}])


@pytest.mark.parametrize("more", [{}, {"log_format": "avro"}, {"kind": "COPY_ON_WRITE"}], ids=str)
@pytest.mark.parametrize("version", [6, 9])
def test_a_default_of_the_table_is_not_a_value_in_any_write(version: int, more: dict[str, Any], tmp_path: Path) -> None:
    """A default stays with the table after a write whose schema has no defaults; null is a value."""
    path, settings = tmp_path / "t", options(NON_DEFAULTS, version, **more)
    plain = pa.schema([pa.field(field.name, field.type) for field in SCHEMA])
    first = {"id": "a", "ts": 1, "city": "LA", "tags": ["x"], "price": None}
    defaults = {"id": "a", "ts": 2, "city": "NY", "tags": [], "price": pa.scalar("0.01").cast(SCHEMA.field(4).type)}
    write_arrow(pa.Table.from_pylist([first], schema=SCHEMA), path, settings)
    for _ in range(2):
        write_arrow(
            pa.Table.from_pylist([{**defaults, "price": defaults["price"].as_py()}], schema=plain), path, settings
        )

    assert hoodoo.Table(path).to_arrow(columns=SCHEMA.names).to_pylist() == [{**first, "ts": 2}]
    assert hoodoo.Table(path).schema.field("city").metadata == SCHEMA.field("city").metadata

    write_arrow(pa.Table.from_pylist([{**first, "city": None, "tags": ["y"]}], schema=plain), path, settings)
    assert hoodoo.Table(path).to_arrow(columns=SCHEMA.names).to_pylist() == [{**first, "city": None, "tags": ["y"]}]


def test_an_avro_reader_takes_the_same_defaults_from_the_schema() -> None:
    """fastavro fills the defaults into rows that lack the columns, and reads a null back as null."""
    schema = fastavro.parse_schema(json.loads(to_avro(SCHEMA, "t")))
    lacking = fastavro.parse_schema(json.loads(to_avro(pa.schema([SCHEMA.field("id"), SCHEMA.field("ts")]), "t")))
    body = io.BytesIO()
    fastavro.schemaless_writer(body, lacking, {"id": "a", "ts": 1})
    body.seek(0)

    read = fastavro.schemaless_reader(body, lacking, schema)
    assert (read["city"], read["tags"]) == ("NY", [])

    body = io.BytesIO()
    fastavro.schemaless_writer(body, schema, {"id": "a", "ts": 1, "city": None, "tags": None, "price": None})
    body.seek(0)
    assert fastavro.schemaless_reader(body, schema, None)["city"] is None
