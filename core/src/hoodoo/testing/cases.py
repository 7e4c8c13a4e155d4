"""One merge as a test writes it: what is stored, what comes in, what comes out."""

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
    **config: Any,
) -> dict[str, Any] | None:
    """Return the row that a history leaves, without its nulls; None where there is none.

    Args:
        family: `payload` or `merger`.
        name: The plugin.
        incoming: Rows in order of arrival; the first column of the schema is the record key.
        stored: The row that is stored before, if there is one.
        mode: `batch`: one write; what meets in logs before it meets a base file is left alike, by a merger. `commits`:
            every row is a write of a copy-on-write table. `log`: every row is a log record, the stored one too, and
            tombstones stay.
        schema: Column names and types, as merge vectors spell them.
        config: `ordering`, the ordering columns with commas between them, `ts` by default and empty for none;
            `compat`, `legacy` (the default) or `1.1`; options of the plugin, and the other keys of a vector's `config`.
    """
    fields = {"mode": mode, "schema": schema, "stored": stored, "compat": config.pop("compat", "legacy")}
    config["ordering_fields"] = config.pop("ordering", "ts")
    return _run(family, name, incoming, fields, config)["result"]  # type: ignore[no-any-return]


def tombstone(family: str, name: str, incoming: Sequence[Mapping[str, Any]], **options: Any) -> list[Any] | None:
    """Return the ordering values of the tombstone that a log leaves.

    Args:
        family: `payload` or `merger`.
        name: The plugin.
        incoming: Log records in their order.
        options: `stored`, `schema`, `ordering` and `compat` as in `merged`.

    Returns:
        None where it has no ordering value, or where a row is left.
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
    return run_history(vector, default_catalogue())
