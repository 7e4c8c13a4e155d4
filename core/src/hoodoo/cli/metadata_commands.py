"""Commands `hoodoo table indexes` and `hoodoo table validate`, which show and validate a metadata table."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import typer
from attrs import asdict

from hoodoo.archived_timeline import load_timeline
from hoodoo.cli.table_doctor import print_diagnosis
from hoodoo.diagnosis.metadata.validate import validate
from hoodoo.diagnosis.wording import counted, size
from hoodoo.metadata_table import MetadataTable, PartitionState, partition_states
from hoodoo.properties import load_properties
from hoodoo.storage import storage_for

__all__ = ["print_indexes", "print_validation"]


def print_indexes(path: str, options: Mapping[str, Any], *, as_json: bool) -> None:
    """Print the state of each partition of a table's metadata table, or that the table has no metadata table.

    Args:
        path: The root folder of the table.
        options: The access options of an object store.
        as_json: Whether to print JSON; an empty list if the table has no metadata table.

    Raises:
        NotATable: The path has no table.
        OptionError: An access option has an invalid value.
        UnsupportedTable: The table, its location or the version of its metadata table is not supported.
        CorruptTableError: The properties or the timeline of the table, or its metadata table, are damaged.
    """
    storage = storage_for(path, options)
    properties = load_properties(storage)
    metadata = MetadataTable.open(storage, properties, load_timeline(storage, properties))
    states = [] if metadata is None else partition_states(metadata)
    if as_json:
        typer.echo(json.dumps([asdict(state) for state in states], indent=2))
        return
    if metadata is None:
        typer.echo("the table has no metadata table")
    width = max((len(state.partition) for state in states), default=0)
    for state in states:
        typer.echo(f"{state.partition:<{width}}  {_described(state)}")


def _described(state: PartitionState) -> str:
    lacking = f"lacks {counted(state.lacking, 'commit')}" if state.lacking else "current"
    parts = (
        state.state,
        lacking,
        counted(state.file_groups, "file group"),
        counted(state.files, "file"),
        size(state.bytes),
        f"latest {state.latest or '-'}",
    )
    return ", ".join(parts)


def print_validation(path: str, options: Mapping[str, Any], *, as_json: bool) -> None:
    """Compare a metadata table with its table and print the result.

    Args:
        path: The root folder of the table.
        options: The access options of an object store.
        as_json: Whether to print JSON.

    Raises:
        typer.Exit: There is a problem; the exit code is 1.
        HoodooError: As in `validate`.
    """
    print_diagnosis(validate(path, options), as_json=as_json)
