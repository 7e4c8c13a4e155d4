"""A rule that judges deletes by a column, in whole tables: the logs of a merge-on-read table keep the column.

The expected rows come from a model of a few lines. The package `hudi` reads the same logs.
"""

from __future__ import annotations

import itertools
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import hoodoo
from hoodoo.errors import DataError, OptionError, SchemaError
from hoodoo.format.log import BlockType, read_blocks
from hoodoo.plugin import default_catalogue
from hoodoo.storage import storage_for
from hoodoo.testing.engine import write_arrow
from tests.support.rows import hudi_rows
from tests.support.two_parts import rows_in_two_parts

pytestmark = pytest.mark.slow

FLAG = "_hoodie_is_deleted"
RULE = '''
"""The version of the better source wins; of one source, the newer. A delete of the key alone outranks all sources."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from attrs import frozen

from hoodoo.plugin import hookimpl
from hoodoo.record import Law, Outcome

__version__ = "1.0"


@frozen
class SourcePriority:
    laws = frozenset({Law.ASSOCIATIVE, Law.IDEMPOTENT, Law.REPLAY_SAFE})
    whole_versions = True
    keeps_with_deletes = ("source",)

    def uses_ordering(self, config):
        return False

    def needs(self, schema, config):
        return ()

    def merge(self, older, newer, context, config):
        return Outcome.take_where(self._rank(newer) >= self._rank(older))

    def _rank(self, side):
        known = pc.index_in(side.column("source"), value_set=pa.array(["web", "crm"]))
        rank = pc.fill_null(known, -1).to_numpy(zero_copy_only=False)
        return np.where(side.is_delete & ~side.has_data, 9, rank)


@hookimpl
def hoodoo_merger():
    return SourcePriority
'''
RANK = {None: -1, "web": 0, "crm": 1, "key": 9}
SCHEMA = pa.schema(
    [("id", pa.string()), ("part", pa.string()), ("ts", pa.int64()), ("source", pa.string()), (FLAG, pa.bool_())]
)
OPTIONS = {"table_name": "t", "record_key": "id", "ordering": "ts", "merger": "source-priority"}
BUCKET = {"index": "bucket", "buckets": 1}
"""Options by which all changes of a merge-on-read table go to logs, those of new keys too."""

VERSIONS = (6, 8, 9)

Version = tuple[str, str | None]
"""Kind (row, gone) and source; the source `key` stands for a delete of the operation delete."""

ONES: list[Version] = [*itertools.product(("row", "gone"), ("web", "crm", None)), ("gone", "key")]
HISTORIES = [
    (stored, first, second)
    for stored in (None, ("row", "web"), ("row", "crm"))
    for first in ONES
    for second in (None, *ONES)
]


