"""Preparation of a write that creates its table."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa
from attrs import frozen

from hoodoo.errors import OptionError
from hoodoo.merge.required_columns import with_added
from hoodoo.merge.rule_spec import RuleSpec
from hoodoo.options import (
    BloomOptions,
    ConcurrencyOptions,
    FileOptions,
    IndexOptions,
    KeyOptions,
    Options,
    Problems,
    RuleOptions,
    TableOptions,
    WriteOptions,
)
from hoodoo.plugin.installed.catalogue import Catalogue
from hoodoo.properties import NewKeys, NewRule, NewTable, TableProperties, new_table_properties
from hoodoo.properties import property_keys as keys
from hoodoo.schema.avro_encode import stored_schema
from hoodoo.storage import Storage
from hoodoo.table_rules.keygen_choice import keygen_class, keygen_properties, resolve_keygen
from hoodoo.table_rules.missing_plugins import both, distributions_of
from hoodoo.table_rules.rule_properties import payload_class, rule_properties
from hoodoo.table_rules.stored_keys import key_config
from hoodoo.table_rules.writer_rule import DEFAULT_VERSION, resolve_rule
from hoodoo.writing.data_files.event_time_range import tracked_column
from hoodoo.writing.prepare.bloom_choice import wanted_filter
from hoodoo.writing.prepare.index_choice import resolve_index
from hoodoo.writing.prepare.layout_checks import columns_stored, layout_properties
from hoodoo.writing.prepare.prepared_write import Prepared
from hoodoo.writing.prepare.write_checks import validate
from hoodoo.writing.write_spec import FileSpec, KeySpec, OperationSpec, TableSpec

__all__ = ["Checks", "first_encoding", "prepare_new"]

CREATED_VERSIONS = (6, 8, 9)


@frozen
class Checks:
    """Catalogue of the plugins that a check loads, and the collection of its errors."""

    catalogue: Catalogue
    problems: Problems


def prepare_new(
    storage: Storage,
    rows: pa.Schema,
    wanted: Mapping[str, str],
    rule_options: RuleOptions,
    options: Options,
    write: WriteOptions,
    checks: Checks,
) -> Prepared:
    """Return the write with the properties of its new table.

    Args:
        storage: The table's files.
        rows: The columns of the rows.
        wanted: The properties that correspond to the options.
        rule_options: The options of the merge rule, as the table's version stores them.
        options: All options.
        write: The options of the write, after those of the mode.
        checks: The catalogue to look plugins up in, and the collection of errors.

    Raises:
        OptionError, PluginError, SchemaError: An option, a plugin or the columns are wrong; the message names them.
    """
    catalogue, problems = checks.catalogue, checks.problems
    chosen, version = options[TableOptions], DEFAULT_VERSION
    with problems.caught():
        if not chosen.table_name:
            raise OptionError(
                "there is no table yet, and a new table needs a name: give the option 'table_name', and 'record_key' "
                "for the columns of its keys; or check the path",
                code="new_table",
            )
    with problems.caught():
        version = _version(chosen)
    has_meta = chosen.populate_meta_fields is not False
    config = key_config(wanted, first_encoding(options[KeyOptions], version, has_meta=has_meta))
    keygen, rule = both(
        lambda: resolve_keygen(options[KeyOptions], wanted, config, catalogue),
        lambda: resolve_rule(rule_options, wanted, catalogue, config),
    )
    index = resolve_index(wanted, [], config, options[IndexOptions])
    table = NewTable(
        chosen.table_name or "",
        with_added(rule, stored_schema(columns_stored(rows, config, layout_properties(wanted)))),
        chosen.table_type or "COPY_ON_WRITE",
        chosen.database or "",
        version,
        chosen.timeline_timezone or "UTC",
    )
    extra = {key: value for key, value in wanted.items() if key.startswith(keys.HOODOO_PREFIX)}
    extra |= _rule_properties(table, rule, options[RuleOptions].payload, catalogue)
    extra |= keygen_properties(keygen, catalogue) | distributions_of([rule.plugin, *rule.delete_rules, keygen])
    if version < 8 and config.partition_columns != config.partition_by:
        extra[keys.PARTITION_KINDS] = ",".join(config.partition_by)
    extra |= index.properties()
    extra |= {key: wanted[key] for key in (keys.SLASH_DATE, keys.CONSISTENT_TIMESTAMPS) if key in wanted}
    extra |= layout_properties(wanted)
    properties = new_table_properties(
        table,
        NewKeys(config, keygen_class(catalogue, keygen.name, config)),
        NewRule(rule.config.ordering),
        extra,
    )
    bloom = wanted_filter(options[BloomOptions], index.uses_bloom, properties)
    prepared = Prepared(
        table=TableSpec.of(storage, TableProperties(properties), table.schema),
        keys=KeySpec(keygen, config, write.allow_key_collisions),
        rule=rule,
        index=index,
        operation=OperationSpec.of(write),
        files=FileSpec(options[FileOptions], bloom, tracked_column(write, rule.config.ordering)),
        properties=properties,
        options=write,
        concurrency=options[ConcurrencyOptions],
    )
    validate(rows, prepared, problems)
    return prepared


def first_encoding(chosen: KeyOptions, version: int, *, has_meta: bool) -> str:
    """Return the form of a composite key of one field in a table without rows: `field` (`column:value`) or `value`.

    Hudi decides in the same way.

    Args:
        chosen: The options of keys.
        version: The version of the table.
        has_meta: Whether the table stores record keys; otherwise a reader makes them from the key column.
    """
    return "value" if chosen.plain_lone_key and version < 9 and has_meta else "field"


def _version(table: TableOptions) -> int:
    """Return the version of a new table; raise `OptionError` if tables of that version cannot be created."""
    version = table.table_version or DEFAULT_VERSION
    if version not in CREATED_VERSIONS:
        raise OptionError(
            f"'table_version' is {version}; tables of versions {', '.join(map(str, CREATED_VERSIONS))} can be created: "
            "set it to one of them"
        )
    return version


def _rule_properties(table: NewTable, rule: RuleSpec, payload: str | None, catalogue: Catalogue) -> dict[str, str]:
    """Return the table properties of a merge rule; with a merger, also that of a payload which the merger replaces."""
    merged_by_readers = table.table_type == "MERGE_ON_READ"
    entries = rule_properties(rule, table.version, catalogue, merged_by_readers=merged_by_readers)
    if payload and rule.family == "merger" and (legacy := payload_class(payload, catalogue)):
        entries[keys.LEGACY_PAYLOAD_CLASS if table.version > 8 else keys.PAYLOAD_CLASS] = legacy
    return entries
