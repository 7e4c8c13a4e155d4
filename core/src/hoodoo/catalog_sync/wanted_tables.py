"""Tables that a catalog should have for a Hudi table, computed from the Hudi table and the options."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyarrow as pa
from attrs import field, frozen

from hoodoo.catalog_sync.column_types import hive_type
from hoodoo.catalog_sync.partition_values import PartitionValues, partition_values_of
from hoodoo.catalog_sync.spark_schema import spark_properties
from hoodoo.errors import OptionError, SchemaError, UnsupportedTable
from hoodoo.options import CatalogOptions
from hoodoo.plugin import CatalogColumn, CatalogTable
from hoodoo.properties import TableProperties
from hoodoo.schema.meta_columns import with_meta, without_meta

__all__ = ["TableFacts", "WantedTable", "check_properties", "table_facts", "wanted_tables"]

_INPUT = "org.apache.hudi.hadoop.HoodieParquetInputFormat"
_REALTIME_INPUT = "org.apache.hudi.hadoop.realtime.HoodieParquetRealtimeInputFormat"
_OUTPUT = "org.apache.hadoop.hive.ql.io.parquet.MapredParquetOutputFormat"
_SERDE = "org.apache.hadoop.hive.ql.io.parquet.serde.ParquetHiveSerDe"
_READ_OPTIMIZED = "hoodie.query.as.ro.table"
_SNAPSHOT_SUFFIX, _READ_OPTIMIZED_SUFFIX = "_rt", "_ro"
_DEFAULT_DATABASE = "default"


@frozen
class TableFacts:
    """Properties of a Hudi table that determine its tables in a catalog.

    Attributes:
        name: The name of the table.
        database: The database; "" for none.
        location: The path or URI of the table, in Hudi's usual form.
        merge_on_read: Whether the table is merge-on-read.
        schema: All columns; the meta columns are first, if the table has them.
        partition_by: The partition columns.
        hive_style: Whether partition paths have the form column=value.
        url_encode: Whether values in partition paths are URL-encoded.
        comments: Comments of columns, by column.
    """

    name: str
    database: str
    location: str
    merge_on_read: bool
    schema: pa.Schema
    partition_by: tuple[str, ...]
    hive_style: bool = False
    url_encode: bool = False
    comments: Mapping[str, str] = field(factory=dict)


@frozen
class WantedTable:
    """Table that a catalog should have.

    Attributes:
        table: The table, without the properties about the last commit.
        values: The rule that reads the values of its partition paths.
        comments: Whether comments of columns are compared.
    """

    table: CatalogTable
    values: PartitionValues
    comments: bool


def table_facts(
    properties: TableProperties, location: str, schema: pa.Schema, comments: Mapping[str, str]
) -> TableFacts:
    """Return the properties of a table that its tables in a catalog depend on.

    Args:
        properties: The properties of the table.
        location: The path or URI of the table, in Hudi's usual form.
        schema: The columns of the table.
        comments: Comments of columns, by column.

    Raises:
        UnsupportedTable: Base files are not Parquet.
    """
    if properties.base_file_format.lower() != "parquet":
        raise UnsupportedTable(
            f"base files of table '{properties.name}' are {properties.base_file_format}, and hoodoo lists only tables "
            "with Parquet files in a catalog; list this table with Hudi's sync tool"
        )
    return TableFacts(
        properties.name,
        properties.database,
        location,
        properties.table_type == "MERGE_ON_READ",
        with_meta(schema) if properties.populate_meta_fields else without_meta(schema),
        tuple(name.partition(":")[0] for name in properties.partition_by),
        properties.hive_style,
        properties.url_encode,
        comments,
    )


def check_properties(options: CatalogOptions) -> None:
    """Raise `OptionError` unless the additional properties of a table and its SerDe are one `name=value` per line."""
    _lines("table_properties", options.catalog_table_properties)
    _lines("serde_properties", options.catalog_serde_properties)


def wanted_tables(facts: TableFacts, options: CatalogOptions) -> tuple[WantedTable, ...]:
    """Return the tables that a catalog should have: one, or for a merge-on-read table up to three.

    Raises:
        OptionError: Options contradict each other, the table has no name, or a line of the additional properties has no
            '='.
        SchemaError: A column has no type in a catalog or in Spark, or names differ only by case.
    """
    name = options.catalog_table or facts.name
    if not name:
        raise OptionError("the table has no name; set hoodie.datasource.hive_sync.table")
    if not facts.merge_on_read:
        return (_wanted(facts, options, name, realtime=False, read_optimized=False),)
    read_optimized = name if options.catalog_skip_ro_suffix else name + _READ_OPTIMIZED_SUFFIX
    forms = {
        "RO": [(name, False, True)],
        "RT": [(name, True, False)],
        "ALL": [(read_optimized, False, True), (name + _SNAPSHOT_SUFFIX, True, False)],
    }[options.catalog_strategy]
    if options.catalog_strategy == "ALL" and options.catalog_snapshot_with_table_name and read_optimized != name:
        forms.append((name, True, False))
    return tuple(
        _wanted(facts, options, form, realtime=realtime, read_optimized=optimized)
        for form, realtime, optimized in forms
    )


def _wanted(
    facts: TableFacts, options: CatalogOptions, name: str, *, realtime: bool, read_optimized: bool
) -> WantedTable:
    decode = facts.url_encode if options.catalog_decode_partitions is None else options.catalog_decode_partitions
    rule = partition_values_of(
        options.catalog_extractor,
        options.catalog_partition_fields,
        facts.partition_by,
        hive_style=facts.hive_style,
        decode=decode,
    )
    location = (options.catalog_base_path or facts.location).rstrip("/")
    schema = without_meta(facts.schema) if options.catalog_omit_meta_columns else facts.schema
    comments = facts.comments if options.catalog_comments else {}
    columns, partition_columns = _columns(schema, rule.columns, comments, timestamps=options.catalog_support_timestamp)
    properties = _lines("table_properties", options.catalog_table_properties)
    serde = _lines("serde_properties", options.catalog_serde_properties)
    if options.catalog_spark_table:
        properties |= spark_properties(
            schema,
            rule.columns,
            part_length=options.catalog_schema_part_length,
            spark_version=options.catalog_spark_version,
        )
        serde[_READ_OPTIMIZED] = "true" if read_optimized else "false"
    if not options.catalog_managed_table:
        properties["EXTERNAL"] = "TRUE"
    table = CatalogTable(
        database=options.catalog_database or facts.database or _DEFAULT_DATABASE,
        name=name,
        columns=columns,
        partition_columns=partition_columns,
        location=location,
        input_format=_REALTIME_INPUT if realtime else _INPUT,
        output_format=_OUTPUT,
        serde=_SERDE,
        serde_properties={**serde, "path": location, "serialization.format": "1"},
        properties=properties,
        managed=options.catalog_managed_table,
    )
    return WantedTable(table, rule, options.catalog_comments)


def _columns(
    schema: pa.Schema, partition_by: Sequence[str], comments: Mapping[str, str], *, timestamps: bool
) -> tuple[tuple[CatalogColumn, ...], tuple[CatalogColumn, ...]]:
    """Return the columns and the partition columns. A partition column that the table lacks is a string."""
    lower: dict[str, str] = {}
    for name in schema.names:
        if lower.setdefault(name.lower(), name) != name:
            raise SchemaError(
                f"columns '{lower[name.lower()]}' and '{name}' differ only by case, which a catalog does not "
                "distinguish; rename one of them"
            )
    found = {}
    for column in schema:
        try:
            type_ = hive_type(column.type, timestamps=timestamps)
        except SchemaError as error:
            raise SchemaError(f"column '{column.name}': {error}") from error
        found[column.name] = CatalogColumn(column.name, type_, comments.get(column.name, ""))
    partition_columns = tuple(found.get(name, CatalogColumn(name, "string")) for name in partition_by)
    return tuple(column for name, column in found.items() if name not in partition_by), partition_columns


def _lines(option: str, text: str | None) -> dict[str, str]:
    """Return the properties in the value of an option, which has one `name=value` per line.

    Raises:
        OptionError: A line has no '='.
    """
    found: dict[str, str] = {}
    for line in filter(None, map(str.strip, (text or "").splitlines())):
        name, equals, value = line.partition("=")
        if not equals or not name.strip():
            raise OptionError(
                f"hoodie.datasource.hive_sync.{option} has the line '{line}'; expected one name=value per line"
            )
        found[name.strip()] = value.strip()
    return found
