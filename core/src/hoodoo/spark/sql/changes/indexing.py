"""CREATE INDEX, DROP INDEX and SHOW INDEXES: partitions of the metadata table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hoodoo.metadata_table import PartitionKind, kind_of
from hoodoo.metadata_table.index_definitions import valid_definitions
from hoodoo.service.indexes import created_indexes
from hoodoo.spark.sql.context import Context
from hoodoo.spark.sql.results import empty_frame, result_frame
from hoodoo.spark.sql.tables.named_table import NamedTable
from hoodoo.sql_parsing.definitions import CreateIndex, DropIndex, ShowIndexes
from hoodoo.table import Table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["run_create_index", "run_drop_index", "run_show_indexes"]


def run_create_index(context: Context, target: NamedTable, statement: CreateIndex) -> DataFrame:
    """Create the index that a statement names.

    Raises:
        StatementError: The index exists and the statement lacks IF NOT EXISTS, hoodoo creates no index of this name or
            with these columns, the kind after USING is not the name, or the statement has options.
        HoodooError: As in `Table.create_indexes`.
    """
    spark, table = context.spark, target.table(context.spark)
    kind = _kind(statement)
    if kind in table.properties.metadata_partitions:
        if statement.if_not_exists:
            return empty_frame(spark)
        raise statement.index.at.error(
            f"the table has an index '{kind}'; write IF NOT EXISTS, or drop it first", code="index"
        )
    columns = _columns(statement, table, kind)
    table.create_indexes(str(statement.index), **columns, **target.concurrency(spark))
    return empty_frame(spark)


def _kind(statement: CreateIndex) -> PartitionKind:
    """Return the kind of the index. Raise `StatementError` for an index that hoodoo does not create."""
    name, known = str(statement.index), created_indexes()
    if statement.options is not None:
        raise statement.options.error(
            "OPTIONS of an index are those of an expression index, which hoodoo does not create; use column_stats "
            "of whole columns, or bloom_filters",
            code="refused",
        )
    if name not in known:
        raise statement.index.at.error(
            f"hoodoo creates no index '{name}', and no secondary indexes; the name of an index is its kind: "
            f"{', '.join(known)}",
            code="refused",
        )
    if statement.kind not in (None, name):
        raise statement.index.at.error(
            f"an index of the kind '{statement.kind}' has the name '{statement.kind}', not '{name}'", code="refused"
        )
    return known[name]


def _columns(statement: CreateIndex, table: Table, kind: PartitionKind) -> dict[str, Any]:
    """Return the option with the columns of a statement.

    Raises:
        StatementError: The columns are not those of the record key, or an index of this kind has no columns.
    """
    if not statement.columns:
        return {}
    spellings = {name.lower(): name for name in table.schema.names}
    name, names = str(statement.index), [spellings.get(str(c).lower(), str(c)) for c in statement.columns]
    if kind is PartitionKind.COLUMN_STATS:
        return {"index_columns": names}
    at = statement.columns[0].at
    if kind is not PartitionKind.RECORD_INDEX:
        raise at.error(f"an index '{name}' has no list of columns; leave it out", code="refused")
    key = table.properties.record_key
    if set(names) != set(key):
        raise at.error(
            f"an index '{name}' has the columns of the record key, {', '.join(key) or 'which the table lacks'}; name "
            "these, or leave the list out",
            code="refused",
        )
    return {}


def run_drop_index(context: Context, target: NamedTable, statement: DropIndex) -> DataFrame:
    """Remove the index that a statement names; a secondary or expression index is also found without its prefix.

    Raises:
        StatementError: The table lacks the index, and the statement lacks IF EXISTS.
        HoodooError: As in `Table.drop_indexes`.
    """
    spark, table = context.spark, target.table(context.spark)
    name, there = str(statement.index), table.properties.metadata_partitions
    spellings = (name, f"{PartitionKind.SECONDARY_INDEX}{name}", f"{PartitionKind.EXPRESSION_INDEX}{name}")
    found = next((spelling for spelling in spellings if spelling in there), None)
    if found is not None:
        table.drop_indexes(found, **target.concurrency(spark))
    elif not statement.if_exists:
        raise statement.index.at.error(
            f"the table has no index '{name}'; it has {', '.join(there) or 'no index'}", code="index"
        )
    return empty_frame(spark)


def run_show_indexes(context: Context, target: NamedTable, statement: ShowIndexes) -> DataFrame:
    """Return a row for each index, in the columns of Hudi's statement.

    `col_name` has the columns of secondary and expression indexes, and is empty for other indexes.
    """
    table = target.table(context.spark)
    definitions = valid_definitions(target.storage(context.spark), table.properties)
    rows = []
    for name in table.properties.metadata_partitions:
        kind = kind_of(name)
        if kind is PartitionKind.FILES:
            continue
        is_named = kind in (PartitionKind.SECONDARY_INDEX, PartitionKind.EXPRESSION_INDEX)
        definition = definitions.get(name, {}) if is_named else {}
        columns = ",".join(definition.get("sourceFields") or ())
        rows.append([name, str(definition.get("indexType", name)).lower(), columns])
    return result_frame(context.spark, "index_name string, index_type string, col_name string", rows)
