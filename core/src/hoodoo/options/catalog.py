"""Options of the synchronisation with catalogs after a write."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from attrs import frozen

from hoodoo.options.parsing.coerce import flag_of
from hoodoo.options.parsing.declare import option

__all__ = ["CATALOG_KEYS", "CatalogOptions", "is_sync_requested"]

_HIVE = "hoodie.datasource.hive_sync."

CATALOG_KEYS = re.compile(
    r"hoodie\.datasource\.(hive_sync|meta\.sync|meta_sync)\.[\w.]+|hoodie\.meta[._]sync\.[\w.]+", re.IGNORECASE
)
"""Keys that a catalog provider may accept; the chosen providers determine which of them have an effect."""


@frozen
class CatalogOptions:
    """Catalogs that list the table after a write, and the form of the table in them."""

    hive_sync: bool = option(
        _HIVE + "enable",
        kind="flag",
        default=False,
        help="Whether a write updates the Hive metastore, or the catalog of `catalog_mode`. See "
        "[catalogs.md](catalogs.md).",
    )
    catalog_sync: bool = option(
        "hoodie.datasource.meta.sync.enable",
        kind="flag",
        default=False,
        help="Whether a write updates the catalogs of `catalogs`.",
    )
    catalogs: tuple[str, ...] | None = option(
        "hoodie.meta.sync.client.tool.class",
        kind="plugins",
        shown_default="the one of `catalog_mode`",
        help="Catalog provider plugins: names, or the class names of Hudi's tools.",
    )
    catalog_options: dict[str, Any] | None = option(
        kind="mapping",
        shown_default="none",
        help="Options of the catalog providers. Their `hoodie.*` keys are accepted as well.",
    )
    catalog_mode: str | None = option(
        _HIVE + "mode",
        choices=("hms", "glue", "jdbc", "hiveql"),
        shown_default="none",
        help="Connection to the catalog that `hive_sync` updates. `jdbc` and `hiveql` use the Hive metastore as `hms` "
        "does, and need its address.",
    )
    catalog_database: str | None = option(
        _HIVE + "database", shown_default="the table's, or `default`", help="Database in the catalog."
    )
    catalog_table: str | None = option(
        _HIVE + "table", shown_default="the table's name", help="Name of the table in the catalog."
    )
    catalog_partition_fields: tuple[str, ...] | None = option(
        _HIVE + "partition_fields",
        kind="names",
        shown_default="the table's",
        help="Partition columns in the catalog, one for each value of a partition path.",
    )
    catalog_extractor: str | None = option(
        _HIVE + "partition_extractor_class",
        shown_default="by the partition columns",
        help="Class of Hudi that reads the values of a partition path.",
    )
    catalog_decode_partitions: bool | None = option(
        "hoodie.meta.sync.decode_partition",
        kind="flag",
        shown_default="as the table encodes them",
        help="Whether partition values are URL-decoded.",
    )
    catalog_base_path: str | None = option(
        "hoodie.datasource.meta.sync.base.path",
        shown_default="the table's path",
        help="Location of the table in the catalog, if query engines reach it by another URI.",
    )
    catalog_strategy: str = option(
        _HIVE + "table.strategy",
        choices=("ALL", "RO", "RT"),
        default="ALL",
        help="Tables in the catalog for a merge-on-read table: `ALL` for `_ro` and `_rt`, or one of them under the "
        "table's own name.",
    )
    catalog_skip_ro_suffix: bool = option(
        _HIVE + "skip_ro_suffix",
        kind="flag",
        default=False,
        help="Whether the read-optimized table has the table's own name instead of the suffix `_ro`.",
    )
    catalog_snapshot_with_table_name: bool = option(
        "hoodie.meta.sync.sync_snapshot_with_table_name",
        kind="flag",
        default=True,
        help="Whether `ALL` also lists the snapshot under the table's own name, unless the read-optimized table has "
        "it.",
    )
    catalog_support_timestamp: bool = option(
        _HIVE + "support_timestamp",
        kind="flag",
        default=False,
        help="Whether timestamps are of type `timestamp` in the catalog; otherwise `bigint`.",
    )
    catalog_create_database: bool = option(
        _HIVE + "auto_create_database", kind="flag", default=True, help="Whether a missing database is created."
    )
    catalog_managed_table: bool = option(
        _HIVE + "create_managed_table",
        kind="flag",
        default=False,
        help="Whether a new table is managed: the catalog deletes the files when the table is dropped.",
    )
    catalog_comments: bool = option(
        _HIVE + "sync_comment", kind="flag", default=False, help="Whether comments of columns are stored."
    )
    catalog_table_properties: str | None = option(
        _HIVE + "table_properties",
        shown_default="none",
        help="Further properties of the table, one `name=value` per line.",
    )
    catalog_serde_properties: str | None = option(
        _HIVE + "serde_properties",
        shown_default="none",
        help="Further properties of its reader, one `name=value` per line.",
    )
    catalog_spark_table: bool = option(
        _HIVE + "sync_as_datasource",
        kind="flag",
        default=True,
        help="Whether Spark reads the table with Hudi's data source, by properties with its schema.",
    )
    catalog_schema_part_length: int = option(
        _HIVE + "schema_string_length_thresh",
        kind="integer",
        minimum=1,
        default=4000,
        help="Maximum length of a property with a part of the schema.",
    )
    catalog_spark_version: str | None = option(
        "hoodie.meta_sync.spark.version",
        shown_default="none",
        help="Version of Spark in the property `spark.sql.create.version` of a table.",
    )
    catalog_omit_meta_columns: bool = option(
        _HIVE + "omit_metadata_fields",
        kind="flag",
        default=False,
        help="Whether the meta columns are left out of the table in the catalog.",
    )
    catalog_conditional: bool = option(
        "hoodie.datasource.meta_sync.condition.sync",
        kind="flag",
        default=False,
        help="Whether the last commit is stored in the catalog only if columns, properties or partitions changed.",
    )


_ENABLING = ("hive_sync", _HIVE + "enable", "catalog_sync", "hoodie.datasource.meta.sync.enable")


def is_sync_requested(given: Mapping[str, Any]) -> bool:
    """Return whether options of a write enable the sync: by Hudi's keys, or by the short name `catalogs`."""
    present = {key.lower(): value for key, value in given.items() if value is not None}
    return "catalogs" in present or any(_is_true(present[key]) for key in _ENABLING if key in present)


def _is_true(value: object) -> bool:
    """Return whether a value is true. `parse` reports a value that is neither true nor false."""
    try:
        return flag_of(str(value))
    except ValueError:
        return False
