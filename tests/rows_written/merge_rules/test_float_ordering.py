"""NaN and zeros with signs as ordering values: one order in batches, logs, delete blocks and merges, that of Java.

In `tests/interop/stories/floats.py`, Hudi itself merges such rows.
"""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import hoodoo
from hoodoo.testing.cases import merged
from hoodoo.testing.engine import write_arrow

pytestmark = pytest.mark.slow

ASCENDING = {"-inf": float("-inf"), "-0": -0.0, "0": 0.0, "inf": float("inf"), "nan": float("nan")}
RANK = {name: rank for rank, name in enumerate(ASCENDING)}
Names = tuple[str, ...]
each_type = pytest.mark.parametrize("type_", [pa.float64(), pa.float32()], ids=str)


def rows(times: list[Names], number: int, type_: pa.DataType, deleted: bool = False) -> pa.Table:
    """Return a row for each tuple of names; its ordering value is that of the name at position `number`."""
    keys, ts = [" ".join(names) for names in times], [ASCENDING[names[number]] for names in times]
    flags = [deleted] * len(keys)
    return pa.table({"id": keys, "ts": pa.array(ts, type_), "v": [number] * len(keys), "_hoodie_is_deleted": flags})


def write(path: Path, batch: pa.Table, **kind: Any) -> None:
    write_arrow(batch, path, {"table_name": "t", "record_key": "id", "ordering": "ts", **kind})


def left(path: Path) -> dict[Names, int]:
    """Return the number of the stored version of each key."""
    found = hoodoo.Table(path).to_arrow(["id", "v"]).to_pylist()
    return {tuple(row["id"].split()): row["v"] for row in found}


def last_of(names: Names, versions: list[int]) -> int:
    """Return the version with the greatest ordering value, or the last of several such versions."""
    return max(versions, key=lambda number: (RANK[names[number]], number))


PAIRS = list(itertools.product(ASCENDING, repeat=2))
TRIPLES = list(itertools.product(ASCENDING, repeat=3))


@each_type
def test_rows_of_a_batch(tmp_path: Path, table_kind: dict[str, Any], type_: pa.DataType) -> None:
    write(tmp_path, pa.concat_tables([rows(PAIRS, 0, type_), rows(PAIRS, 1, type_)]), **table_kind)

    assert left(tmp_path) == {names: last_of(names, [0, 1]) for names in PAIRS}


@each_type
def test_rows_of_three_writes(tmp_path: Path, table_kind: dict[str, Any], type_: pa.DataType) -> None:
    for number in range(3):
        write(tmp_path, rows(TRIPLES, number, type_), **table_kind)

    expected = {names: last_of(names, [0, 1, 2]) for names in TRIPLES}
    assert left(tmp_path) == expected
    if table_kind["table_type"] == "MERGE_ON_READ":
        hoodoo.Table(tmp_path).compact()
        assert left(tmp_path) == expected


@each_type
@pytest.mark.parametrize("operation", ["upsert", "delete"])
def test_a_delete_between_two_rows(
    tmp_path: Path, table_kind: dict[str, Any], type_: pa.DataType, operation: str
) -> None:
    """A log keeps a delete with its ordering value; a copy-on-write table keeps no delete, and accepts the next row."""
    write(tmp_path, rows(TRIPLES, 0, type_), **table_kind)
    deletes = rows(TRIPLES, 1, type_, deleted=True)
    write(tmp_path, deletes, operation=operation, **table_kind)
    gone = {names for names in TRIPLES if last_of(names, [0, 1]) == 1}
    assert left(tmp_path) == {names: 0 for names in TRIPLES if names not in gone}

    write(tmp_path, rows(TRIPLES, 2, type_), **table_kind)
    in_logs = table_kind["table_type"] == "MERGE_ON_READ"
    expected = {}
    for names in TRIPLES:
        winner = 2 if names in gone and not in_logs else last_of(names, [0, 1, 2] if names in gone else [0, 2])
        if winner != 1:
            expected[names] = winner
    assert left(tmp_path) == expected


@each_type
def test_what_an_explanation_says(tmp_path: Path, type_: pa.DataType) -> None:
    for number in range(2):
        write(tmp_path, rows(PAIRS, number, type_), table_type="MERGE_ON_READ")

    for names in PAIRS:
        decision = hoodoo.Table(tmp_path).explain(" ".join(names)).current[0].decisions[-1]
        beats = RANK[names[1]] - RANK[names[0]]
        words = (
            "a tie goes to the newer"
            if not beats
            else f"the newer version has the {'greater' if beats > 0 else 'lower'}"
        )
        assert words in decision.reason, names


RULES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "event-time": ("merger", "ts", {}),
    "event-time-partial": ("merger", "ts", {"partial": "ignore-defaults"}),
    "deduplicate": ("merger", "ts", {}),
    "per-column-event-time": ("merger", "ts", {}),
    "sequence-group": ("merger", "", {"sequence_groups": {"ts": ["v"]}}),
    "event-time ": ("payload", "ts", {}),
    "event-time-avro": ("payload", "ts", {}),
    "partial-update": ("payload", "ts", {}),
}


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("type_", ["double", "float"])
@pytest.mark.parametrize("mode", ["batch", "log", "commits"])
def test_rules_that_compare(rule: str, type_: str, mode: str) -> None:
    family, ordering, options = RULES[rule]
    schema = {"id": "string", "ts": f"{type_}?", "v": "long?"}
    if rule == "per-column-event-time":
        schema["_column_ordering"] = f"map<string,{type_}>"
    for names in PAIRS:
        history = [{"id": "1", "ts": ASCENDING[name], "v": number} for number, name in enumerate(names)]
        found = merged(family, rule.strip(), history, mode=mode, schema=schema, ordering=ordering, **options)
        assert found is not None
        assert found["v"] == last_of(names, [0, 1]), names


@pytest.mark.parametrize("type_", ["double", "float"])
@pytest.mark.parametrize("function", ["min", "max"])
def test_smallest_and_largest(type_: str, function: str) -> None:
    schema = {"id": "string", "v": f"{type_}?"}
    for names in PAIRS:
        history = [{"id": "1", "v": ASCENDING[name]} for name in names]
        found = merged("merger", "aggregate", history, schema=schema, ordering="", fields={"v": {"agg": function}})
        wanted = (min if function == "min" else max)(names, key=RANK.__getitem__)
        assert found is not None
        assert repr(found["v"]) == repr(ASCENDING[wanted]), names
