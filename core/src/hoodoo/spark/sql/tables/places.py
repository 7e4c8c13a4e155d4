"""Changes of names of tables in the places that store them: addition, removal and renaming."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from attrs import evolve

from hoodoo.errors import OptionError
from hoodoo.properties.table_properties import PROPERTIES_FILE
from hoodoo.spark.pyspark_version import DATA_SOURCES
from hoodoo.spark.sql.plain_sql import quoted_name
from hoodoo.spark.sql.tables import catalogue, names_file, session_names
from hoodoo.spark.sql.tables.named_table import NamedTable, NamePlace
from hoodoo.spark.sql.tables.names import resolve
from hoodoo.sql_text.fragment import Name

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.types import StructType

__all__ = ["check_can_keep", "forget", "keep", "keep_options", "new_target", "rename"]


def new_target(spark: SparkSession, name: Name, location: str | None) -> tuple[NamedTable, bool]:
    """Return the table that CREATE TABLE names, and whether its name is new; for a path, whether it has no table.

    Args:
        spark: The session.
        name: The name in the statement, or a path, as in hoodoo.`/data/orders`.
        location: The path of LOCATION, or of a property `path` or `basePath`; None without these.

    Raises:
        StatementError: Another table or view has the name, the name is one of another catalogue, the database of the
            name does not exist, or the table of this name has another path than `location`.
    """
    found = resolve(spark, name.parts)
    if found is not None:
        if location is not None and location.rstrip("/") != found.path.rstrip("/"):
            raise name.at.error(
                f"table '{found}' is at {found.path}, and LOCATION is {location}; leave LOCATION out to use that "
                "table, choose another name, or run DROP TABLE first",
                code="location",
            )
        if found.place is not NamePlace.PATH:
            return found, False
        return found, not _has_table(spark, found)
    full = catalogue.qualified(spark, name.parts)
    if full is None:
        raise name.at.error(f"'{name}' is not a name of Spark's own catalogue: write database.table", code="name")
    if not spark.catalog.databaseExists(quoted_name(full[0])):
        raise name.at.error(f"there is no database '{full[0]}'; run CREATE DATABASE first", code="name")
    if catalogue.is_known(spark, name.parts):
        raise name.at.error(f"'{name}' is a table or view of another format; choose another name", code="name")
    place = NamePlace.CATALOG if names_file.file_of(spark) is None else NamePlace.FILE
    return NamedTable(location or catalogue.warehouse_path(spark, full), place, full), True


def _has_table(spark: SparkSession, target: NamedTable) -> bool:
    return target.storage(spark).exists(PROPERTIES_FILE)


def check_can_keep(spark: SparkSession, target: NamedTable) -> None:
    """Raise `OptionError` if the place cannot store a new name, before anything is written."""
    if target.place is NamePlace.CATALOG and not DATA_SOURCES.is_available():
        raise OptionError(catalogue.refusal(target))
    if target.place is NamePlace.FILE:
        names_file.find(spark, target.parts)


def keep(spark: SparkSession, target: NamedTable, schema: StructType, comment: str | None = None) -> None:
    """Add a new name to the catalogue or the file; do nothing for a path or a name of the session."""
    if target.place is NamePlace.CATALOG:
        catalogue.add(spark, target, schema, comment)
    elif target.place is NamePlace.FILE:
        names_file.add(spark, target)


def keep_options(spark: SparkSession, target: NamedTable, options: Mapping[str, Any]) -> None:
    """Replace the options that the place stores for a table. Raise `OptionError` for a path."""
    if target.place is NamePlace.CATALOG:
        catalogue.set_options(spark, target, options)
    elif target.place is NamePlace.FILE:
        names_file.add(spark, evolve(target, options=options))
    elif target.place is NamePlace.SESSION:
        session_names.add(spark, target.parts[0], target.path, options)
    else:
        raise OptionError(f"a path keeps no options; set them in the session with SET, or give {target} a name first")


def forget(spark: SparkSession, target: NamedTable) -> None:
    """Remove a name from its place. The files of the table remain."""
    if target.place is NamePlace.CATALOG:
        catalogue.remove(spark, target)
    elif target.place is NamePlace.FILE:
        names_file.remove(spark, target)
    elif target.place is NamePlace.SESSION:
        session_names.remove(spark, target.parts[0])


def rename(spark: SparkSession, target: NamedTable, parts: tuple[str, ...]) -> None:
    """Rename a table in the place that stores its name."""
    if target.place is NamePlace.CATALOG:
        catalogue.rename(spark, target, parts)
    elif target.place is NamePlace.FILE:
        names_file.add(spark, evolve(target, parts=parts))
        names_file.remove(spark, target)
    elif target.place is NamePlace.SESSION:
        session_names.add(spark, parts[-1], target.path, target.options)
        session_names.remove(spark, target.parts[0])
