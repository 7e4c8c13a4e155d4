"""What options make of a new table's properties, and where they contradict those of a stored table."""

from __future__ import annotations

import json
from collections.abc import Mapping

from attrs import asdict

from hoodoo.errors import OptionError, UnsupportedTable
from hoodoo.options import IndexOptions, KeyOptions, RuleOptions, TableOptions
from hoodoo.plugin.base import BaseKeyGenerator
from hoodoo.table_rules.merge_modes import MERGE_PROPERTY
from hoodoo.table_rules.stored_keys import PARTITION_KINDS

__all__ = ["check_same", "check_writable", "effective_properties", "kinds_given", "wanted_properties"]

WRITABLE_VERSIONS = ("6", "8", "9")

_TABLE = "hoodie.table."
_WRITE = "hoodie.datasource.write."


def wanted_properties(table: TableOptions, keys: KeyOptions, rule: RuleOptions, index: IndexOptions) -> dict[str, str]:
    """The properties that the given options stand for; options that are not given stand for nothing."""
    given = {
        name: value for group in (table, keys, rule, index) for name, value in asdict(group, recurse=False).items()
    }
    return {property_: _text(given[option]) for option, property_ in _PROPERTY.items() if given[option] is not None}


def effective_properties(wanted: Mapping[str, str], stored: Mapping[str, str]) -> dict[str, str]:
    """What a table stores, with the given options for what Hudi leaves to each write."""
    effective = {**{key: value for key, value in wanted.items() if key in _LEFT_OPEN}, **first_names(stored)}
    if _PROPERTY["index"] in wanted:
        effective[_PROPERTY["index"]] = wanted[_PROPERTY["index"]]
    return effective


def check_same(wanted: Mapping[str, str], stored: Mapping[str, str]) -> None:
    """Refuse options that say another thing than the table does.

    Raises:
        OptionError: naming every option that differs and its property, with both values.
    """
    named = first_names(stored)
    known = {**_implied(named), **named}
    differing = []
    for option, property_ in _PROPERTY.items():
        if property_ not in wanted:
            continue
        value, kept = wanted[property_], known.get(property_)
        if kept is None and property_ in _LEFT_OPEN and not _is_ours(stored):
            continue
        if not _same(property_, kept, value):
            name = _LATER[property_] if _LATER.get(property_) in stored else property_
            differing.append(f"'{option}' ({name}) is {_shown(kept)} and {value!r} was asked for")
    if differing:
        raise OptionError(
            f"options contradict the table's stored properties: {'; '.join(differing)}. "
            "Leave the options out, or write to another table",
            code="contradiction",
        )


def check_writable(stored: Mapping[str, str], uri: str, *, drops_metadata: bool = False) -> None:
    """Refuse tables that cannot be written to without harm; `drops_metadata`: their metadata table goes first.

    Raises:
        UnsupportedTable: version, type, missing meta columns, or a metadata table that would become stale.
    """
    version = stored.get(_TABLE + "version")
    if version not in WRITABLE_VERSIONS:
        raise UnsupportedTable(
            f"'{uri}' has table version {version}; versions {', '.join(WRITABLE_VERSIONS)} can be written, and tables "
            "are never upgraded or downgraded on the way",
            code="table_version",
        )
    if stored.get("hoodie.populate.meta.fields", "true").lower() == "false":
        raise UnsupportedTable(
            f"'{uri}' has no meta columns (hoodie.populate.meta.fields=false); it can be read, and not updated by key"
        )
    if stored.get(_WRITE + "drop.partition.columns", "false").lower() == "true":
        raise UnsupportedTable(f"'{uri}' leaves partition columns out of its files; it cannot be written to")
    if not drops_metadata and any(stored.get(_TABLE + key) for key in _METADATA):
        raise UnsupportedTable(
            f"'{uri}' has a metadata table ({stored.get(_TABLE + _METADATA[0]) or 'being built'}), which this write "
            "would leave stale: other readers would not see the rows. "
            "Give 'hoodie.metadata.enable' = 'false' to have it removed first, as Hudi does",
            code="metadata_table",
        )


def kinds_given(
    wanted: Mapping[str, str], stored: Mapping[str, str], keygen: type[BaseKeyGenerator] | None
) -> dict[str, str]:
    """Return the kinds of a key generator's partition columns, where the options name them and the table does not.

    Below table version 8 Hudi stores the bare columns, and every write says again what they are.
    """
    asked, kept = wanted.get(_PROPERTY["partition_by"], ""), stored.get(_PROPERTY["partition_by"], "")
    open_ = PARTITION_KINDS not in stored and ":" not in kept and keygen is not None and keygen.takes_kinds
    return {PARTITION_KINDS: asked} if open_ and _bare(asked) == kept.replace(" ", "") else {}


