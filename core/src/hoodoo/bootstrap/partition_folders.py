"""Partition columns of folders `column=value`: their names, and their values as texts."""

from __future__ import annotations

from urllib.parse import unquote

from hoodoo.errors import SchemaError
from hoodoo.keys.partition_path import DEFAULT_PARTITION

__all__ = ["folder_values"]


def folder_values(folder: str) -> dict[str, str | None]:
    """Return the values in the levels of a path by column, None for null; {} for a path without `column=value`.

    Raises:
        SchemaError: Only some levels have this form, two levels name one column, or a level has no name before `=`.
    """
    levels = [level.partition("=") for level in folder.split("/")] if folder else []
    named = [level for level in levels if level[1]]
    if not named:
        return {}
    if len(named) < len(levels):
        raise SchemaError(
            f"folder '{folder}' has levels with and without the form column=value; rename the folders, or set "
            "'bootstrap_path' to a subfolder",
            code="bootstrap",
        )
    values = {unquote(name): None if text == DEFAULT_PARTITION else unquote(text) for name, _, text in named}
    if len(values) < len(named) or "" in values:
        raise SchemaError(
            f"folder '{folder}' names a column twice, or has a level without a name; rename the folders",
            code="bootstrap",
        )
    return values
