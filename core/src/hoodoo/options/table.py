"""Options that define a new table. Later writes may omit or repeat them, but cannot change the table with them."""

from __future__ import annotations

from typing import Any

from attrs import frozen

from hoodoo.options.default_plugins import DELETE_RULES, MERGER_WITH_ORDERING, MERGER_WITHOUT_ORDERING
from hoodoo.options.parsing.declare import option

__all__ = ["KeyOptions", "RuleOptions", "TableOptions"]

_WRITE = "hoodie.datasource.write."


@frozen
class TableOptions:
    """Name, type and version of the table."""

    table_name: str | None = option(
        "hoodie.table.name",
        _WRITE + "table.name",
        first_key_wins=True,
        help="Name of the table; required when it is created.",
    )
    database: str | None = option(
        "hoodie.database.name", help="Database that the table belongs to.", shown_default="none"
    )
    table_type: str | None = option(
        _WRITE + "table.type",
        _WRITE + "storage.type",
        "hoodie.table.type",
        choices=("COPY_ON_WRITE", "MERGE_ON_READ"),
        shown_default="COPY_ON_WRITE",
        help="Table type: copy-on-write rewrites base files, merge-on-read appends log files.",
    )
    table_version: int | None = option(
        "hoodie.write.table.version",
        kind="integer",
        shown_default="6",
        help="Version of the table format of a new table: 6, 8 or 9. An existing table keeps its version.",
    )
    timeline_timezone: str | None = option(
        "hoodie.table.timeline.timezone",
        choices=("UTC", "LOCAL"),
        shown_default="UTC",
        help="Time zone of the instants of a new table. LOCAL is the time zone of each writer's machine; it is not "
        "recommended, except for tables shared with Hudi writers in that zone.",
    )
    populate_meta_fields: bool | None = option(
        "hoodie.populate.meta.fields",
        kind="flag",
        shown_default="true",
        help="Fill the meta columns of stored rows. Without them, readers make the record keys from the key columns, "
        "and incremental queries are not possible.",
    )


@frozen
class KeyOptions:
    """Record keys and partition paths."""

    record_key: tuple[str, ...] | None = option(
        _WRITE + "recordkey.field",
        "hoodie.table.recordkey.fields",
        kind="names",
        help="Columns of the record key; a dotted path refers to a field of a struct.",
    )
    partition_by: tuple[str, ...] | None = option(
        _WRITE + "partitionpath.field",
        "hoodie.table.partition.fields",
        kind="names",
        shown_default="none",
        help="Columns of the partition path.",
    )
    keygen: str | None = option(
        _WRITE + "keygenerator.class",
        _WRITE + "keygenerator.type",
        "hoodie.table.keygenerator.class",
        "hoodie.table.keygenerator.type",
        first_key_wins=True,
        shown_default="depends on the number of key and partition columns",
        help="Key generator plugin: a name, or Hudi's class name or type.",
    )
    keygen_options: dict[str, Any] | None = option(
        kind="mapping",
        shown_default="none",
        help="Options of the key generator; `hoodie.keygen.timebased.*` keys are accepted as well.",
    )
    hive_style: bool | None = option(
        _WRITE + "hive_style_partitioning",
        kind="flag",
        shown_default="false",
        help="Write partition paths as `column=value`.",
    )
    url_encode: bool | None = option(
        _WRITE + "partitionpath.urlencode",
        kind="flag",
        shown_default="false",
        help="Escape special characters in partition paths.",
    )
    drop_partition_columns: bool | None = option(
        _WRITE + "drop.partition.columns",
        kind="flag",
        shown_default="false",
        help="Leave the partition columns out of the data files of a new table: readers take their values, as text, "
        "from the partition path.",
    )
    plain_lone_key: bool = option(
        "hoodie.write.complex.keygen.new.encoding",
        kind="flag",
        default=False,
        help="With one key column and the key generator `complex`, write keys as `1` instead of `id:1`, in a new "
        "table of version 6 or 8. A table that has rows keeps the form of its keys, and tables of version 9 have only "
        "`id:1`, as in Hudi.",
    )
    slash_date: bool | None = option(
        _WRITE + "slash.separated.date.partitioning",
        kind="flag",
        shown_default="false",
        help="Write dates in partition paths as `yyyy/MM/dd`.",
    )
    consistent_logical_timestamps: bool | None = option(
        _WRITE + "keygenerator.consistent.logical.timestamp.enabled",
        kind="flag",
        shown_default="false",
        help="Write timestamps in keys as text rather than as microseconds.",
    )


@frozen
class RuleOptions:
    """Merge rule, ordering and delete rules."""

    ordering: tuple[str, ...] | None = option(
        "hoodie.table.ordering.fields",
        _WRITE + "precombine.field",
        "hoodie.table.precombine.field",
        kind="names",
        shown_default="none",
        help="Columns of the ordering value.",
    )
    payload_ordering: tuple[str, ...] | None = option(
        "hoodie.payload.ordering.field",
        kind="names",
        shown_default="`ordering`",
        help="Columns that a payload compares with the stored row, if they differ from `ordering`.",
    )
    payload: str | None = option(
        _WRITE + "payload.class",
        "hoodie.compaction.payload.class",
        "hoodie.table.legacy.payload.class",
        shown_default="none",
        help="Payload plugin: a name or Hudi's class name. Set a payload or a merger, not both.",
    )
    merger: str | None = option(
        "hoodie.write.record.merge.mode",
        "hoodie.record.merge.mode",
        "hoodie.write.record.merge.strategy.id",
        "hoodie.record.merge.strategy.id",
        "hoodie.datasource.write.record.merger.strategy",
        "hoodie.compaction.record.merger.strategy",
        first_key_wins=True,
        shown_default=f"`{MERGER_WITH_ORDERING}` with `ordering`, else `{MERGER_WITHOUT_ORDERING}`",
        help="Merger plugin: a name, or Hudi's merge mode or strategy id.",
    )
    merger_options: dict[str, Any] | None = option(
        kind="mapping", shown_default="none", help="Options of the merger or payload plugin."
    )
    compat: str | None = option(
        choices=("legacy", "1.1"),
        shown_default="legacy",
        help="Hudi release whose payload semantics apply: `legacy` is Hudi up to 1.0.",
    )
    delete_rule: str | None = option(
        shown_default=f"`{DELETE_RULES['merger'][0]}` for mergers, else the rules that the payload declares",
        help="Delete rule plugins, comma-separated; a row is a delete if one of them matches.",
    )
    delete_rule_options: dict[str, Any] | None = option(
        kind="mapping", shown_default="none", help="Options of the delete rule plugins."
    )
    delete_field: str | None = option(
        "hoodie.payload.delete.field",
        shown_default="none",
        help="Column in which the text `delete_marker` marks deletes.",
    )
    delete_marker: str | None = option(
        "hoodie.payload.delete.marker", shown_default="none", help="Text in `delete_field` that marks a delete."
    )
