"""Helpers for tests of a single merge: a stored row, incoming versions, and the result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hoodoo.plugin.catalog.catalog import default_catalogue
from hoodoo.testing.data.vector_records import delete, flagged
from hoodoo.testing.vectors import run_history

__all__ = ["delete", "flagged", "merged", "tombstone"]

SCHEMA = {"id": "string", "ts": "long?", "v": "string?"}


def merged(
    family: str,
    name: str,
    incoming: Sequence[Mapping[str, Any]],
    *,
    stored: Mapping[str, Any] | None = None,
    mode: str = "batch",
    schema: Mapping[str, Any] = SCHEMA,
    ordering: str = "ts",
    compat: str = "legacy",
    **config: Any,
) -> dict[str, Any] | None:
    """Return the row that results from a history, without its nulls, or None if there is no row.

    Args:
        family: `payload` or `merger`.
        name: The name of the plugin.
        incoming: The incoming rows in order of arrival; the first column of the schema is the record key.
        stored: The stored row; None if there is none.
        mode: `batch`: one write; for a merger, versions that are merged in logs before the base file have the same
            result. `commits`: each row is a write to a copy-on-write table. `log`: all rows are log records, the
            stored one too, and tombstones are kept.
        schema: The types by column name, in the notation of merge vectors.
        ordering: The ordering columns, separated by commas; empty for none.
        compat: `legacy` or `1.1`.
        config: The options of the plugin, and the other keys of the vector's `config`.
    """
    return _run(family, name, incoming, stored, mode, schema, ordering, compat, config)["result"]  # type: ignore[no-any-return]


def tombstone(family: str, name: str, incoming: Sequence[Mapping[str, Any]], **options: Any) -> list[Any] | None:
    """Return the ordering values of the tombstone of a log, or None if there are none or the result is a row."""
    options = {"stored": None, "schema": SCHEMA, "ordering": "ts", "compat": "legacy"} | options
    return _run(  # type: ignore[no-any-return]
        family, name, incoming, options["stored"], "log", options["schema"], options["ordering"], options["compat"], {}
    )["tombstone"]


def _run(
    family: str,
    name: str,
    incoming: Sequence[Mapping[str, Any]],
    stored: Mapping[str, Any] | None,
    mode: str,
    schema: Mapping[str, Any],
    ordering: str,
    compat: str,
    config: Mapping[str, Any],
) -> dict[str, Any]:
    vector = {
        "kind": family,
        "name": name,
        "mode": mode,
        "compat": compat,
        "schema": dict(schema),
        "stored": None if stored is None else dict(stored),
        "incoming": [dict(row) for row in incoming],
        "config": {"ordering_fields": ordering, **config},
    }
    return run_history(vector, default_catalogue())
