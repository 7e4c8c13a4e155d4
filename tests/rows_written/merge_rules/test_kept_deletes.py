"""Deletes whose columns the logs keep: their blocks, the rows that `hudi` reads, and tables that cannot keep them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import hoodoo
from hoodoo.errors import DataError, OptionError, SchemaError
from hoodoo.format.log import BlockType, read_blocks
from hoodoo.storage import storage_for
from hoodoo.testing.engine import write_arrow
from tests.support.rows import hudi_rows

from .source_priority import BUCKET, FLAG, OPTIONS, RULE, VERSIONS, Version, create, read, rows_of, write

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("source_priority")]


def blocks_of(path: Path) -> list[list[BlockType]]:
    storage = storage_for(path)
    logs = sorted(file.relative_to(path).as_posix() for file in path.rglob(".*.log.*") if ".hoodie/" not in str(file))
    return [[block.type for block in read_blocks(storage, log)] for log in logs]


def by_event_time(path: Path, version: int) -> None:
    """Replace the rule in the table properties by event time: in version 6 by the payload, else by the merge mode."""
    file = path / ".hoodie/hoodie.properties"
    kept = [
        line
        for line in file.read_text().splitlines()
        if not re.match(r"hoodoo\.|hoodie\.record\.merge\.(mode|strategy)|hoodie\.compaction\.payload", line)
    ]
    if version == 6:
        kept.append("hoodie.compaction.payload.class=org.apache.hudi.common.model.DefaultHoodieRecordPayload")
    else:
        kept.append("hoodie.record.merge.mode=EVENT_TIME_ORDERING")
        kept.append("hoodie.record.merge.strategy.id=eeb8d96f-b1e4-49fd-bbf8-28ac514178e5")
    file.write_text("\n".join(kept) + "\n")


@pytest.mark.parametrize("log_format", ["avro", "parquet"])
@pytest.mark.parametrize("version", VERSIONS)
def test_other_readers_take_kept_deletes_for_deletes(version: int, log_format: str, tmp_path: Path) -> None:
    """The package `hudi` reads the kept deletes by event time in place of the rule, which it does not have."""
    path = tmp_path / "t"
    first: dict[str, Version] = dict.fromkeys("abcd", ("row", "crm"))
    create(path, version, first, **BUCKET, table_type="MERGE_ON_READ", log_format=log_format)
    write(path, {"a": ("gone", "web"), "b": ("gone", "crm"), "new": ("gone", "crm")}, 5)
    write(path, {"a": ("row", "web"), "b": ("row", "web"), "c": ("gone", "crm")}, 7)
    write_arrow(rows_of({"a": ("gone", "web")}, 3), path, OPTIONS)
    assert {kind for log in blocks_of(path) for kind in log} <= {BlockType.AVRO_DATA, BlockType.PARQUET_DATA}
    by_event_time(path, version)

    theirs = {row["id"]: row["ts"] for row in hudi_rows(path)}
    ours = {row["id"]: row["ts"] for row in hoodoo.Table(path).to_arrow(["id", "ts"]).to_pylist()}

    # the late delete of `a` loses, the rows after the deletes win, and `c` and `new` are gone
    assert theirs == ours == {"a": 7, "b": 7, "d": 1}


@pytest.mark.parametrize("version", [6, 9])
def test_a_marker_of_the_table_marks_kept_deletes(version: int, tmp_path: Path) -> None:
    """The table has no delete flag; a text in one of its columns marks deletes."""
    schema = pa.schema([("id", pa.string()), ("ts", pa.int64()), ("source", pa.string()), ("op", pa.string())])
    options = {"table_type": "MERGE_ON_READ", "delete_field": "op", "delete_marker": "D"}
    path = tmp_path / "t"

    def put(ts: int, *rows: tuple[str, str, str], **more: Any) -> None:
        table = pa.Table.from_pylist(
            [dict(zip(schema.names, (k, ts, s, op), strict=True)) for k, s, op in rows], schema
        )
        write_arrow(table, path, {**OPTIONS, **options, **more})

    put(1, ("a", "crm", "I"), ("b", "crm", "I"), ("c", "web", "I"), table_version=version)
    put(2, ("a", "web", "D"), ("b", "crm", "D"), ("c", "crm", "U"))

    assert read(path) == {"a": "crm", "c": "crm"}
    assert BlockType.DELETE not in {kind for log in blocks_of(path) for kind in log}
    by_event_time(path, version)
    assert [row["id"] for row in hudi_rows(path)] == ["c"]


@pytest.mark.parametrize("version", [6, 9])
@pytest.mark.parametrize("table_type", ["COPY_ON_WRITE", "MERGE_ON_READ"])
def test_an_aggregate_takes_values_back_in_logs(version: int, table_type: str, tmp_path: Path) -> None:
    schema = pa.schema([("id", pa.string()), ("n", pa.int64()), (FLAG, pa.bool_())])
    sums = {"fields": {"n": {"agg": "sum"}}, "default_agg": "first_value"}
    options = {"table_name": "t", "record_key": "id", "merger": "aggregate", "merger_options": sums}
    kind = {"table_type": table_type, "table_version": version}
    for rows in ([("a", 5, False), ("b", 7, False)], [("a", 2, True), ("b", 1, False)], [("b", 3, True)]):
        table = pa.Table.from_pylist([dict(zip(schema.names, row, strict=True)) for row in rows], schema)
        write_arrow(table, tmp_path / "t", {**options, **kind})

    found = hoodoo.Table(tmp_path / "t").to_arrow(["id", "n"]).to_pylist()
    assert sorted((row["id"], row["n"]) for row in found) == [("a", 3), ("b", 5)]


@pytest.mark.parametrize("log_format", ["avro", "parquet"])
def test_executors_write_and_read_kept_deletes(spark: Any, log_format: str, tmp_path: Path) -> None:
    schema = f"id string, n long, {FLAG} boolean"
    sums = {"fields": {"n": {"agg": "sum"}}, "default_agg": "first_value"}
    options = {"table_name": "t", "record_key": "id", "merger": "aggregate", "merger_options": sums}
    kind = {"table_type": "MERGE_ON_READ", "table_version": 9, "log_format": log_format}
    path = str(tmp_path / "t")
    for rows in ([("a", 5, False), ("b", 7, False)], [("a", 2, True), ("b", 3, True)], [("b", 1, False)]):
        hoodoo.write(spark.createDataFrame(rows, schema), path, {**options, **kind})

    assert BlockType.DELETE not in {kind for log in blocks_of(Path(path)) for kind in log}
    found = hoodoo.read(spark, path).select("id", "n").collect()
    assert sorted((row.id, row.n) for row in found) == [("a", 3), ("b", 5)]


def test_a_table_whose_logs_cannot_keep_the_column_is_refused(tmp_path: Path) -> None:
    """Only the delete rule of the table recognizes the marks of AWS DMS."""
    rows = pa.table({"id": ["a"], "ts": [1], "source": ["crm"], "Op": ["D"]})
    options = {**OPTIONS, "delete_rule": "dms-op", "table_type": "MERGE_ON_READ"}

    with pytest.raises(
        OptionError, match=r"reads column 'source' of deletes, which the logs .* cannot keep: "
    ) as refused:
        write_arrow(rows, tmp_path / "t", options)
    assert refused.value.code == "kept_deletes"
    for text in ("'Op'", "dms-op", FLAG, "'delete_field'", "copy-on-write"):
        assert text in str(refused.value)
    assert not (tmp_path / "t").exists()
    write_arrow(rows, tmp_path / "cow", {**options, "table_type": "COPY_ON_WRITE"})
    marked = {"delete_field": "Op", "delete_marker": "D", "delete_rule": "any-of"}
    write_arrow(rows, tmp_path / "marked", {**options, **marked})


def test_a_table_without_the_column_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SchemaError, match=r"reads column 'source' of deletes .* the table has id, ts") as refused:
        write_arrow(pa.table({"id": ["a"], "ts": [1]}), tmp_path / "t", OPTIONS)

    assert refused.value.code == "column_missing"
    assert not (tmp_path / "t").exists()


def test_a_column_that_marks_deletes_may_come_later(tmp_path: Path) -> None:
    """Until then, all deletes are key-only and have no columns to keep."""
    path = tmp_path / "t"
    options = {**OPTIONS, "table_type": "MERGE_ON_READ"}
    write_arrow(pa.table({"id": ["a", "b"], "ts": [1, 1], "source": ["crm", "crm"]}), path, options)
    flagged = {"id": ["a", "b"], "ts": [2, 2], "source": ["web", "crm"], FLAG: [True, True]}
    write_arrow(pa.table(flagged), path, options)

    assert read(path) == {"a": "crm"}


def test_a_delete_that_the_rule_makes_is_refused_without_a_mark(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rows are in one write, so that only its tasks find the delete. Nothing is committed."""
    path, module = tmp_path / "t", tmp_path / "site/source_priority_rule.py"
    module.write_text(
        RULE.replace("return Outcome.take_where(", "return Outcome(np.full(len(newer), 2, np.int8)) if 1 else (")
    )
    options = {**OPTIONS, "table_type": "MERGE_ON_READ"}
    stored = pa.table({"id": ["a", "b"], "ts": [1, 1], "source": ["crm", "crm"]})
    write_arrow(stored, path, options)
    twice = pa.table({"id": ["a", "a"], "ts": [2, 3], "source": ["web", "crm"]})

    with pytest.raises(DataError, match=r"1 record becomes a delete \(keys such as 'a'\).*without a column that marks"):
        write_arrow(twice, path, options)

    assert read(path) == {"a": "crm", "b": "crm"}
