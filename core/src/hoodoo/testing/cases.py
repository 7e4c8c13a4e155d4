"""Helpers for tests of a single merge: a stored row, incoming versions, and the result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hoodoo.plugin.installed.catalogue import default_catalogue
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
    **config: Any,
) -> dict[str, Any] | None:
    """Return the row that results from a history, without its nulls, or None if there is no row.

    Args:
        family: `payload` or `merger`.
        name: The name of the plugin.
        incoming: The incoming rows in order of arrival; the first column of the schema is the record key.
        stored: The stored row; None if there is none.
        mode: `batch`: all incoming rows are in one write. `commits`: each incoming row is a write to a copy-on-write
            table. `log`: all rows are log records, including the stored one, and tombstones are kept. A log keeps the
            key and the ordering value of a delete, and the columns that the rule names in `keeps_with_deletes`.
        schema: The types by column name, in the notation of merge vectors.
        config: `ordering`, the ordering columns, separated by commas, `ts` by default and empty for none; `compat`,
            `legacy` (the default) or `1.1`; options of the plugin, and the other keys of the vector's `config`.
    """
    fields = {"mode": mode, "schema": schema, "stored": stored, "compat": config.pop("compat", "legacy")}
    config["ordering_fields"] = config.pop("ordering", "ts")
    return _run(family, name, incoming, fields, config)["result"]  # type: ignore[no-any-return]


def tombstone(family: str, name: str, incoming: Sequence[Mapping[str, Any]], **options: Any) -> list[Any] | None:
    """Return the ordering values of the tombstone that results from a log.

    Args:
        family: `payload` or `merger`.
        name: The name of the plugin.
        incoming: The log records in their order.
        options: `stored`, `schema`, `ordering` and `compat` as in `merged`.

    Returns:
        None if there are no ordering values, or if the result is a row.
    """
    fields = {"stored": None, "schema": SCHEMA, "compat": "legacy", "mode": "log"} | options
    config = {"ordering_fields": fields.pop("ordering", "ts")}
    return _run(family, name, incoming, fields, config)["tombstone"]  # type: ignore[no-any-return]


def _run(
    family: str,
    name: str,
    incoming: Sequence[Mapping[str, Any]],
    fields: Mapping[str, Any],
    config: Mapping[str, Any],
) -> dict[str, Any]:
    vector = {
        **fields,
        "kind": family,
        "name": name,
        "schema": dict(fields["schema"]),
        "stored": None if fields["stored"] is None else dict(fields["stored"]),
        "incoming": [dict(row) for row in incoming],
        "config": dict(config),
    }
    return run_history(vector, default_catalogue(), strips_deletes=True)
