"""Properties that options request, and a check that they do not contradict those of a stored table."""

from __future__ import annotations

import json
from collections.abc import Mapping

from attrs import asdict

from hoodoo.errors import OptionError, UnsupportedTable
from hoodoo.index.index_types import index_type
from hoodoo.options import IndexOptions, KeyOptions, RuleOptions, TableOptions
from hoodoo.plugin.base import BaseKeyGenerator
from hoodoo.properties import property_keys as keys

__all__ = ["check_parquet", "check_same", "check_writable", "effective_properties", "kinds_given", "wanted_properties"]

WRITABLE_VERSIONS = ("6", "8", "9")


def wanted_properties(
    table: TableOptions, key_options: KeyOptions, rule: RuleOptions, index: IndexOptions
) -> dict[str, str]:
    """Return the properties that correspond to the given options; options that are not given have no property."""
    groups = (table, key_options, rule, index)
    given = {name: value for group in groups for name, value in asdict(group, recurse=False).items()}
    return {property_: _text(given[option]) for option, property_ in _PROPERTY.items() if given[option] is not None}


def effective_properties(wanted: Mapping[str, str], stored: Mapping[str, str]) -> dict[str, str]:
    """Return the properties of a table, completed by options for properties that Hudi does not store.

    The index is that of the options, if they name one.
    """
    effective = {**{key: value for key, value in wanted.items() if key in _LEFT_OPEN}, **with_version_6_names(stored)}
    if keys.INDEX in wanted:
        effective[keys.INDEX] = wanted[keys.INDEX]
    return effective


def check_same(wanted: Mapping[str, str], stored: Mapping[str, str]) -> None:
    """Raise if options contradict the properties of a table.

    Raises:
        OptionError: Options differ from the table; the message names each option and its property, with both values.
    """
    named = with_version_6_names(stored)
    known = {**_implied(named), **named}
    differing = []
    for option, property_ in _PROPERTY.items():
        if property_ not in wanted:
            continue
        value, kept = wanted[property_], known.get(property_)
        if kept is None and property_ in _LEFT_OPEN and not _is_from_hoodoo(stored):
            continue
        if not _same(property_, kept, value):
            name = _LATER[property_] if _LATER.get(property_) in stored else property_
            differing.append(f"'{option}' ({name}) is {_shown(kept)} and the write has {value!r}")
    if differing:
        raise OptionError(
            f"options contradict the table's stored properties: {'; '.join(differing)}; "
            f"leave the option{'' if len(differing) == 1 else 's'} out, or write to another table",
            code="contradiction",
        )


def check_writable(stored: Mapping[str, str], uri: str) -> None:
    """Raise if a write would damage a table.

    Args:
        stored: The properties of the table.
        uri: Location of the table.

    Raises:
        UnsupportedTable: The table version or the format of base files is not supported, or the table records change
            data.
    """
    version = stored.get(keys.TABLE_VERSION)
    if version not in WRITABLE_VERSIONS:
        raise UnsupportedTable(
            f"'{uri}' has table version {version}; versions {', '.join(WRITABLE_VERSIONS)} can be written, and a write "
            "never upgrades or downgrades a table; change its version with Hudi",
            code="table_version",
        )
    check_parquet(stored, uri)
    if stored.get(keys.CDC_ENABLED, "false").lower() == "true":
        raise UnsupportedTable(
            f"'{uri}' records change data ({keys.CDC_ENABLED}=true); queries of change data would lack the changes "
            "of this write; write with Hudi, or remove the property if such queries are no longer needed",
            code="change_data",
        )


def check_parquet(stored: Mapping[str, str], uri: str) -> None:
    """Raise `UnsupportedTable` if the base files of a table are in another format, which hoodoo does not write."""
    form = stored.get(keys.BASE_FILE_FORMAT, "PARQUET").upper()
    if form != "PARQUET":
        raise UnsupportedTable(
            f"'{uri}' has base files in {form} format, which hoodoo reads but does not write; write the table, and run "
            "its services, with Hudi",
            code="base_file_format",
        )


def kinds_given(
    wanted: Mapping[str, str], stored: Mapping[str, str], keygen: type[BaseKeyGenerator] | None
) -> dict[str, str]:
    """Return the property with the partition columns and their kinds in the options, or {}.

    It is {} unless the key generator takes kinds, and the table stores the same columns without kinds. Below table
    version 8 Hudi stores the columns without kinds, and every write names the kinds again.
    """
    requested, kept = wanted.get(keys.PARTITION_FIELDS, ""), stored.get(keys.PARTITION_FIELDS, "")
    open_ = keys.PARTITION_KINDS not in stored and ":" not in kept and keygen is not None and keygen.takes_kinds
    return {keys.PARTITION_KINDS: requested} if open_ and _bare(requested) == kept.replace(" ", "") else {}


