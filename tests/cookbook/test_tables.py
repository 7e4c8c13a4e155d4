"""Random histories of each recipe leave the rows of its model, in all kinds of tables.

A base file keeps no delete: a delete is forgotten at the end of a copy-on-write commit, in a compaction, and where its
key is in no file. Apart from that, a model does not depend on the kind of the table.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pytest
from attrs import define, field

from hoodoo.testing.fixtures import SmallTable

from .histories import FLAG, TABLES, Batch, Table, batches
from .models import MODELS, Row, State, Tombstone
from .pages import RECIPES

pytestmark = pytest.mark.slow

WRITES = 5
COMPACTED_AFTER = (2, 3)
"""The writes after which a table with compactions is compacted."""
LOGS = {"small_file_limit": 0}
"""No write rewrites a base file: new keys get new files, and other rows are appended to logs."""
KINDS: Mapping[str, Mapping[str, Any]] = {
    "copy-on-write": {"table_type": "COPY_ON_WRITE"},
    "merge-on-read": {"table_type": "MERGE_ON_READ", **LOGS},
    "merge-on-read of version 6": {"table_type": "MERGE_ON_READ", "table_version": 6, **LOGS},
    "compacted": {"table_type": "MERGE_ON_READ", **LOGS},
}
SEEDS = [0, *(pytest.param(seed, marks=pytest.mark.nightly) for seed in range(1, 12))]


@define
class Expected:
    """The state of each key, and the keys that are in a file of the table."""

    recipe: str
    table: Table
    states: dict[str, State] = field(factory=dict)
    located: set[str] = field(factory=set)

    def write(self, batch: Batch, kind: str) -> None:
        step = MODELS[self.recipe]
        for row in batch.rows:
            key = self.key(row)
            self.states[key] = step(self.states.get(key), self.version(batch, row))
        for key in {self.key(row) for row in batch.rows}:
            if isinstance(self.states[key], Row):
                self.located.add(key)
            elif kind == "copy-on-write" or key not in self.located:
                self.forget(key)

    def version(self, batch: Batch, row: Mapping[str, Any]) -> Row | Tombstone:
        if batch.kind == "plain" or (batch.kind == "ordered" and self.table.judged_by):
            return Tombstone(None)
        order = tuple(row[name] for name in (*self.table.judged_by, *self.table.ordering))
        if batch.kind == "ordered" or row.get(FLAG):
            return Tombstone(order if order else None)
        return Row({**row, **dict.fromkeys(self.added())})

    def added(self) -> tuple[str, ...]:
        return {
            "json-patch": ("failed_patches",),
            "mask-on-delete": ("masked_at",),
            "quarantine": ("quarantined",),
            "validity": ("history",),
        }.get(self.recipe, ())

    def key(self, row: Mapping[str, Any]) -> str:
        return f"offset:{row['offset']}" if row["id"] is None else str(row["id"])

    def compact(self) -> None:
        for key, state in list(self.states.items()):
            if isinstance(state, Tombstone):
                self.forget(key)

    def forget(self, key: str) -> None:
        self.states.pop(key, None)
        self.located.discard(key)

    def rows(self) -> list[dict[str, Any]]:
        return [dict(state.columns) for _, state in sorted(self.states.items()) if isinstance(state, Row)]


def arrow(table: Table, batch: Batch) -> pa.Table:
    names = {"rows": table.schema.names, "ordered": ["id", *table.ordering], "plain": ["id"]}[batch.kind]
    schema = pa.schema([table.schema.field(name) for name in names])
    return pa.Table.from_pylist([{name: row[name] for name in names} for row in batch.rows], schema)


def without_flag(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{name: value for name, value in row.items() if name != FLAG} for row in rows]


@pytest.mark.each_value
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("recipe", RECIPES)
def test_a_table_has_the_rows_of_the_model(recipes, hoodoo_table, recipe: str, kind: str, seed: int):
    table, expected = TABLES[recipe], Expected(recipe, TABLES[recipe])
    options = {**table.options, **KINDS[kind], **({"ordering": ",".join(table.ordering)} if table.ordering else {})}
    stored: SmallTable = hoodoo_table(**options)
    compactions = {"compact_inline": True, "compact_after_commits": 1}
    history = batches(table, Random(f"{recipe} {seed}"), WRITES)
    for number, batch in enumerate(history):
        compacts = kind == "compacted" and number in COMPACTED_AFTER
        operation = "upsert" if batch.kind == "rows" else "delete"
        stored.write(arrow(table, batch), operation=operation, **(compactions if compacts else {}))
        expected.write(batch, kind)
        if compacts:
            expected.compact()

        assert without_flag(stored.rows()) == without_flag(expected.rows()), history[: number + 1]


def test_merge_on_read_tables_have_logs(recipes, hoodoo_table):
    """Without logs, the test above would not test merges of logs."""
    stored = hoodoo_table(**TABLES["validity"].options, ordering="ts", **KINDS["merge-on-read"])
    for batch in batches(TABLES["validity"], Random(0), WRITES):
        if batch.kind == "rows":
            stored.write(arrow(TABLES["validity"], batch))

    assert list(Path(stored.path).rglob(".*.log.*"))
