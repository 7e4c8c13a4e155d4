"""Resolution of the names of tables: paths, names of the session, of a file, and of the catalogue, in this order."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hoodoo.errors import StatementError
from hoodoo.spark.sql.tables import catalogue, names_file, session_names
from hoodoo.spark.sql.tables.named_table import NamedTable, NamePlace
from hoodoo.sql_parsing.cursor import Cursor
from hoodoo.sql_text.fragment import Fragment, Name

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["named", "parts_of", "resolve", "target_of"]

_PATH_FORMATS = ("hoodoo", "hudi")
_PATH = re.compile(r"[/\\]|^[A-Za-z][A-Za-z0-9+.-]*:")


def resolve(spark: SparkSession, parts: tuple[str, ...]) -> NamedTable | None:
    """Return the Hudi table of a name; None if the name is unknown, or is that of another table or of a view.

    A path such as hoodoo.`/data/orders` need not have a table.
    """
    if len(parts) == 2 and parts[0].lower() in _PATH_FORMATS and _PATH.search(parts[1]):
        return NamedTable(parts[1], NamePlace.PATH)
    if parts[0].startswith("_hoodoo_") or len(parts) > 3 or (len(parts) == 2 and "/" in parts[1]):
        # not a name in a catalogue, as in parquet.`/data/files`
        return None
    kept = session_names.find(spark, parts)
    if kept is not None:
        return kept
    if names_file.file_of(spark) is not None:
        full = catalogue.qualified(spark, parts)
        kept = None if full is None else names_file.find(spark, full)
        if kept is not None and not catalogue.is_temporary_view(spark, parts):
            return kept
    return catalogue.find(spark, parts)


def target_of(spark: SparkSession, name: Name) -> NamedTable | None:
    """Return the Hudi table that a statement names; None as in `resolve`."""
    return resolve(spark, name.parts)


def named(spark: SparkSession, text: str, at: Fragment | None = None) -> NamedTable:
    """Return the Hudi table of a name or a path. The path need not exist.

    Args:
        spark: The session.
        text: The text, such as `sales.orders`, or `/data/orders`.
        at: The place in the statement, for the error; None without a statement.

    Raises:
        StatementError: No Hudi table has the name.
        OptionError: The file of the setting `hoodoo.sql.tables` is invalid, or its path is not absolute.
    """
    if _PATH.search(text) and "`" not in text:
        return NamedTable(text, NamePlace.PATH)
    parts = parts_of(text)
    found = None if parts is None else resolve(spark, parts)
    if found is None:
        message = f"there is no Hudi table '{text}'; give the name of a table, or its path"
        raise StatementError(message) if at is None else at.error(message, code="unknown_table")
    return found


def parts_of(text: str) -> tuple[str, ...] | None:
    """Return the parts of the name of a table, such as `sales.orders`; None for another text."""
    try:
        cursor = Cursor.of(text)
        name = cursor.name("the name of a table")
        cursor.expect_end()
    except StatementError:
        return None
    return name.parts
