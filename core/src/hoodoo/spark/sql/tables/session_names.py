"""Names of tables that `CREATE TEMPORARY VIEW ... USING` stores in the settings of a session."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hoodoo.spark.sql.tables.named_table import NamedTable, NamePlace

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["add", "find", "remove"]

_PREFIX = "hoodoo.sql.table."


def _key(name: str) -> str:
    return _PREFIX + name.lower()


def find(spark: SparkSession, parts: tuple[str, ...]) -> NamedTable | None:
    """Return the table of a name without a database; None if the session does not have the name."""
    kept = spark.conf.get(_key(parts[0]), None) if len(parts) == 1 else None
    if not kept:
        return None
    entry = json.loads(kept)
    return NamedTable(entry["path"], NamePlace.SESSION, parts, entry["options"])


def add(spark: SparkSession, name: str, path: str, options: Mapping[str, Any]) -> None:
    """Store the path and the options of a table under a name, instead of an earlier table of this name."""
    spark.conf.set(_key(name), json.dumps({"path": path, "options": dict(options)}))


def remove(spark: SparkSession, name: str) -> None:
    """Remove a name from the session."""
    spark.conf.unset(_key(name))
