"""Random writes to the tables of the recipes: batches of rows and of deletes with and without data."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

import pyarrow as pa
from attrs import frozen

__all__ = ["TABLES", "Batch", "Table", "batches"]

KEYS = [str(number) for number in range(24)]
FLAG = "_hoodie_is_deleted"
OPERATIONS = [
    {"op": "add", "path": "/tags/-", "value": "x"},
    {"op": "replace", "path": "/tags/0", "value": "first"},
    {"op": "remove", "path": "/nothing"},
]


@frozen
class Table:
    """Table of a recipe.

    Attributes:
        options: Options of its writes.
        columns: Columns of its rows, without the key and the delete flag.
        row: A function that draws the columns of a row.
        ordering: The ordering columns.
        deletes: Kinds of deletes: `flagged` (a row with the delete flag), `ordered` (a key-only delete with ordering
            values), `plain` (a key-only delete without them).
        deletes_last: Whether the key-only deletes are the last writes.
        judged_by: Columns that the rule reads of flagged deletes; deletes without them are final.
    """

    options: Mapping[str, Any]
    columns: Mapping[str, pa.DataType]
    row: Callable[[Random], dict[str, Any]]
    ordering: tuple[str, ...] = ()
    deletes: Sequence[str] = ("flagged", "ordered", "plain")
    deletes_last: bool = False
    judged_by: tuple[str, ...] = ()

    @property
    def schema(self) -> pa.Schema:
        """Return the schema of incoming rows."""
        flag = [(FLAG, pa.bool_())] if "flagged" in self.deletes else []
        return pa.schema([("id", pa.string()), *self.columns.items(), *flag])


@frozen
class Batch:
    """One write: `kind` is `rows`, or a kind of key-only deletes."""

    kind: str
    rows: Sequence[dict[str, Any]]


def batches(table: Table, random: Random, count: int) -> list[Batch]:
    """Return the writes of a history: rows of most keys, and then rows, among them deletes of each kind.

    The deletes are the last writes if `deletes_last` is true; otherwise rows are the last write.
    """
    found = [Batch("rows", [_row(table, random, key, 0.0) for key in KEYS if random.random() < 0.8])]
    deletes = [kind for kind in table.deletes if kind != "flagged"]
    kinds = ["rows"] * (count - 2 - len(deletes))
    if table.deletes_last:
        kinds += ["rows", *deletes]
    else:
        kinds += deletes
        random.shuffle(kinds)
        kinds.append("rows")
    for kind in kinds:
        flagged = 0.25 if "flagged" in table.deletes else 0.0
        keys = [key for key in KEYS for _ in range(random.choice((0, 1, 1, 2) if kind == "rows" else (0, 1)))]
        found.append(Batch(kind, [_row(table, random, key, flagged) for key in keys]))
    return found


def _row(table: Table, random: Random, key: str, flagged: float) -> dict[str, Any]:
    row = {"id": key, **table.row(random)}
    return {**row, FLAG: random.random() < flagged} if "flagged" in table.deletes else row


def _time(random: Random) -> int:
    return random.randrange(1, 9)


def _or_none(random: Random, value: Any, chance: float = 0.3) -> Any:
    return None if random.random() < chance else value


def _patch_or_document(random: Random) -> dict[str, Any]:
    if random.random() < 0.3:
        return {"document": '{"tags":["a"]}', "patches": None}
    chosen = random.choices(OPERATIONS, k=random.choice((1, 2)))
    return {"document": None, "patches": [json.dumps([operation]) for operation in chosen]}


def _clock(random: Random, name: str, value: Any) -> dict[str, Any] | None:
    return _or_none(random, {"ts": _time(random), name: value})


def _city(random: Random) -> str:
    return random.choice(("Oslo", "Rome", "Bonn"))


def _merger(name: str, **options: Any) -> dict[str, Any]:
    return {"merger": name, **({"merger_options": options} if options else {})}


LONG, TEXT = pa.int64(), pa.string()
FIELDS = {
    "capped-list": {"events": {"agg": "capped-list", "most": 3}},
    "source-counters": {"clicks": {"agg": "source-counters"}},
}
TABLES: Mapping[str, Table] = {
    "capped-list": Table(
        _merger("aggregate", fields=FIELDS["capped-list"]),
        {"events": pa.list_(TEXT)},
        lambda random: {"events": _or_none(random, random.choices("abc", k=random.randrange(5)), 0.1)},
        deletes=("plain",),
        deletes_last=True,
    ),
    "dead-letter": Table(
        {"keygen": "dead-letter", "record_key": "id,offset", "partition_by": "city", "merger": "commit-time"},
        {"offset": LONG, "city": TEXT, "fare": LONG},
        lambda random: {
            **({"id": None} if random.random() < 0.2 else {}),
            "offset": random.randrange(9),
            "city": "oslo",
            "fare": _time(random),
        },
        deletes=(),
    ),
    "high-water-mark": Table(
        _merger("high-water-mark", columns="best"),
        {"ts": LONG, "best": LONG, "city": TEXT},
        lambda random: {"ts": _time(random), "best": _or_none(random, _time(random)), "city": _city(random)},
        ("ts",),
    ),
    "highest-version": Table(
        _merger("highest-version"),
        {"version": LONG, "deleted": pa.bool_(), "city": TEXT},
        lambda random: {"version": _time(random), "deleted": random.random() < 0.3, "city": _city(random)},
        ("version",),
        deletes=("ordered", "plain"),
    ),
    "json-patch": Table(
        _merger("json-patch"), {"document": TEXT, "patches": pa.list_(TEXT)}, _patch_or_document, deletes=("plain",)
    ),
    "mask-on-delete": Table(
        _merger("mask-on-delete", columns="name"),
        {"ts": LONG, "name": TEXT, "total": LONG},
        lambda random: {"ts": _time(random), "name": _city(random), "total": _time(random)},
        ("ts",),
    ),
    "quarantine": Table(
        _merger("quarantine", required="city", not_negative="fare"),
        {"ts": LONG, "city": TEXT, "fare": LONG},
        lambda random: {
            "ts": _time(random),
            "city": _or_none(random, _city(random)),
            "fare": _or_none(random, random.randrange(-2, 6)),
        },
        ("ts",),
        deletes=("ordered", "plain"),
    ),
    "same-content": Table(
        _merger("same-content"),
        {"city": TEXT, "tags": pa.list_(TEXT)},
        lambda random: {"city": _city(random), "tags": _or_none(random, [_city(random)])},
        deletes=("flagged", "plain"),
    ),
    "source-clocks": Table(
        _merger("source-clocks"),
        {"crm": pa.struct([("ts", LONG), ("city", TEXT)]), "web": pa.struct([("ts", LONG), ("visits", LONG)])},
        lambda random: {"crm": _clock(random, "city", _city(random)), "web": _clock(random, "visits", _time(random))},
        deletes=("flagged", "plain"),
    ),
    "source-counters": Table(
        _merger("aggregate", fields=FIELDS["source-counters"]),
        {"clicks": pa.map_(TEXT, LONG)},
        lambda random: {"clicks": [(source, _time(random)) for source in random.sample("abc", k=random.randrange(3))]},
        deletes=("plain",),
        deletes_last=True,
    ),
    "source-priority": Table(
        _merger("source-priority", priority="crm,web"),
        {"source": TEXT, "ts": LONG, "city": TEXT},
        lambda random: {
            "source": random.choice(("crm", "web", "fax", "tv")),
            "ts": _time(random),
            "city": _city(random),
        },
        ("ts",),
        judged_by=("source",),
    ),
    "validity": Table(
        _merger("validity", columns="city"),
        {"ts": LONG, "city": TEXT},
        lambda random: {"ts": _time(random), "city": _or_none(random, _city(random))},
        ("ts",),
    ),
}
"""The tables by recipe."""
