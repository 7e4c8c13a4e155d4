"""A write that creates its table."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa

from hoodoo.errors import OptionError
from hoodoo.merge.required_columns import with_added
from hoodoo.options import (
    BloomOptions,
    ConcurrencyOptions,
    FileOptions,
    IndexOptions,
    KeyOptions,
    Options,
    RuleOptions,
    TableOptions,
    WriteOptions,
    defaults,
)
from hoodoo.plugin.catalog.catalog import Catalogue
from hoodoo.properties import new_table_properties
from hoodoo.schema.avro_encode import stored_schema
from hoodoo.table_rules.keygen_choice import keygen_class, keygen_properties, resolve_keygen
from hoodoo.table_rules.rule_properties import payload_class, rule_properties
from hoodoo.table_rules.stored_keys import PARTITION_KINDS, key_config
from hoodoo.table_rules.writer_rule import DEFAULT_VERSION, resolve_rule
from hoodoo.writing.prepare.bloom_choice import wanted_filter
from hoodoo.writing.prepare.buckets import resolve_buckets
from hoodoo.writing.prepare.prepared_write import Prepared
from hoodoo.writing.prepare.write_checks import checked
from hoodoo.writing.tasks.event_time_range import tracked_column

__all__ = ["prepare_new"]

CREATED_VERSIONS = (6, 9)


def prepare_new(
    rows: pa.Schema,
    wanted: Mapping[str, str],
    rule: RuleOptions,
    options: Options,
    write: WriteOptions,
    catalogue: Catalogue,
) -> Prepared:
    """The write, and the properties that its table will have.

    Args:
        rows: The columns of the rows.
        wanted: The properties that the options stand for.
        rule: The options that say what the rule is, in the words of the table's version.
        options: What was given.
        write: What is done with the rows, by options and mode.
        catalogue: Where plugins are looked up.

    Raises:
        OptionError, PluginError, SchemaError: what is wrong, named.
    """
    table, keys, payload = options[TableOptions], options[KeyOptions], options[RuleOptions].payload
    if not table.table_name:
        raise OptionError("a new table needs a name: give the option 'table_name'")
    version = table.table_version or DEFAULT_VERSION
    if version not in CREATED_VERSIONS:
        raise OptionError(
            f"table_version is {version}; tables of versions {', '.join(map(str, CREATED_VERSIONS))} can be created"
        )
    table_type = table.table_type or "COPY_ON_WRITE"
    config = key_config(wanted)
    keygen = resolve_keygen(keys, wanted, config, catalogue)
    spec = resolve_rule(rule, wanted, catalogue, config)
    buckets, bucket_by = resolve_buckets(wanted, [], config)
    extra = {key: value for key, value in wanted.items() if key.startswith("hoodoo.")}
    extra |= rule_properties(spec, version, catalogue, merged_by_readers=table_type == "MERGE_ON_READ")
    if payload and spec.family == "merger" and (legacy := payload_class(payload, catalogue)):
        extra["hoodie.table.legacy.payload.class"] = legacy
    extra |= keygen_properties(keygen, catalogue)
    if version < 8 and config.partition_columns != config.partition_by:
        extra[PARTITION_KINDS] = ",".join(config.partition_by)
    extra["hoodoo.index"] = index = wanted.get("hoodoo.index", defaults.INDEX)
    if buckets:
        extra["hoodoo.buckets"] = str(buckets)
    for key in ("slash.separated.date.partitioning", "keygenerator.consistent.logical.timestamp.enabled"):
        if f"hoodie.datasource.write.{key}" in wanted:
            extra[f"hoodie.datasource.write.{key}"] = wanted[f"hoodie.datasource.write.{key}"]
    schema = with_added(spec, stored_schema(rows))
    properties = new_table_properties(
        table.table_name,
        schema=schema,
        record_key=config.record_key,
        keygen_class=keygen_class(catalogue, keygen.name, config),
        partition_by=config.partition_columns if version < 8 else config.partition_by,
        ordering=spec.config.ordering,
        table_type=table_type,
        database=table.database or "default",
        hive_style=config.hive_style,
        url_encode=config.url_encode,
        version=version,
        timezone=table.timeline_timezone or "UTC",
        extra=extra,
    )
    return checked(
        rows,
        Prepared(
            properties=properties,
            schema=schema,
            keygen=keygen,
            keys=config,
            rule=spec,
            buckets=buckets,
            bucket_by=bucket_by,
            index=index,
            moves=options[IndexOptions].update_partition is not False,
            bloom=wanted_filter(options[BloomOptions], index),
            write=write,
            event_time=tracked_column(write, spec.config.ordering),
            files=options[FileOptions],
            concurrency=options[ConcurrencyOptions],
        ),
    )
