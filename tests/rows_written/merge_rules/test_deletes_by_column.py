"""A merge rule that ranks deletes by a column, in whole tables: every path gives the rows of a small model."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pytest

import hoodoo
from hoodoo.testing.engine import write_arrow
from tests.support.two_parts import rows_in_two_parts

from .source_priority import BUCKET, OPTIONS, RANK, SCHEMA, VERSIONS, Version, create, read, rows_of, write

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("source_priority")]

ONES: list[Version] = [*itertools.product(("row", "gone"), ("web", "crm", None)), ("gone", "key")]
HISTORIES = [
    (stored, first, second)
    for stored in (None, ("row", "web"), ("row", "crm"))
    for first in ONES
    for second in (None, *ONES)
]


def remaining(versions: Sequence[Version | None], *, forgets: bool) -> str | None:
    """Return the source of the row that remains, which may be None, or "" for no row.

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
    """One write of all versions after the first forgets no deletes, and gives the same rows in both table types."""
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
    """The incoming row and deletes name another partition than that of the stored rows."""
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


@pytest.mark.parametrize("table_type", ["COPY_ON_WRITE", "MERGE_ON_READ"])
def test_the_operation_delete_has_no_columns_in_either_type(table_type: str, tmp_path: Path) -> None:
    """The incoming row has the source `web`, which ranks below that of the stored row, and which is not read."""
    path = tmp_path / "t"
    create(path, 9, {"a": ("row", "crm"), "b": ("row", "crm")}, table_type=table_type)
    write_arrow(rows_of({"a": ("gone", "web")}, 2), path, {**OPTIONS, "operation": "delete"})

    assert read(path) == {"b": "crm"}
