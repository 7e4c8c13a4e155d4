"""SHOW CREATE TABLE, SHOW PARTITIONS, SHOW TBLPROPERTIES, SHOW COLUMNS and DESCRIBE."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hoodoo.properties import property_keys
from hoodoo.schema.meta_columns import META_COLUMNS
from hoodoo.spark.spark_types import spark_schema
from hoodoo.spark.sql.context import Context
from hoodoo.spark.sql.plain_sql import quoted_name, text_literal
from hoodoo.spark.sql.results import result_frame
from hoodoo.spark.sql.rows.partitions import matching_paths, partition_columns, stored_partitions, values_of
from hoodoo.spark.sql.tables.column_text import column_text, comment_in
from hoodoo.spark.sql.tables.named_table import NamedTable
from hoodoo.sql_parsing import definitions as d
from hoodoo.table import Table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["run_describe"]


def run_describe(
    context: Context, target: NamedTable, statement: d.Describe | d.ShowCreate | d.ShowPartitions | d.ShowProperties
) -> DataFrame:
    """Return the description of a table, in the columns of Spark's statement.

    Raises:
        StatementError: A column or value in PARTITION does not fit the table.
    """
    if isinstance(statement, d.Describe):
        return _columns(context, target, statement)
    if isinstance(statement, d.ShowCreate):
        return result_frame(context.spark, "createtab_stmt string", [[_create_statement(context, target)]])
    if isinstance(statement, d.ShowPartitions):
        return _partitions(context, target, statement)
    return _properties(context, target, statement)


def _columns(context: Context, target: NamedTable, statement: d.Describe) -> DataFrame:
    table = target.table(context.spark)
    fields = spark_schema(table.schema).fields
    meta = META_COLUMNS if table.properties.populate_meta_fields else ()
    if statement.names_only:
        names = [[name] for name in (*meta, *(field.name for field in fields))]
        return result_frame(context.spark, "col_name string", names)
    types = {**dict.fromkeys(meta, "string"), **{field.name: field.dataType.simpleString() for field in fields}}
    comments = {field.name: comment_in(field) for field in fields}
    rows = [[name, type_, comments.get(name)] for name, type_ in types.items()]
    partition = [name for name in partition_columns(table) if name in types]
    if partition:
        rows += [["# Partition Information", "", ""], ["# col_name", "data_type", "comment"]]
        rows += [[name, types[name], comments[name]] for name in partition]
    if statement.extended:
        rows += [["", "", ""], ["# Detailed Table Information", "", ""]]
        rows += [[key, value, ""] for key, value in _details(target, table).items()]
    return result_frame(context.spark, "col_name string, data_type string, comment string", rows)


def _details(target: NamedTable, table: Table) -> dict[str, str]:
    properties = table.properties
    return {
        **({"Database": target.parts[0]} if len(target.parts) > 1 else {}),
        "Table": target.parts[-1] if target.parts else properties.name,
        "Name kept by": target.place.value,
        "Provider": "hoodoo",
        "Location": target.path,
        "Table Type": properties.table_type,
        "Table Version": str(properties.version),
        "Record Key": ", ".join(properties.record_key),
        "Ordering": ", ".join(properties.ordering),
        "Last Commit": table.timeline.commits[-1].time if table.timeline.commits else "",
    }


def _create_statement(context: Context, target: NamedTable) -> str:
    """Return the CREATE TABLE statement with the columns and properties of a table, as text."""
    table = target.table(context.spark)
    properties, partition = table.properties, partition_columns(table)
    columns = ",\n  ".join(map(column_text, spark_schema(table.schema).fields))
    short = {"COPY_ON_WRITE": "cow", "MERGE_ON_READ": "mor"}
    entries = {"type": short[properties.table_type], "hoodie.write.table.version": str(properties.version)}
    if properties.record_key:
        entries["primaryKey"] = ",".join(properties.record_key)
    if properties.ordering:
        entries["preCombineField"] = ",".join(properties.ordering)
    if partition:
        entries[property_keys.HIVE_STYLE] = str(properties.hive_style).lower()
    entries |= {key: str(value) for key, value in target.options.items()}
    shown = ",\n  ".join(f"{text_literal(key)} = {text_literal(value)}" for key, value in sorted(entries.items()))
    name = quoted_name(*target.parts) if target.parts else f"hoodoo.{quoted_name(target.path)}"
    lines = [f"CREATE TABLE {name} (\n  {columns})", "USING hoodoo"]
    if partition:
        lines.append(f"PARTITIONED BY ({', '.join(map(quoted_name, partition))})")
    if target.parts:
        lines.append(f"LOCATION {text_literal(target.path)}")
    return "\n".join([*lines, f"TBLPROPERTIES (\n  {shown})", ""])


def _partitions(context: Context, target: NamedTable, statement: d.ShowPartitions) -> DataFrame:
    table = target.table(context.spark)
    columns, stored = partition_columns(table), stored_partitions(table)
    if statement.partition is not None:
        wanted = matching_paths(table, values_of(context, table, statement.partition))
        stored = {path: stored[path] for path in wanted}
    rows = [["/".join(f"{c}={v}" for c, v in zip(columns, values, strict=True))] for values in stored.values()]
    return result_frame(context.spark, "partition string", sorted(rows))


def _properties(context: Context, target: NamedTable, statement: d.ShowProperties) -> DataFrame:
    table = target.table(context.spark)
    entries = {**table.properties.entries, **{key: str(value) for key, value in target.options.items()}}
    if statement.key is not None:
        value = entries.get(statement.key, f"Table {target} does not have property: {statement.key}")
        return result_frame(context.spark, "key string, value string", [[statement.key, value]])
    return result_frame(context.spark, "key string, value string", [list(pair) for pair in sorted(entries.items())])
