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
    ordering: str = "ts",
    compat: str = "legacy",
    **config: Any,
) -> dict[str, Any] | None:
    """The row that a history leaves, without its nulls; None where there is none.

    Args:
        family: `payload` or `merger`.
        name: The plugin.
        incoming: Rows in order of arrival; the first column of the schema is the record key.
        stored: The row that is stored before, if there is one.
        mode: `batch`: one write; what meets in logs before it meets a base file is left alike, by a merger. `commits`:
            every row is a write of a copy-on-write table. `log`: every row is a log record, the stored one too, and
            tombstones stay.
        schema: Column names and types, as merge vectors spell them.
        ordering: Ordering columns, with commas between them; empty for none.
        compat: `legacy` or `1.1`.
        config: Options of the plugin, and the other keys of a vector's `config`.
    """
    return _run(family, name, incoming, stored, mode, schema, ordering, compat, config)["result"]  # type: ignore[no-any-return]


def tombstone(family: str, name: str, incoming: Sequence[Mapping[str, Any]], **options: Any) -> list[Any] | None:
    """The ordering values of the tombstone that a log leaves; None where it has none, or where a row is left."""
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
