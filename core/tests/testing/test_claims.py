"""Installed official plugins claim exactly those of the laws in `COLUMNS` that `TABLE` marks."""

from __future__ import annotations

import pytest

from hoodoo.plugin.installed.catalogue import default_catalogue
from hoodoo.record import Law

COLUMNS = (
    Law.ASSOCIATIVE,
    Law.ORDER_INDEPENDENT,
    Law.IDEMPOTENT,
    Law.REPLAY_SAFE,
    Law.DELETE_STICKY,
    Law.ORDERING_IS_MAX,
)
"""The table's columns; it has none for the other laws."""

PARTIAL = ("keep-values", "ignore-defaults", "fill-unavailable")

# One letter per column, y where the law holds for every input that the rule takes, deletes included.
TABLE = [
    ("merger", "commit-time", {}, "y-yy--"),
    ("merger", "event-time", {}, "yyyyyy"),
    ("merger", "first-value", {}, "yyyyyy"),
    ("merger", "deduplicate", {}, "yyyyyy"),
    ("merger", "deduplicate", {"ignore_delete": True}, "--yy--"),
    ("merger", "first-row", {}, "y-yy--"),
    ("merger", "null-partial", {}, "y-yy--"),
    ("merger", "null-partial", {"remove_on_delete": True}, "--yy--"),
    *(("merger", "commit-time-partial", {"partial": mode}, "--yy--") for mode in PARTIAL),
    *(("merger", "event-time-partial", {"partial": mode}, "--yyyy") for mode in PARTIAL),
    ("merger", "per-column-event-time", {}, "yyyyyy"),
    ("payload", "overwrite-with-latest", {}, "y--y--"),
    ("payload", "event-time", {}, "---y--"),
    ("payload", "event-time-avro", {}, "---y--"),
    ("payload", "first-value", {}, "---y--"),
    ("payload", "overwrite-non-defaults", {}, "---y--"),
    ("payload", "partial-update", {}, "---y--"),
    ("payload", "aws-dms", {}, "y--y--"),
    ("payload", "mysql-debezium", {}, "---y--"),
    ("payload", "postgres-debezium", {}, "---y--"),
    ("payload", "pass-through", {}, "y--y--"),
    ("payload", "empty", {}, "-y-yy-"),
    ("payload", "expression", {"matched": [{"action": "update"}]}, "------"),
]


@pytest.mark.parametrize(
    ("family", "name", "options", "marks"), TABLE, ids=[" ".join([f, n, *map(str, o.values())]) for f, n, o, _ in TABLE]
)
def test_claims_equal_the_table(family: str, name: str, options: dict[str, object], marks: str) -> None:
    if name not in {info.name for info in default_catalogue().list(family)}:
        pytest.skip(f"{family} '{name}' is not installed")
    claimed = default_catalogue().make(family, name, options).laws

    assert claimed & set(COLUMNS) == {law for law, mark in zip(COLUMNS, marks, strict=True) if mark == "y"}
