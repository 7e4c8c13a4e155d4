"""Files below the root folder of a bootstrap, with the values of their folders."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import frozen

from hoodoo.bootstrap.partition_folders import folder_values
from hoodoo.errors import OptionError, SchemaError, UnsupportedTable
from hoodoo.options.parsing.given_path import plain_path
from hoodoo.storage import HOODIE_FOLDER, Storage, name_of, parent_of

__all__ = ["SourceFile", "check_place", "source_files"]

_TABLES = {
    HOODIE_FOLDER: "a Hudi table; read it with hoodoo.read or hoodoo.Table, and write its rows with operation "
    "bulk_insert",
    "_delta_log": "a Delta table, in which files of earlier versions stay; read it with Delta's reader, and write its "
    "rows with operation bulk_insert",
}
"""Folders of tables that may contain files of earlier versions, each with the text of the error."""

_PLACEHOLDER = "_$folder$"
"""End of the names of empty objects that stand for folders in S3."""


@frozen
class SourceFile:
    """File to copy.

    Attributes:
        path: Path relative to the root folder.
        size: Size in bytes.
        values: The values of its folder, as texts, by column; None for null.
    """

    path: str
    size: int
    values: Mapping[str, str | None]


def check_place(source: Storage, table: Storage) -> None:
    """Raise `OptionError` if the two folders are the same, or one of them is inside the other."""
    ours, theirs = plain_path(table.uri), plain_path(source.uri)
    if ours == theirs:
        relation = "the folder of the table itself"
    elif theirs.startswith(f"{ours}/"):
        relation = "inside the table"
    elif ours.startswith(f"{theirs}/"):
        relation = "a folder that contains the table"
    else:
        return
    raise OptionError(
        f"'bootstrap_path' is {source.uri}, {relation} ({table.uri}); choose a path for the table that is neither "
        "inside nor around the folder of the files",
        code="bootstrap",
    )


def source_files(source: Storage, form: str) -> tuple[SourceFile, ...]:
    """Return the files to copy, in the order of their paths.

    As in Spark, files and folders are left out whose names begin with `.`, or begin with `_` and have no `=`.
    Empty objects that stand for folders in S3 are left out too.

    Args:
        source: The root folder.
        form: The format of the files, for messages.

    Raises:
        OptionError: There is no file.
        SchemaError: Folders do not name the same columns in the same order, or `folder_values` rejects a folder.
        UnsupportedTable: The folder is that of a Hudi or Delta table, which also has files of earlier versions.
    """
    for folder, text in _TABLES.items():
        if source.exists(folder):
            raise UnsupportedTable(f"'bootstrap_path' is {source.uri}, which is {text}", code="bootstrap")
    found = sorted((file for file in source.walk() if _is_visible(file.path)), key=lambda file: file.path)
    if not found:
        raise OptionError(
            f"'bootstrap_path' is {source.uri}, and there is no file in or below this folder; set it to the "
            f"root folder of {form} files",
            code="bootstrap",
        )
    values = {folder: folder_values(folder) for folder in {parent_of(file.path) for file in found}}
    first = parent_of(found[0].path)
    for folder in sorted(values):
        if list(values[folder]) != list(values[first]):
            raise SchemaError(
                f"folders '{first}' and '{folder}' of {source.uri} do not name the same columns in the same order; all "
                "files need one form of path: move the others, or set 'bootstrap_path' to a subfolder",
                code="bootstrap",
            )
    return tuple(SourceFile(file.path, file.size, values[parent_of(file.path)]) for file in found)


def _is_visible(path: str) -> bool:
    if name_of(path).endswith(_PLACEHOLDER):
        return False
    return not any(level.startswith(".") or (level.startswith("_") and "=" not in level) for level in path.split("/"))