def with_version_6_names(stored: Mapping[str, str]) -> dict[str, str]:
    """Return stored properties, with renamed properties of later table versions also under their names in version 6."""
    later = {first: stored[later] for first, later in _LATER.items() if later in stored}
    if keys.PARTITION_KINDS in stored:
        later[keys.PARTITION_FIELDS] = stored[keys.PARTITION_KINDS]
    return {**stored, **later}


_PROPERTY = {
    "table_name": keys.TABLE_NAME,
    "database": keys.DATABASE,
    "table_type": keys.TABLE_TYPE,
    "table_version": keys.TABLE_VERSION,
    "timeline_timezone": keys.TIMEZONE,
    "populate_meta_fields": keys.POPULATE_META_FIELDS,
    "record_key": keys.RECORD_KEY_FIELDS,
    "partition_by": keys.PARTITION_FIELDS,
    "hive_style": keys.HIVE_STYLE,
    "url_encode": keys.URL_ENCODE,
    "drop_partition_columns": keys.DROP_PARTITION_COLUMNS,
    "slash_date": keys.SLASH_DATE,
    "consistent_logical_timestamps": keys.CONSISTENT_TIMESTAMPS,
    "ordering": keys.PRECOMBINE_FIELD,
    "payload_ordering": keys.PAYLOAD_ORDERING,
    "delete_field": keys.DELETE_FIELD,
    "delete_marker": keys.DELETE_MARKER,
    "delete_rule": keys.DELETE_RULE,
    "delete_rule_options": keys.DELETE_RULE_OPTIONS,
    "compat": keys.COMPAT,
    "index": keys.INDEX,
    "buckets": keys.BUCKETS,
    "bucket_by": keys.BUCKET_BY,
}
"""The properties that store options with the table, by option."""

_LATER = {
    keys.PRECOMBINE_FIELD: keys.ORDERING_FIELDS,
    keys.DELETE_FIELD: keys.MERGE_PROPERTY + keys.DELETE_FIELD,
    keys.DELETE_MARKER: keys.MERGE_PROPERTY + keys.DELETE_MARKER,
}
"""The names of properties in later table versions, by their names in version 6."""

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
"""Properties that Hudi does not store, so that their absence in a table of Hudi contradicts no option."""


def _is_from_hoodoo(stored: Mapping[str, str]) -> bool:
    return any(key.startswith(keys.HOODOO_PREFIX) for key in stored)


def _implied(stored: Mapping[str, str]) -> dict[str, str]:
    """Return the values that properties have if the table does not store them."""
    flags = (keys.DROP_PARTITION_COLUMNS, keys.HIVE_STYLE, keys.URL_ENCODE, keys.SLASH_DATE, keys.CONSISTENT_TIMESTAMPS)
    implied = dict.fromkeys(flags, "false")
    implied |= {keys.PARTITION_FIELDS: "", keys.PRECOMBINE_FIELD: "", keys.TIMEZONE: "LOCAL"}
    implied[keys.POPULATE_META_FIELDS] = "true"
    if _is_from_hoodoo(stored):
        implied[keys.PAYLOAD_ORDERING] = stored.get(keys.PRECOMBINE_FIELD, "")
        if index_type(stored.get(keys.INDEX)).uses_buckets:
            implied[keys.BUCKET_BY] = stored.get(keys.RECORD_KEY_FIELDS, "")
    return implied


def _same(property_: str, kept: str | None, value: str) -> bool:
    if kept is not None and property_ == keys.INDEX:
        # these indexes use the same file groups, except for a bucket index
        return index_type(kept).uses_buckets == index_type(value).uses_buckets
    if kept is not None and property_ == keys.DELETE_RULE:
        return kept.lower().replace("_", "-") == value.lower().replace("_", "-")
    known = (kept or "").replace(" ", "")
    if property_ == keys.PARTITION_FIELDS and ":" in known:
        # a column may be named without its kind, which is stored
        return value.lower() == known.lower() or value == _bare(known)
    return value in (kept, known)


def _bare(columns: str) -> str:
    """Return a comma-separated list of columns without their kinds."""
    return ",".join(name.strip().partition(":")[0] for name in columns.split(","))


def _text(value: object) -> str:
    if isinstance(value, tuple):
        return ",".join(value)
    if isinstance(value, Mapping):
        return json.dumps(value, sort_keys=True)
    return str(value).lower() if isinstance(value, bool) else str(value)


def _shown(value: str | None) -> str:
    return "not set" if value is None else repr(value)
