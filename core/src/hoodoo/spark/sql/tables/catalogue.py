"""Names of tables in the catalogue of a session.

Spark stores a table with `USING hoodoo` and its location, also in the metastore. Tables are found by `SHOW TABLE
EXTENDED`: this statement needs no code of the format, so it also describes tables that Hudi has created.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote, urlsplit

from hoodoo.spark.pyspark_version import DATA_SOURCES
from hoodoo.spark.sql.plain_sql import plain_sql, quoted_name, text_literal
from hoodoo.spark.sql.tables.column_text import column_text
from hoodoo.spark.sql.tables.named_table import NamedTable, NamePlace

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.types import StructType

__all__ = [
    "add",
    "current_database",
    "find",
    "is_known",
    "is_temporary_view",
    "remove",
    "rename",
    "set_options",
    "warehouse_path",
]

_FORMATS = ("hoodoo", "hudi", "org.apache.hudi", "org.apache.hudi.defaultsource")
_INPUT_FORMATS = ("org.apache.hudi.hadoop.",)
_CATALOG = "spark_catalog"
_OPTIONS = "hoodoo.options"
_OPTIONS_ENTRY = re.compile(rf"[\[ ]{re.escape(_OPTIONS)}=([^,\]]*)")


def current_database(spark: SparkSession) -> str:
    """Return the name of the current database."""
    return spark.catalog.currentDatabase()


def qualified(spark: SparkSession, parts: tuple[str, ...]) -> tuple[str, ...] | None:
    """Return database and name of a table in Spark's own catalogue; None for a table of another catalogue.

    A name of two parts is taken as a name in Spark's own catalogue, also if another catalogue is the current one.
    """
    if len(parts) == 3 and parts[0].lower() == _CATALOG:
        parts = parts[1:]
    if len(parts) == 1:
        current = spark.catalog.currentCatalog()
        return (current_database(spark), parts[0]) if current == _CATALOG else None
    return parts if len(parts) == 2 else None


def is_known(spark: SparkSession, parts: tuple[str, ...]) -> bool:
    """Return whether the catalogue has a table or a view of a name."""
    return qualified(spark, parts) is not None and spark.catalog.tableExists(quoted_name(*parts))


def is_temporary_view(spark: SparkSession, parts: tuple[str, ...]) -> bool:
    """Return whether a temporary view has the name. Such a view hides a table of the same name."""
    return len(parts) == 1 and True in _information(spark, current_database(spark), parts[0])


def find(spark: SparkSession, parts: tuple[str, ...]) -> NamedTable | None:
    """Return a Hudi table of the catalogue; None if the name is unknown, or is that of another table or of a view."""
    full = qualified(spark, parts)
    # this call takes much less time than the description of a table, and returns False for a view
    if full is None or not spark.catalog.tableExists(quoted_name(*full)):
        return None
    lines = _description(spark, full, of_views=len(parts) == 1)
    if lines is None or not _is_hudi(lines) or "Location" not in lines:
        return None
    options = _OPTIONS_ENTRY.search(lines.get("Table Properties", ""))
    kept = json.loads(unquote(options[1])) if options else {}
    return NamedTable(_path(lines["Location"]), NamePlace.CATALOG, full, kept)


def _description(spark: SparkSession, full: tuple[str, ...], *, of_views: bool = False) -> Mapping[str, str] | None:
    """Return the entries of the description of a table, by key; None if there is no table.

    Args:
        spark: The session.
        full: Database and name.
        of_views: Whether the result is None if a temporary view hides the table.
    """
    found = _information(spark, *full)
    if False not in found or (of_views and True in found):
        return None
    return dict(line.partition(": ")[::2] for line in found[False].split("\n") if ": " in line)


def _information(spark: SparkSession, database: str, name: str) -> dict[bool, str]:
    """Return the descriptions of the table of a name (under False) and of the temporary view of this name (True)."""
    # a star and a bar have a meaning in the pattern
    pattern = text_literal(re.sub(r"[*|]", "*", name))
    rows = plain_sql(spark, f"SHOW TABLE EXTENDED IN {quoted_name(database)} LIKE {pattern}").collect()
    return {row["isTemporary"]: row["information"] for row in rows if row["tableName"].lower() == name.lower()}


def _is_hudi(lines: Mapping[str, str]) -> bool:
    if lines.get("Provider", "").lower() in _FORMATS:
        return True
    return lines.get("InputFormat", "").startswith(_INPUT_FORMATS)


def _path(location: str) -> str:
    """Return the path of a location on a local disk, which is a URI; return other locations unchanged."""
    parts = urlsplit(location)
    return unquote(parts.path) if parts.scheme == "file" else location


def warehouse_path(spark: SparkSession, parts: tuple[str, ...]) -> str:
    """Return the path of a new table without LOCATION, in the folder of its database."""
    database, name = qualified(spark, parts) or parts
    location = spark.catalog.getDatabase(quoted_name(database)).locationUri
    return f"{_path(location).rstrip('/')}/{name.lower()}"


def add(spark: SparkSession, target: NamedTable, schema: StructType, comment: str | None = None) -> None:
    """Add a table to the catalogue.

    Args:
        spark: The session.
        target: The name, the path and the options of the table.
        schema: The columns, which other programs read from the catalogue.
        comment: The comment of the table; None if it has none.
    """
    columns = ", ".join(map(column_text, schema.fields))
    text = f"CREATE TABLE {quoted_name(*target.parts)} ({columns}) USING hoodoo LOCATION {text_literal(target.path)}"
    if comment is not None:
        text += f" COMMENT {text_literal(comment)}"
    if target.options:
        text += f" TBLPROPERTIES ({_options_property(target.options)})"
    plain_sql(spark, text)


def refusal(target: NamedTable) -> str:
    """Return the message for a session that cannot store a table: its Spark does not have Python data sources."""
    return (
        f"the catalogue of this session cannot keep table '{target}': {DATA_SOURCES.name} needs PySpark "
        f"{DATA_SOURCES.since} or later; name a file for the names of tables with SET "
        "hoodoo.sql.tables=/path/of/tables.json, or use the path as the name: "
        f"hoodoo.`{target.path}`"
    )


def _options_property(options: Mapping[str, Any]) -> str:
    """Return the property that stores the options, encoded without characters that separate properties."""
    return f"'{_OPTIONS}' = '{quote(json.dumps(dict(options), sort_keys=True), safe='')}'"


def remove(spark: SparkSession, target: NamedTable) -> None:
    """Remove a table from the catalogue. Its files stay, because the table is external."""
    plain_sql(spark, f"DROP TABLE {quoted_name(*target.parts)}")


def rename(spark: SparkSession, target: NamedTable, parts: tuple[str, ...]) -> None:
    """Rename a table in the catalogue."""
    plain_sql(spark, f"ALTER TABLE {quoted_name(*target.parts)} RENAME TO {quoted_name(*parts)}")


def set_options(spark: SparkSession, target: NamedTable, options: Mapping[str, Any]) -> None:
    """Replace the options that the catalogue keeps for a table."""
    name = quoted_name(*target.parts)
    if options:
        plain_sql(spark, f"ALTER TABLE {name} SET TBLPROPERTIES ({_options_property(options)})")
    else:
        plain_sql(spark, f"ALTER TABLE {name} UNSET TBLPROPERTIES IF EXISTS ('{_OPTIONS}')")


def add_columns(spark: SparkSession, target: NamedTable, fields: list[Any]) -> None:
    """Add columns to the description of a table."""
    if fields:
        columns = ", ".join(map(column_text, fields))
        plain_sql(spark, f"ALTER TABLE {quoted_name(*target.parts)} ADD COLUMNS ({columns})")


def comment_column(spark: SparkSession, target: NamedTable, column: str, comment: str) -> None:
    """Change the comment of a column in the description of a table."""
    name = quoted_name(*target.parts)
    plain_sql(spark, f"ALTER TABLE {name} ALTER COLUMN {quoted_name(column)} COMMENT {text_literal(comment)}")


def replace_columns(spark: SparkSession, target: NamedTable, columns: StructType) -> None:
    """Replace the description of a table by one with other columns. Spark cannot change names and types of columns.

    Comments that only the description has are kept.
    The description of a table of another provider is not changed: it has properties and partitions for other programs,
    and the table's catalog provider updates it.
    """
    lines = _description(spark, target.parts)
    if lines is None or lines.get("Provider", "").lower() != "hoodoo":
        return
    listed = spark.catalog.listColumns(quoted_name(*target.parts))
    described = {each.name: each.description for each in listed if each.description}
    commented = type(columns)()
    for field in columns.fields:
        kept = {"comment": described[field.name]} if field.name in described else {}
        commented = commented.add(field.name, field.dataType, field.nullable, {**kept, **(field.metadata or {})})
    remove(spark, target)
    add(spark, target, commented, lines.get("Comment"))
