"""Kinds of tables: their properties, and the rules of the model for them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

from hypothesis import strategies as st

from tests.rows_merged.handmade.columns import TYPES, Columns, Type, avro_schema
from tests.support.versions import Rules

__all__ = ["LATE", "ORDERINGS", "VALUES", "Setting", "settings_of"]

UNAVAILABLE = "__unavailable"
DELETED = "gone"

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_COMMIT_TIME = "ce9acb64-bde0-424c-9b91-f6ebba25356d"
_EVENT_TIME = "eeb8d96f-b1e4-49fd-bbf8-28ac514178e5"
_PAYLOADS = "org.apache.hudi.common.model."
_MODE = "hoodie.record.merge.mode"
_STRATEGY = "hoodie.record.merge.strategy.id"
_PAYLOAD = "hoodie.compaction.payload.class"
_PARTIAL = "hoodie.table.partial.update.mode"

ORDERINGS: Mapping[str, Callable[[int], Any]] = {
    "long": lambda n: n,
    "int": lambda n: n,
    "double": lambda n: n / 2,
    "string": lambda n: ("", "10", "9", "Z", "é", "😀", "😁")[n],
    "timestamp": lambda n: _EPOCH + timedelta(days=n, microseconds=n),
    "date": lambda n: date(1970, 1, 1) + timedelta(days=n),
    "decimal": lambda n: Decimal(n) / 8,
}
"""Ordering values by type, for the numbers from 1 to 6."""

VALUES: Mapping[str, st.SearchStrategy[Any]] = {
    "string": st.sampled_from((None, "", "x", "é😀", UNAVAILABLE, DELETED)),
    "boolean": st.sampled_from((None, True, False)),
    "int": st.sampled_from((None, -1, 0, 2**31 - 1)),
    "long": st.sampled_from((None, -1, 0, 2**62)),
    "float": st.sampled_from((None, 0.5, -2.0)),
    "double": st.sampled_from((None, 0.1, -2.0)),
    "bytes": st.sampled_from((None, b"", b"\xff\x00")),
    "date": st.sampled_from((None, date(1969, 12, 31), date(2024, 2, 29))),
    "decimal": st.sampled_from((None, Decimal("-0.125"), Decimal("999999999.999"))),
    "timestamp": st.sampled_from((None, _EPOCH - timedelta(microseconds=1), _EPOCH + timedelta(days=20000))),
    "list": st.sampled_from((None, [], ["a", None])),
    "map": st.sampled_from((None, {}, {"k": 1, "l": None})),
    "struct": st.sampled_from((None, {"x": 1, "label": None}, {"x": None, "label": "p"})),
}

FLAT = sorted(set(VALUES) - {"list", "map", "struct"})

LATE = "late"
"""The column that is added to a table during its history."""


@dataclass(frozen=True)
class Setting:
    """A kind of table.

    Attributes:
        version: The table version: 6, 8 or 9.
        table_type: `COPY_ON_WRITE` or `MERGE_ON_READ`.
        properties: The entries of `hoodie.properties` about the rule.
        rules: The rules that follow from them.
        ordering: The type of the ordering column.
        partitioning: "", `plain` or `hive`.
        payload: The types of the columns `v`, `c0`, `c1`, ... by name.
        meta: Whether the meta columns are filled.
        partial_blocks: Whether data blocks may hold some of the columns only.
    """

    version: int
    table_type: str
    properties: Mapping[str, str]
    rules: Rules
    ordering: str
    partitioning: str
    payload: Mapping[str, str]
    meta: bool = True
    partial_blocks: bool = False

    @property
    def columns(self) -> Columns:
        """Return all columns except `LATE`."""
        columns: dict[str, Type] = {"id": TYPES["string"]}
        if self.partitioning:
            columns["place"] = TYPES["string"]
        columns["ts"] = TYPES[self.ordering]
        columns |= {name: TYPES[type_] for name, type_ in self.payload.items()}
        columns["_hoodie_is_deleted"] = TYPES["boolean"]
        return columns

    @property
    def all_properties(self) -> dict[str, str]:
        """Return the properties, with the schema that the table was created with."""
        return {**self.properties, "hoodie.table.create.schema": json.dumps(avro_schema(self.columns))}

    @property
    def partitions(self) -> tuple[str, ...]:
        """Return the partition paths that rows can have."""
        return {"": ("",), "plain": ("x", "y"), "hive": ("place=x", "place=y")}[self.partitioning]


def _rules(version: int) -> dict[str, tuple[dict[str, str], Rules]]:
    """Return cases by name: the properties that select a merge rule in a table version, and the rules of readers."""
    late, now = Rules(True, ("ts",)), Rules(False, ("ts",))
    if version == 6:
        marker = {"hoodie.payload.delete.field": "v", "hoodie.payload.delete.marker": DELETED}
        return {
            "nothing": ({}, late),
            "strategy": ({"hoodie.compaction.record.merger.strategy": _COMMIT_TIME}, now),
            "overwrite": ({_PAYLOAD: f"{_PAYLOADS}OverwriteWithLatestAvroPayload"}, now),
            "overwrite beats strategy": (
                {
                    _PAYLOAD: f"{_PAYLOADS}OverwriteWithLatestAvroPayload",
                    "hoodie.compaction.record.merger.strategy": _EVENT_TIME,
                },
                now,
            ),
            "default": ({_PAYLOAD: f"{_PAYLOADS}DefaultHoodieRecordPayload"}, late),
            "event time avro": ({_PAYLOAD: f"{_PAYLOADS}EventTimeAvroPayload"}, late),
            "marker": (
                {_PAYLOAD: f"{_PAYLOADS}DefaultHoodieRecordPayload", **marker},
                replace(late, marker=("v", DELETED)),
            ),
        }
    found = {
        "event time": ({_MODE: "EVENT_TIME_ORDERING"}, late),
        "commit time": ({_MODE: "COMMIT_TIME_ORDERING"}, now),
    }
    if version == 8:
        overwrite = {_PAYLOAD: f"{_PAYLOADS}OverwriteWithLatestAvroPayload"}
        return {
            **found,
            "strategy beats overwrite": ({**overwrite, _STRATEGY: _EVENT_TIME}, late),
            "commit strategy": ({_STRATEGY: _COMMIT_TIME}, now),
        }
    prefix = "hoodie.record.merge.property."
    marker = {f"{prefix}hoodie.payload.delete.field": "v", f"{prefix}hoodie.payload.delete.marker": DELETED}
    unavailable = {_PARTIAL: "FILL_UNAVAILABLE", f"{prefix}partial.update.unavailable.value": UNAVAILABLE}
    for name, (properties, rules) in list(found.items()):
        found[f"{name}, marker"] = ({**properties, **marker}, replace(rules, marker=("v", DELETED)))
        found[f"{name}, defaults"] = (
            {**properties, _PARTIAL: "IGNORE_DEFAULTS"},
            replace(rules, partial="IGNORE_DEFAULTS"),
        )
        found[f"{name}, unavailable"] = (
            {**properties, **unavailable},
            replace(rules, partial="FILL_UNAVAILABLE", unavailable=UNAVAILABLE),
        )
    return found


@st.composite
def settings_of(draw: st.DrawFn, version: int, table_type: str) -> Setting:
    """Draw a kind of table of a version and type."""
    rules = _rules(version)
    properties, rule = rules[draw(st.sampled_from(sorted(rules)))]
    partial_blocks = not rule.partial and rule.marker is None and draw(st.booleans())
    # the other reader rejects partial updates of maps and lists in Parquet
    names = sorted(FLAT if rule.partial or partial_blocks else VALUES)
    types = draw(st.lists(st.sampled_from(names), min_size=1, max_size=3))
    return Setting(
        version,
        table_type,
        properties,
        rule,
        draw(st.sampled_from(sorted(ORDERINGS))),
        draw(st.sampled_from(("", "plain", "hive"))),
        {"v": "string", **{f"c{number}": type_ for number, type_ in enumerate(types)}},
        meta=draw(st.sampled_from((True, True, True, False))),
        partial_blocks=partial_blocks,
    )
