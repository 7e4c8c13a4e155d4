"""Options of statements from the settings `hoodie.*` of a session."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import attrs
from attrs import frozen

from hoodoo.options import ReadOptions, StorageOptions, WriteOptions, parse
from hoodoo.options.groups import ALL_GROUPS
from hoodoo.options.parsing.declare import keys_of
from hoodoo.spark.sql.plain_sql import plain_sql

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["StatementOptions", "statement_options"]

INSERT_OPERATION = "hoodie.spark.sql.insert.into.operation"
INSERT_MODE = "hoodie.sql.insert.mode"
BULK_INSERT = "hoodie.sql.bulk.insert.enable"
OVERWRITE_MODE = "hoodie.datasource.overwrite.mode"
SCHEMA_ON_READ = "hoodie.schema.on.read.enable"

_OF_STATEMENTS = (INSERT_OPERATION, INSERT_MODE, BULK_INSERT, OVERWRITE_MODE, SCHEMA_ON_READ)


def _keys(group: type, names: tuple[str, ...] = ()) -> frozenset[str]:
    """Return the keys of all options of a class, or of some, in lower case."""
    fields = [field for field in attrs.fields(group) if not names or field.name in names]
    return frozenset(key.lower() for field in fields for key in keys_of(field))


_STORAGE = _keys(StorageOptions)
_READ = _keys(ReadOptions) | _STORAGE
_OF_BOTH = _STORAGE | {"hoodie.metadata.enable"}
"""Keys of reads that also apply to writes: a write with `hoodie.metadata.enable = false` removes a metadata table."""
_OPERATION = _keys(WriteOptions, ("operation",))
_OF_INSERT = _keys(WriteOptions, ("dup_policy", "drop_duplicates"))
_PARTITIONS = _keys(WriteOptions, ("partitions_to_delete", "partitions_to_overwrite"))


@frozen
class StatementOptions:
    """Options from the session and from the place of the table's name, by the kind of statement to which they apply.

    Attributes:
        read: Options of reads, including those of the object store.
        write: Options of writes, including those of the object store.
        statement: Settings that Hudi has for statements only, by key in lower case.
    """

    read: Mapping[str, Any]
    write: Mapping[str, Any]
    statement: Mapping[str, str]

    def of_operation(self, operation: str | None) -> dict[str, Any]:
        """Return the options of a write whose operation the statement determines.

        Lists of partitions are left out, and for operations other than `insert` also options of inserts, such as the
        policy for stored keys. With None, the result has no operation.
        """
        left_out = _OPERATION | _PARTITIONS | (frozenset() if operation == "insert" else _OF_INSERT)
        found = {key: value for key, value in self.write.items() if key.lower() not in left_out}
        return found if operation is None else {**found, "operation": operation}

    @property
    def storage(self) -> dict[str, Any]:
        """Return the options of the object store."""
        return {key: value for key, value in self.write.items() if key.lower() in _STORAGE}


def statement_options(spark: SparkSession, of_table: Mapping[str, Any] | None = None) -> StatementOptions:
    """Return the options of a statement: those of the session take precedence over those of the table.

    Args:
        spark: The session.
        of_table: The options that the place of the table's name stores for the table; None if there are none.

    Raises:
        OptionError: A setting that begins with `hoodie.` is unknown or invalid.
    """
    settings = {row["key"]: row["value"] for row in plain_sql(spark, "SET").collect()}
    given = {key: value for key, value in settings.items() if key.lower().startswith("hoodie.")}
    statement = {key.lower(): value for key, value in given.items() if key.lower() in _OF_STATEMENTS}
    given = {key: value for key, value in given.items() if key.lower() not in _OF_STATEMENTS}
    # unknown keys are errors here, with the most similar option
    parse(given, ALL_GROUPS)
    names = {key.lower() for key in given}
    merged = {**{key: value for key, value in (of_table or {}).items() if key.lower() not in names}, **given}
    return StatementOptions(
        {key: value for key, value in merged.items() if key.lower() in _READ},
        {key: value for key, value in merged.items() if key.lower() not in _READ or key.lower() in _OF_BOTH},
        statement,
    )
