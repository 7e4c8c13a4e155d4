"""Options that say what a table is: they are stored with it, and later writes may repeat but not change them."""

from __future__ import annotations

from typing import Any

from attrs import frozen

from hoodoo.options import defaults
from hoodoo.options.declare import option

__all__ = ["KeyOptions", "RuleOptions", "TableOptions"]

_WRITE = "hoodie.datasource.write."


@frozen
class TableOptions:
    """The table itself."""

    table_name: str | None = option(
        "hoodie.table.name", _WRITE + "table.name", help="Name of the table; required when it is created."
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
        help="How updates are stored.",
    )
    table_version: int | None = option(
        "hoodie.write.table.version",
        "hoodie.table.version",
        kind="integer",
        shown_default="6",
        help="Version of the table format; an existing table keeps its own.",
    )
    timeline_timezone: str | None = option(
        "hoodie.table.timeline.timezone",
        choices=("UTC", "LOCAL"),
        shown_default="UTC",
        help="Time zone of a new table's instants. LOCAL is the zone of each writer's machine: for tables that Hudi "
        "writers of that zone share, and not recommended.",
    )


@frozen
class KeyOptions:
    """Keys and partitions."""

    record_key: tuple[str, ...] | None = option(
        _WRITE + "recordkey.field",
        "hoodie.table.recordkey.fields",
        kind="names",
        help="Columns that identify a record; a dotted path reaches into a struct.",
    )
    partition_by: tuple[str, ...] | None = option(
        _WRITE + "partitionpath.field",
        "hoodie.table.partition.fields",
        kind="names",
        shown_default="none",
        help="Columns that make the partition path.",
    )
    keygen: str | None = option(
        _WRITE + "keygenerator.class",
        _WRITE + "keygenerator.type",
        "hoodie.table.keygenerator.class",
        "hoodie.table.keygenerator.type",
        shown_default="by the number of key and partition columns",
        help="Key generator plugin: a name, Hudi's class name or type.",
    )
    keygen_options: dict[str, Any] | None = option(
        kind="mapping",
        shown_default="none",
        help="Options of the key generator; `hoodie.keygen.timebased.*` keys count as well.",
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
    """Which version of a record wins."""

    ordering: tuple[str, ...] | None = option(
        "hoodie.table.ordering.fields",
        _WRITE + "precombine.field",
        "hoodie.table.precombine.field",
        kind="names",
        shown_default="none",
        help="Columns whose values order the versions of a record.",
    )
    payload_ordering: tuple[str, ...] | None = option(
        "hoodie.payload.ordering.field",
        kind="names",
        shown_default="`ordering`",
        help="Columns that a payload compares with the stored row.",
    )
    payload: str | None = option(
        _WRITE + "payload.class",
        "hoodie.compaction.payload.class",
        "hoodie.table.legacy.payload.class",
        shown_default="none",
        help="Payload plugin: a name or Hudi's class name. Give a payload or a merger.",
    )
    merger: str | None = option(
        "hoodie.write.record.merge.mode",
        "hoodie.record.merge.mode",
        "hoodie.write.record.merge.strategy.id",
        shown_default=f"`{defaults.MERGER_WITH_ORDERING}` with `ordering`, else `{defaults.MERGER_WITHOUT_ORDERING}`",
        help="Merger plugin: a name, Hudi's merge mode or strategy id.",
    )
    merger_options: dict[str, Any] | None = option(
        kind="mapping", shown_default="none", help="Options of the merger or payload plugin."
    )
    compat: str | None = option(
        choices=("legacy", "1.1"),
        shown_default="legacy",
        help="Whose semantics a payload has where Hudi releases differ: up to 1.0, or 1.1.",
    )
    delete_rule: str | None = option(
        shown_default=f"`{defaults.DELETE_RULES['merger'][0]}` for mergers, else what the payload declares",
        help="Delete rule plugins, with commas between them: a row is a delete where one of them says so.",
    )
    delete_rule_options: dict[str, Any] | None = option(
        kind="mapping", shown_default="none", help="Options of the delete rule plugins."
    )
    delete_field: str | None = option(
        "hoodie.payload.delete.field", shown_default="none", help="Column that marks deletes, with `delete_marker`."
    )
    delete_marker: str | None = option(
        "hoodie.payload.delete.marker", shown_default="none", help="Text in `delete_field` that means delete."
    )
