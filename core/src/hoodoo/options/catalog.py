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
        help="Update the Hive metastore, or the catalog of `catalog_mode`, after a write. See "
        "[catalogs.md](catalogs.md).",
    )
    catalog_sync: bool = option(
        "hoodie.datasource.meta.sync.enable",
        kind="flag",
        default=False,
        help="Update the catalogs of `catalogs` after a write.",
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
        help="URL-decode the partition values for the catalog.",
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
        help="Give the read-optimized table the table's own name, without the suffix `_ro`.",
    )
    catalog_snapshot_with_table_name: bool = option(
        "hoodie.meta.sync.sync_snapshot_with_table_name",
        kind="flag",
        default=True,
        help="With `ALL`, also list the snapshot under the table's own name, unless the read-optimized table has this "
        "name.",
    )
    catalog_support_timestamp: bool = option(
        _HIVE + "support_timestamp",
        kind="flag",
        default=False,
        help="Store timestamps in the catalog as type `timestamp`; `false` stores them as `bigint`.",
    )
    catalog_create_database: bool = option(
        _HIVE + "auto_create_database",
        kind="flag",
        default=True,
        help="Create the database in the catalog if it does not exist.",
    )
    catalog_managed_table: bool = option(
        _HIVE + "create_managed_table",
        kind="flag",
        default=False,
        help="Create new tables as managed tables: the catalog deletes the files when the table is dropped.",
    )
    catalog_comments: bool = option(
        _HIVE + "sync_comment", kind="flag", default=False, help="Store the comments of columns in the catalog."
    )
    catalog_table_properties: str | None = option(
        _HIVE + "table_properties",
        shown_default="none",
        help="Further properties of the table, one `name=value` per line.",
    )
    catalog_serde_properties: str | None = option(
        _HIVE + "serde_properties",
        shown_default="none",
        help="Further properties of the table's reader (serde), one `name=value` per line.",
    )
    catalog_spark_table: bool = option(
        _HIVE + "sync_as_datasource",
        kind="flag",
        default=True,
        help="Store properties, with the schema of the table, by which Spark reads it with Hudi's data source.",
    )
    catalog_schema_part_length: int = option(
        _HIVE + "schema_string_length_thresh",
        kind="integer",
        minimum=1,
        default=4000,
        help="Maximum length of a property that contains a part of the schema.",
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
        help="Leave the meta columns out of the table in the catalog.",
    )
    catalog_conditional: bool = option(
        "hoodie.datasource.meta_sync.condition.sync",
        kind="flag",
        default=False,
        help="Store the last commit in the catalog only if columns, properties or partitions changed.",
    )


_ENABLING = ("hive_sync", _HIVE + "enable", "catalog_sync", "hoodie.datasource.meta.sync.enable")


def is_sync_requested(given: Mapping[str, Any]) -> bool:
    """Return whether options of a write enable the sync: by a flag that is true, or by the short name `catalogs`."""
    present = {key.lower(): value for key, value in given.items() if value is not None}
    return "catalogs" in present or any(_is_true(present[key]) for key in _ENABLING if key in present)


def _is_true(value: object) -> bool:
    """Return whether a value is true; False for a value that is neither true nor false, which `parse` reports."""
    try:
        return flag_of(str(value))
    except ValueError:
        return False