def first_names(stored: Mapping[str, str]) -> dict[str, str]:
    """Stored properties, with those that later table versions call otherwise under the names of version 6 as well."""
    later = {first: stored[later] for first, later in _LATER.items() if later in stored}
    if PARTITION_KINDS in stored:
        later[_PROPERTY["partition_by"]] = stored[PARTITION_KINDS]
    return {**stored, **later}


_METADATA = ("metadata.partitions", "metadata.partitions.inflight")

_PROPERTY = {
    "table_name": _TABLE + "name",
    "database": "hoodie.database.name",
    "table_type": _TABLE + "type",
    "table_version": _TABLE + "version",
    "timeline_timezone": _TABLE + "timeline.timezone",
    "record_key": _TABLE + "recordkey.fields",
    "partition_by": _TABLE + "partition.fields",
    "hive_style": _WRITE + "hive_style_partitioning",
    "url_encode": _WRITE + "partitionpath.urlencode",
    "slash_date": _WRITE + "slash.separated.date.partitioning",
    "consistent_logical_timestamps": _WRITE + "keygenerator.consistent.logical.timestamp.enabled",
    "ordering": _TABLE + "precombine.field",
    "payload_ordering": "hoodie.payload.ordering.field",
    "delete_field": "hoodie.payload.delete.field",
    "delete_marker": "hoodie.payload.delete.marker",
    "delete_rule": "hoodoo.delete_rule",
    "delete_rule_options": "hoodoo.delete_rule.options",
    "compat": "hoodoo.compat",
    "index": "hoodoo.index",
    "buckets": "hoodoo.buckets",
    "bucket_by": "hoodoo.bucket_by",
}
"""The property that keeps an option with the table."""

_LATER = {
    _PROPERTY["ordering"]: _TABLE + "ordering.fields",
    _PROPERTY["delete_field"]: MERGE_PROPERTY + _PROPERTY["delete_field"],
    _PROPERTY["delete_marker"]: MERGE_PROPERTY + _PROPERTY["delete_marker"],
}

_LEFT_OPEN = frozenset(
    _PROPERTY[option]
    for option in (
        "database",
        "payload_ordering",
        "delete_field",
        "delete_marker",
        "delete_rule",
        "delete_rule_options",
        "compat",
        "index",
        "buckets",
        "bucket_by",
    )
)
"""Properties that Hudi does not store: a table that it made and that lacks them does not contradict anybody."""


def _is_ours(stored: Mapping[str, str]) -> bool:
    return any(key.startswith("hoodoo.") for key in stored)


def _implied(stored: Mapping[str, str]) -> dict[str, str]:
    """What it means that a property is not stored."""
    flags = ("hive_style", "url_encode", "slash_date", "consistent_logical_timestamps")
    implied = {_PROPERTY[option]: "false" for option in flags}
    implied |= {_PROPERTY["partition_by"]: "", _PROPERTY["ordering"]: "", _PROPERTY["timeline_timezone"]: "LOCAL"}
    if _is_ours(stored):
        implied[_PROPERTY["payload_ordering"]] = stored.get(_PROPERTY["ordering"], "")
        if stored.get(_PROPERTY["index"]) == "bucket":
            implied[_PROPERTY["bucket_by"]] = stored.get(_PROPERTY["record_key"], "")
    return implied


def _same(property_: str, kept: str | None, value: str) -> bool:
    if kept is not None and property_ == _PROPERTY["index"]:
        # they find the same file groups; only a bucket index says by itself where a key is
        return (kept == "bucket") == (value == "bucket")
    if kept is not None and property_ == _PROPERTY["delete_rule"]:
        return kept.lower().replace("_", "-") == value.lower().replace("_", "-")
    known = (kept or "").replace(" ", "")
    if property_ == _PROPERTY["partition_by"] and ":" in known:
        # a column may be named without its kind, which is stored
        return value.lower() == known.lower() or value == _bare(known)
    return value in (kept, known)


def _bare(columns: str) -> str:
    """A comma list of columns without their kinds."""
    return ",".join(name.strip().partition(":")[0] for name in columns.split(","))


def _text(value: object) -> str:
    if isinstance(value, tuple):
        return ",".join(value)
    if isinstance(value, Mapping):
        return json.dumps(value, sort_keys=True)
    return str(value).lower() if isinstance(value, bool) else str(value)


def _shown(value: str | None) -> str:
    return "not set" if value is None else repr(value)
