"""Explanations that are built by hand, and a small table to explain."""

from __future__ import annotations

from types import SimpleNamespace

import pyarrow as pa
import pytest

from hoodoo.explain.explanation import (
    Decision,
    Explanation,
    HiddenFile,
    LostDelete,
    Result,
    RuleUse,
    SliceTrace,
    Version,
)
from hoodoo.testing.engine import write_arrow

OPTIONS = {"table_name": "t", "record_key": "id", "partition_by": "p", "ordering": "ts", "table_type": "MERGE_ON_READ"}


def version(number, commit="10", ts=1, place="log", delete=None, file=".f.log", offset=7, value="v"):
    ordering = None if ts is None else {"ts": ts}
    data = None if delete in ("key_only", "key_only_unordered") else {"id": "a", "v": value}
    if place == "base":
        file, offset = "f.parquet", None
    return Version(number, place, commit, file, offset, 3, delete, ordering, data)


def decision(older, newer, choice="take", reason="because", stage="base", **more):
    return Decision(stage, older, newer, choice, more.pop("changed", {}), reason, **more)


def trace(*versions, decisions=(), results=(), partition="x", file_id="f-0", base_instant="10", is_current=True):
    found = tuple(Result(number, {"id": "a", "v": f"v{number}"}, ()) for number in results)
    return SliceTrace(partition, file_id, base_instant, is_current, versions, tuple(decisions), found)


def explanation(*current, **more):
    known = {
        "table": "t",
        "key": "a",
        "partition": None,
        "as_of": None,
        "rules": (RuleUse("writing", "merger 'm'", ("ts",), True, "hoodie.table.ordering.fields", ()),),
        "settings": {},
        "earlier": (),
        "lost": (),
        "hidden": (),
        "cleaned": (),
        "commits": {"10": "insert", "20": "upsert", "30": "compact"},
        "searched": 4,
    }
    return Explanation(current=current, **known | more)


@pytest.fixture(scope="session")
def by_hand():
    """Return functions that make parts of an explanation."""
    return SimpleNamespace(
        version=version,
        decision=decision,
        trace=trace,
        explanation=explanation,
        lost=LostDelete,
        hidden=HiddenFile,
        rule=RuleUse,
        result=Result,
    )


@pytest.fixture
def write(tmp_path):
    """Return a function that writes rows (key, partition, ordering value, value) to a merge-on-read table.

    The function returns the instant of the write. With `deleted`, the rows are deletes.
    """

    def run(*rows, deleted=False, **options):
        ids, partitions, times, values = (list(column) for column in zip(*rows, strict=True))
        table = pa.table({"id": ids, "p": partitions, "ts": times, "v": values})
        table = table.append_column("_hoodie_is_deleted", pa.array([deleted] * len(rows)))
        return write_arrow(table, tmp_path / "t", OPTIONS | options).instant

    return run