@pytest.fixture(autouse=True)
def source_priority(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Install the rule."""
    site = tmp_path / "site"
    info = site / "source_priority-1.0.dist-info"
    info.mkdir(parents=True)
    info.joinpath("METADATA").write_text("Metadata-Version: 2.1\nName: source-priority\nVersion: 1.0\n")
    info.joinpath("entry_points.txt").write_text("[hoodoo.merger]\nsource-priority = source_priority_rule\n")
    site.joinpath("source_priority_rule.py").write_text(RULE)
    monkeypatch.syspath_prepend(str(site))
    default_catalogue.cache_clear()
    yield
    sys.modules.pop("source_priority_rule", None)
    default_catalogue.cache_clear()


def remaining(versions: Sequence[Version | None], *, forgets: bool) -> str | None:
    """Return the source of the row that remains, or "" for no row.

    Args:
        versions: The versions in order of arrival.
        forgets: Whether a delete is forgotten once it is applied, as in base files.
    """
    held: Version | None = None
    for version in versions:
        if version is None or (held is not None and RANK[version[1]] < RANK[held[1]]):
            continue
        held = None if forgets and version[0] == "gone" else version
    return "" if held is None or held[0] == "gone" else held[1]


def rows_of(versions: dict[str, Version], ts: int, part: str = "p") -> pa.Table:
    rows = [
        {"id": key, "part": part, "ts": ts, "source": source, FLAG: kind == "gone"}
        for key, (kind, source) in versions.items()
    ]
    return pa.Table.from_pylist(rows, SCHEMA)


def write(path: Path, versions: dict[str, Version], ts: int, **options: Any) -> None:
    """Write versions by key: rows and flagged deletes in one write, deletes of the key alone in another one."""
    rows = {key: version for key, version in versions.items() if version[1] != "key"}
    keys = {key: version for key, version in versions.items() if version[1] == "key"}
    if rows:
        write_arrow(rows_of(rows, ts), path, {**OPTIONS, **options})
    if keys:
        table = rows_of(dict.fromkeys(keys, ("gone", "web")), ts).drop_columns(["ts"])
        write_arrow(table, path, {**OPTIONS, **options, "operation": "delete"})


def create(path: Path, version: int, versions: dict[str, Version], **options: Any) -> None:
    """Create a table; one of version 8 has the properties that version 8 has for the same table."""
    write(path, versions, 1, table_version=9 if version == 8 else version, operation="bulk_insert", **options)
    if version == 8:
        file = path / ".hoodie/hoodie.properties"
        text = file.read_text()
        assert "hoodie.table.version=9" in text
        text = text.replace("hoodie.table.version=9", "hoodie.table.version=8")
        file.write_text(text.replace("hoodie.table.ordering.fields", "hoodie.table.precombine.field"))


def read(path: Path, **query: Any) -> dict[str, str | None]:
    rows = hoodoo.Table(path).to_arrow(["id", "source"], **query).to_pylist()
    found = {row["id"]: row["source"] for row in rows}
    assert len(found) == len(rows)
    return found


def expected(*, forgets: bool) -> dict[str, str | None]:
    found = {str(n): remaining(history, forgets=forgets) for n, history in enumerate(HISTORIES)}
    found["other"] = "web"
    return {key: source for key, source in found.items() if source != ""}


def steps() -> list[dict[str, Version]]:
    """Return the versions of each write, by key; the table is never empty."""
    writes: list[dict[str, Version]] = [
        {str(n): history[place] for n, history in enumerate(HISTORIES) if history[place] is not None}  # type: ignore[misc]
        for place in range(3)
    ]
    return [{"other": ("row", "web"), **writes[0]}, *writes[1:]]


def compact(path: Path) -> None:
    """Compact all logs by a write of a row that changes nothing."""
    write(path, {"other": ("row", "web")}, 9, compact_inline=True, compact_after_commits=1)


@pytest.mark.parametrize("log_format", ["avro", "parquet"])
@pytest.mark.parametrize("version", VERSIONS)
def test_logs_give_the_rows_that_the_columns_of_deletes_decide(version: int, log_format: str, tmp_path: Path) -> None:
    first, *later = steps()
    kind = {"table_type": "MERGE_ON_READ", "log_format": log_format}
    create(tmp_path / "t", version, first, **BUCKET, **kind)
    for ts, versions in enumerate(later, 2):
        write(tmp_path / "t", versions, ts)

    assert read(tmp_path / "t") == expected(forgets=False)
    assert read(tmp_path / "t", query_type="read_optimized") == {key: source for key, (_, source) in first.items()}
    [split] = hoodoo.Table(tmp_path / "t").splits(["id", "source"])
    parts = {row["id"]: row["source"] for row in rows_in_two_parts(split)}
    assert parts == expected(forgets=False)
    compact(tmp_path / "t")
    assert read(tmp_path / "t") == expected(forgets=False)
    assert read(tmp_path / "t", query_type="read_optimized") == expected(forgets=False)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("table_type", ["COPY_ON_WRITE", "MERGE_ON_READ"])
def test_commits_and_compacted_logs_forget_the_same_deletes(version: int, table_type: str, tmp_path: Path) -> None:
    first, *later = steps()
    often = {"compact_inline": True, "compact_after_commits": 1} if table_type == "MERGE_ON_READ" else {}
    create(tmp_path / "t", version, first, **BUCKET, table_type=table_type)
    for ts, versions in enumerate(later, 2):
        write(tmp_path / "t", versions, ts, **often)

    assert read(tmp_path / "t") == expected(forgets=True)


@pytest.mark.parametrize("version", VERSIONS)
def test_one_write_and_logs_agree(version: int, tmp_path: Path) -> None:
    """All versions after the first in one write of a copy-on-write table, where deletes are not forgotten."""
    first, second, third = steps()
    batch = pa.concat_tables(
        rows_of({key: v for key, v in versions.items() if v[1] != "key"}, ts)
        for ts, versions in enumerate((second, third), 2)
    )
    keyed = {key for key, version in (*second.items(), *third.items()) if version[1] == "key"}
    rows = [row for row in batch.to_pylist() if row["id"] not in keyed]
    for table_type in ("COPY_ON_WRITE", "MERGE_ON_READ"):
        path = tmp_path / table_type
        create(path, version, first, **BUCKET, table_type=table_type)
        write_arrow(pa.Table.from_pylist(rows, SCHEMA), path, OPTIONS)

        assert {key: source for key, source in read(path).items() if key not in keyed} == {
            key: source for key, source in expected(forgets=False).items() if key not in keyed
        }


@pytest.mark.parametrize("version", VERSIONS)
def test_a_global_index_moves_rows_by_the_same_decisions(version: int, tmp_path: Path) -> None:
    """A delete in another partition than its row."""
    found = {}
    for table_type in ("COPY_ON_WRITE", "MERGE_ON_READ"):
        path = tmp_path / table_type
        options = {"table_type": table_type, "partition_by": "part", "index": "global-simple"}
        stored: dict[str, Version] = {"a": ("row", "crm"), "b": ("row", "web"), "c": ("row", "crm")}
        create(path, version, stored, **options)
        gone: dict[str, Version] = {"a": ("gone", "web"), "b": ("gone", "crm")}
        write_arrow(rows_of(gone, 2, "q"), path, {**OPTIONS, "index": "global-simple"})
        write_arrow(rows_of({"c": ("row", "web")}, 3, "q"), path, {**OPTIONS, "index": "global-simple"})
        found[table_type] = read(path)

    assert found["MERGE_ON_READ"] == found["COPY_ON_WRITE"] == {"a": "crm", "c": "crm"}


@pytest.mark.parametrize("version", VERSIONS)
def test_incremental_reads_and_explanations_see_the_kept_column(version: int, tmp_path: Path) -> None:
    path = tmp_path / "t"
    create(path, version, {"a": ("row", "crm"), "b": ("row", "web")}, **BUCKET, table_type="MERGE_ON_READ")
    # the latest completion time, or in version 6 the latest instant
    begin = max(time for file in (path / ".hoodie").rglob("*commit") for time in re.findall(r"\d{17}", file.name))
    write(path, {"a": ("gone", "web"), "b": ("gone", "crm"), "c": ("row", "web")}, 2)

    changes = hoodoo.Table(path).to_arrow(["id"], query_type="incremental", begin=begin)
    assert changes["id"].to_pylist() == ["c"]
    lost = hoodoo.Table(path).explain("a")
    assert re.search(r"flagged delete .*\n.*keep: merger 'source-priority'", str(lost))
    assert "source = web" in str(lost)
    assert "take: merger 'source-priority'" in str(hoodoo.Table(path).explain("b"))


def blocks_of(path: Path) -> list[list[BlockType]]:
    storage = storage_for(path)
    logs = sorted(file.relative_to(path).as_posix() for file in path.rglob(".*.log.*") if ".hoodie/" not in str(file))
    return [[block.type for block in read_blocks(storage, log)] for log in logs]


def by_event_time(path: Path, version: int) -> None:
    """Replace the rule in the table properties by the merge mode of event time."""
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
    """The package `hudi`, with the merge mode of event time in place of the rule, which it does not have."""
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
    """A table without the flag, whose deletes have a text in a column."""
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


@pytest.mark.parametrize("table_type", ["COPY_ON_WRITE", "MERGE_ON_READ"])
def test_the_operation_delete_has_no_columns_in_either_type(table_type: str, tmp_path: Path) -> None:
    """Its rows have the source `web`, which is worse than that of the stored row; it is not read."""
    path = tmp_path / "t"
    create(path, 9, {"a": ("row", "crm"), "b": ("row", "crm")}, table_type=table_type)
    write_arrow(rows_of({"a": ("gone", "web")}, 2), path, {**OPTIONS, "operation": "delete"})

    assert read(path) == {"b": "crm"}


def test_a_table_whose_logs_cannot_keep_the_column_is_refused(tmp_path: Path) -> None:
    """The marks of AWS DMS are recognized by a delete rule of the table alone."""
    rows = pa.table({"id": ["a"], "ts": [1], "source": ["crm"], "Op": ["D"]})
    options = {**OPTIONS, "delete_rule": "dms-op", "table_type": "MERGE_ON_READ"}

    with pytest.raises(
        OptionError, match=r"reads column 'source' of deletes, and the logs .* cannot keep it"
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
    with pytest.raises(SchemaError, match=r"reads column 'source' of deletes .* it has id, ts") as refused:
        write_arrow(pa.table({"id": ["a"], "ts": [1]}), tmp_path / "t", OPTIONS)

    assert refused.value.code == "column_missing"
    assert not (tmp_path / "t").exists()


def test_a_column_that_marks_deletes_may_come_later(tmp_path: Path) -> None:
    """Until then all deletes are key-only, and there is nothing to keep."""
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

    with pytest.raises(DataError, match=r"1 records become deletes \(keys such as 'a'\).*without a column that marks"):
        write_arrow(twice, path, options)

    assert read(path) == {"a": "crm", "b": "crm"}
