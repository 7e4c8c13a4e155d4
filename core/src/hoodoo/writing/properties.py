"""What options make of a new table's properties, and where they contradict those of a stored table."""

from __future__ import annotations

from collections.abc import Mapping

from hoodoo.errors import OptionError, UnsupportedTable
from hoodoo.options import IndexOptions, KeyOptions, RuleOptions, TableOptions

__all__ = ["check_same", "check_writable", "wanted_properties"]

WRITABLE_VERSION = 6

_TABLE = "hoodie.table."
_WRITE = "hoodie.datasource.write."


def wanted_properties(table: TableOptions, keys: KeyOptions, rule: RuleOptions, index: IndexOptions) -> dict[str, str]:
    """The properties that the given options stand for; options that are not given stand for nothing."""
    given = {
        _TABLE + "name": table.table_name,
        "hoodie.database.name": table.database,
        _TABLE + "type": table.table_type,
        _TABLE + "version": table.table_version,
        _TABLE + "recordkey.fields": keys.record_key,
        _TABLE + "partition.fields": keys.partition_by,
        _WRITE + "hive_style_partitioning": keys.hive_style,
        _WRITE + "partitionpath.urlencode": keys.url_encode,
        _WRITE + "slash.separated.date.partitioning": keys.slash_date,
        _WRITE + "keygenerator.consistent.logical.timestamp.enabled": keys.consistent_logical_timestamps,
        _TABLE + "precombine.field": rule.ordering,
        "hoodie.payload.ordering.field": rule.payload_ordering,
        "hoodie.payload.delete.field": rule.delete_field,
        "hoodie.payload.delete.marker": rule.delete_marker,
        "hoodoo.delete_rule": rule.delete_rule,
        "hoodoo.compat": rule.compat,
        "hoodoo.index": index.index,
        "hoodoo.buckets": index.buckets,
        "hoodoo.bucket_by": index.bucket_by,
    }
    return {key: _text(value) for key, value in given.items() if value is not None}


def check_same(wanted: Mapping[str, str], stored: Mapping[str, str]) -> None:
    """Refuse options that say another thing than the table does.

    Raises:
        OptionError: naming every property that differs, with both values.
    """
    differing = []
    for key, value in wanted.items():
        kept = stored.get(key)
        if kept is None and (key in _LEFT_OPEN or value in _UNSET.get(key, ())):
            continue
        if key in ("hoodoo.index", "hoodoo.delete_rule") and kept is not None:
            same = kept.lower().replace("_", "-") == value.lower().replace("_", "-")
        else:
            same = kept == value or (kept or "").replace(" ", "") == value
        if not same:
            differing.append(f"'{key}' is {_shown(kept)} and {value!r} was asked for")
    if differing:
        raise OptionError(
            f"options contradict the table's stored properties: {'; '.join(differing)}. "
            "Leave the options out, or write to another table",
            code="contradiction",
        )


def check_writable(stored: Mapping[str, str], uri: str) -> None:
    """Refuse tables that cannot be written to without harm.

    Raises:
        UnsupportedTable: version, type, missing meta columns, or a metadata table that would become stale.
    """
    version = stored.get(_TABLE + "version")
    if version != str(WRITABLE_VERSION):
        raise UnsupportedTable(
            f"'{uri}' has table version {version}; version {WRITABLE_VERSION} can be written, and tables are never "
            "upgraded or downgraded on the way"
        )
    if stored.get(_TABLE + "type", "COPY_ON_WRITE") != "COPY_ON_WRITE":
        raise UnsupportedTable(f"'{uri}' is a {stored[_TABLE + 'type']} table; COPY_ON_WRITE tables can be written")
    if stored.get("hoodie.populate.meta.fields", "true").lower() == "false":
        raise UnsupportedTable(
            f"'{uri}' has no meta columns (hoodie.populate.meta.fields=false); it can be read, and not updated by key"
        )
    if stored.get(_WRITE + "drop.partition.columns", "false").lower() == "true":
        raise UnsupportedTable(f"'{uri}' leaves partition columns out of its files; it cannot be written to")
    if stored.get(_TABLE + "metadata.partitions"):
        raise UnsupportedTable(
            f"'{uri}' has a metadata table ({stored[_TABLE + 'metadata.partitions']}), which this write would leave "
            "stale: "
            "other readers would not see the rows. Disable it first with a Hudi writer (hoodie.metadata.enable=false)"
        )


_LEFT_OPEN = frozenset(
    {
        "hoodoo.delete_rule",
        "hoodoo.compat",
        "hoodie.database.name",
        "hoodoo.index",
        "hoodoo.buckets",
        "hoodoo.bucket_by",
    }
)
"""Properties that Hudi does not store: a table that lacks them does not contradict anybody."""

_UNSET = {
    _WRITE + "hive_style_partitioning": ("false",),
    _WRITE + "partitionpath.urlencode": ("false",),
    _WRITE + "slash.separated.date.partitioning": ("false",),
    _WRITE + "keygenerator.consistent.logical.timestamp.enabled": ("false",),
    _TABLE + "partition.fields": ("",),
    _TABLE + "precombine.field": ("",),
}


def _text(value: object) -> str:
    if isinstance(value, tuple):
        return ",".join(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def _shown(value: str | None) -> str:
    return "not set" if value is None else repr(value)
