"""All that can be known and refused before anything is written."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import pyarrow as pa
from attrs import evolve, frozen

from hoodoo.errors import CorruptTableError, NotATable, OptionError, SchemaError, TableExists, UnsupportedTable
from hoodoo.filegroup import FileSlice, file_slices
from hoodoo.format.bloom import BloomShape
from hoodoo.format.parquet import read_base_file
from hoodoo.index.bucket import bucket_of
from hoodoo.merge.guard import GuardedKeyGenerator
from hoodoo.merge.spec import RuleSpec
from hoodoo.options import (
    BloomOptions,
    CompactionOptions,
    FileOptions,
    IndexOptions,
    KeyOptions,
    RuleOptions,
    TableOptions,
    WriteOptions,
    parse,
)
from hoodoo.plugin.catalog import Catalogue, PluginSpec
from hoodoo.properties import TableProperties, load_properties, load_timeline, new_table_properties
from hoodoo.properties.table import PROPERTIES_FILE
from hoodoo.reading import table_schema
from hoodoo.reading.stored_keys import key_config
from hoodoo.reading.stored_rule import rule_properties
from hoodoo.record import KeyConfig, check_orderable
from hoodoo.schema.avro import stored_schema
from hoodoo.schema.columns import field_at
from hoodoo.schema.fit import fit
from hoodoo.schema.meta import META_COLUMNS, RECORD_KEY
from hoodoo.storage import Storage
from hoodoo.timeline import Timeline
from hoodoo.writing.filters import wanted_filter
from hoodoo.writing.keygen import hudi_class, keygen_properties, resolve_keygen
from hoodoo.writing.partitions import matching_partitions
from hoodoo.writing.properties import check_same, check_writable, effective_properties, wanted_properties
from hoodoo.writing.rules import resolve_rule

__all__ = ["GROUPS", "Prepared", "prepare"]

MODES = ("append", "overwrite", "errorifexists", "error", "ignore")
DEFAULT_BUCKETS = 4
_LOW_BUCKET = re.compile(r"000\d{5}-")
GROUPS = (
    TableOptions,
    KeyOptions,
    RuleOptions,
    WriteOptions,
    IndexOptions,
    BloomOptions,
    FileOptions,
    CompactionOptions,
)


@frozen
class Prepared:
    """A write that has passed every check that needs no rows.

    Attributes:
        properties: What the table stores, or what it will store once it is created.
        exists: Whether the table exists.
        schema: The table's data columns after the write.
        keygen: The key generator.
        keys: What it is told.
        rule: The merge rule.
        buckets: Number of buckets, 0 without a bucket index.
        bucket_by: Hashed columns of a bucket index.
        index: `simple`, `bloom` or `bucket`, of this write.
        bloom: The filter that new base files get; None for none.
        write: Operation and arrival.
        files: Sizes and encoding.
    """

    properties: Mapping[str, str]
    exists: bool
    schema: pa.Schema
    keygen: PluginSpec
    keys: KeyConfig
    rule: RuleSpec
    buckets: int
    bucket_by: tuple[str, ...]
    index: str
    bloom: BloomShape | None
    write: WriteOptions
    files: FileOptions

    @property
    def dup_policy(self) -> str:
        """What an insert does with keys that are stored."""
        return "drop" if self.write.drop_duplicates else self.write.dup_policy or "none"

    @property
    def appends(self) -> bool:
        """Whether changes go to logs."""
        return self.properties["hoodie.table.type"] == "MERGE_ON_READ"

    @property
    def table_name(self) -> str:
        """The table's name."""
        return self.properties["hoodie.table.name"]


def prepare(
    storage: Storage, rows: pa.Schema, given: Mapping[str, Any], mode: str, catalogue: Catalogue
) -> Prepared | None:
    """Check options, table, columns and plugins; None where mode `ignore` finds a table.

    Raises:
        OptionError, PluginError, SchemaError, TableError: what is wrong, named; nothing has been written.
    """
    table, keys, rule, write, index, bloom, files, _ = parse(given, GROUPS)
    if mode not in MODES:
        raise OptionError(f"mode is {mode!r}; it takes {', '.join(MODES)}")
    if mode == "overwrite":
        write = _overwriting(write)
    stored = _stored(storage, mode, write.operation)
    if stored is not None and mode == "ignore":
        return None
    _check_columns(rows)
    _check_operation(write)
    wanted = wanted_properties(table, keys, rule, index)
    if stored is None:
        return _new(rows, wanted, table, keys, rule, write, bloom, files, catalogue)
    check_writable(stored, storage.uri)
    check_same(wanted, stored)
    effective = effective_properties(wanted, stored)
    timeline = load_timeline(storage, stored)
    slices = file_slices(storage, timeline)
    _check_slices(stored, slices, "drop" if write.drop_duplicates else write.dup_policy or "none")
    matching_partitions(write.partitions_to_delete or (), {s.partition for s in slices})
    config = key_config(stored, _complex_encoding(storage, slices, stored))
    buckets, bucket_by = _index(effective, slices, config)
    before = table_schema(timeline, stored)
    schema = before if write.operation in ("delete", "delete_partition") else fit(rows, before) if len(before) else rows
    return _checked(
        rows,
        Prepared(
            properties=stored,
            exists=True,
            schema=schema,
            keygen=resolve_keygen(keys, stored, config, catalogue),
            keys=config,
            rule=resolve_rule(rule, effective, catalogue, config),
            buckets=buckets,
            bucket_by=bucket_by,
            index=effective.get("hoodoo.index", "simple"),
            bloom=wanted_filter(bloom, stored.get("hoodoo.index", effective.get("hoodoo.index", "simple"))),
            write=write,
            files=files,
        ),
    )


def _overwriting(write: WriteOptions) -> WriteOptions:
    """Mode overwrite: the rows take the place of all that is stored, in a commit of the same table."""
    if write.operation not in ("upsert", "insert", "bulk_insert", "insert_overwrite_table"):
        raise OptionError(f"mode 'overwrite' replaces the whole table, and operation is '{write.operation}'; append")
    combines = write.combine_before_insert or write.operation == "upsert"
    return evolve(write, operation="insert_overwrite_table", combine_before_insert=combines)


def _check_operation(write: WriteOptions) -> None:
    """Refuse options that belong to another operation, or contradict each other."""
    if write.drop_duplicates and write.dup_policy not in (None, "drop"):
        raise OptionError(
            f"'drop_duplicates' is true and 'dup_policy' is {write.dup_policy}; leave one of them out",
            code="contradiction",
        )
    if (write.drop_duplicates or write.dup_policy not in (None, "none")) and write.operation != "insert":
        raise OptionError(
            f"'dup_policy' and 'drop_duplicates' belong to operation insert, and operation is '{write.operation}'",
            code="contradiction",
        )
    if write.partitions_to_delete is not None and write.operation != "delete_partition":
        raise OptionError(
            f"'partitions_to_delete' belongs to operation delete_partition, and operation is '{write.operation}'",
            code="contradiction",
        )


def _stored(storage: Storage, mode: str, operation: str) -> TableProperties | None:
    try:
        stored = load_properties(storage)
    except NotATable as error:
        if Timeline.load(storage).instants:
            raise CorruptTableError(
                f"'{storage.uri}' has a timeline and no '{PROPERTIES_FILE}'; "
                "restore that file, or write to another path",
                file=PROPERTIES_FILE,
            ) from error
        if operation in ("delete", "delete_partition"):
            raise
        return None
    if mode in ("errorifexists", "error"):
        raise TableExists(f"there is a table at '{storage.uri}' already; use mode 'append' to write to it")
    return stored


def _new(
    rows: pa.Schema,
    wanted: Mapping[str, str],
    table: TableOptions,
    keys: KeyOptions,
    rule: RuleOptions,
    write: WriteOptions,
    bloom: BloomOptions,
    files: FileOptions,
    catalogue: Catalogue,
) -> Prepared:
    if not table.table_name:
        raise OptionError("a new table needs a name: give the option 'table_name'")
    if not keys.record_key:
        raise OptionError("a new table needs a key: give the option 'record_key'")
    if table.table_version not in (None, 6):
        raise OptionError(f"table_version is {table.table_version}; tables of version 6 can be created")
    table_type = table.table_type or "COPY_ON_WRITE"
    config = key_config(wanted)
    keygen = resolve_keygen(keys, wanted, config, catalogue)
    spec = resolve_rule(rule, wanted, catalogue, config)
    buckets, bucket_by = _index(wanted, [], config)
    extra = {key: value for key, value in wanted.items() if key.startswith(("hoodie.payload.", "hoodoo."))}
    extra |= rule_properties(
        spec.family,
        spec.plugin.name,
        spec.plugin.version,
        spec.plugin.digest,
        spec.config.options,
        hudi_class(catalogue, spec.family, spec.plugin.name),
        merged_by_readers=table_type == "MERGE_ON_READ",
    )
    extra |= keygen_properties(keygen, catalogue)
    extra["hoodoo.index"] = index = wanted.get("hoodoo.index", "simple")
    extra["hoodoo.delete_rule"] = ",".join(rule_.name for rule_ in spec.delete_rules)
    if spec.family == "payload":
        extra["hoodoo.compat"] = spec.config.compat
    if buckets:
        extra["hoodoo.buckets"] = str(buckets)
    for key in ("slash.separated.date.partitioning", "keygenerator.consistent.logical.timestamp.enabled"):
        if f"hoodie.datasource.write.{key}" in wanted:
            extra[f"hoodie.datasource.write.{key}"] = wanted[f"hoodie.datasource.write.{key}"]
    schema = stored_schema(rows)
    properties = new_table_properties(
        table.table_name,
        schema=schema,
        record_key=config.record_key,
        keygen_class=hudi_class(catalogue, "keygen", keygen.name) or keygen.name,
        partition_by=config.partition_by,
        ordering=spec.config.ordering,
        table_type=table_type,
        database=table.database or "default",
        hive_style=config.hive_style,
        url_encode=config.url_encode,
        extra=extra,
    )
    return _checked(
        rows,
        Prepared(
            properties=properties,
            exists=False,
            schema=schema,
            keygen=keygen,
            keys=config,
            rule=spec,
            buckets=buckets,
            bucket_by=bucket_by,
            index=index,
            bloom=wanted_filter(bloom, index),
            write=write,
            files=files,
        ),
    )


def _index(properties: Mapping[str, str], slices: list[FileSlice], keys: KeyConfig) -> tuple[int, tuple[str, ...]]:
    """Number of buckets (0: no bucket index) and hashed columns, as the table has them."""
    index = properties.get("hoodoo.index", "simple")
    if index != "bucket":
        for option in ("buckets", "bucket_by"):
            if f"hoodoo.{option}" in properties:
                raise OptionError(
                    f"'{option}' is given and the index is {index}; give 'index' = 'bucket', or leave it out"
                )
        if slices and all(_LOW_BUCKET.match(s.file_id) for s in slices):
            raise OptionError(
                "the table's file groups are numbered buckets and it does not store how many there are; "
                "give 'index' = 'bucket' and 'buckets'"
            )
        return 0, ()
    buckets = int(properties.get("hoodoo.buckets", DEFAULT_BUCKETS))
    for file_slice in slices:
        if not file_slice.file_id[:8].isdigit() or bucket_of(file_slice.file_id) >= buckets:
            raise OptionError(
                f"a bucket index of {buckets} buckets does not fit the table: file group '{file_slice.file_id}' in "
                f"partition '{file_slice.partition}' is no bucket of it",
                code="contradiction",
            )
    by = tuple(name for name in properties.get("hoodoo.bucket_by", "").split(",") if name)
    unknown = [name for name in by if name not in keys.record_key]
    if unknown:
        raise OptionError(f"'bucket_by' names {', '.join(unknown)}; it takes columns of the record key only")
    return buckets, by


def _complex_encoding(storage: Storage, slices: list[FileSlice], stored: Mapping[str, str]) -> str:
    """How the table writes a complex key of one field: releases differ, so a stored key is looked at."""
    fields = [name for name in stored.get("hoodie.table.recordkey.fields", "").split(",") if name]
    generator = stored.get("hoodie.table.keygenerator.class", "") + stored.get("hoodoo.keygen", "")
    if len(fields) != 1 or "complex" not in generator.lower():
        return "field"
    for path in (s.path for s in slices if s.path is not None):
        for batch in read_base_file(storage, path, pa.schema([(RECORD_KEY, pa.string())]), batch_rows=1):
            if batch.num_rows:
                key = batch.column(RECORD_KEY)[0].as_py() or ""
                return "field" if key.startswith(f"{fields[0]}:") else "value"
    return "field"


def _check_slices(stored: TableProperties, slices: list[FileSlice], policy: str) -> None:
    """Refuse slices that this writer would lose something of."""
    for file_slice in slices:
        if stored.table_type == "COPY_ON_WRITE" and file_slice.logs:
            raise UnsupportedTable(
                f"'{file_slice.logs[0].path}' is a log file in a COPY_ON_WRITE table; nothing can be written to it",
                code="log_file",
            )
        if file_slice.logs and policy != "none":
            raise OptionError(
                f"'dup_policy' is {policy} and '{file_slice.logs[0].path}' is a log file, whose keys an insert does "
                "not look up; compact the table first"
            )
        if file_slice.path is None and stored.get("hoodoo.index") != "bucket":
            raise UnsupportedTable(
                f"file group '{file_slice.file_id}' of partition '{file_slice.partition}' has logs and no base file; "
                "keys are looked up in base files: write with index='bucket', or compact the table first",
                code="log_only",
            )


def _check_columns(rows: pa.Schema) -> None:
    lower: dict[str, str] = {}
    for name in rows.names:
        if name.lower() in lower:
            raise SchemaError(
                f"columns '{lower[name.lower()]}' and '{name}' differ by case only, or not at all; rename one of them",
                code="column_name",
            )
        if name.lower() in META_COLUMNS or name.startswith("__hoodoo_"):
            raise SchemaError(f"column '{name}' has a reserved name; rename it", code="column_name")
        lower[name.lower()] = name
    stored_schema(rows)  # raises where the table's Avro schema could not state a name or type


def _checked(rows: pa.Schema, prepared: Prepared) -> Prepared:
    """Every column that an option names exists, and ordering columns can be ordered."""
    keys, config = prepared.keys, prepared.rule.config
    delete = prepared.write.operation in ("delete", "delete_partition")
    needed = {"record_key": keys.record_key, "partition_by": tuple(n.partition(":")[0] for n in keys.partition_by)}
    if not delete:
        needed["ordering"] = config.ordering
        needed["payload_ordering"] = prepared.rule.payload_ordering
    for option, names in needed.items():
        for name in names:
            if field_at(rows, name) is None:
                raise SchemaError(
                    f"the rows have no column '{name}', which '{option}' names; they have {', '.join(rows.names)}",
                    code="column_missing",
                )
    for name in {*config.ordering, *prepared.rule.payload_ordering}:
        field = field_at(rows, name) or field_at(prepared.schema, name)
        if field is not None:
            check_orderable(name, field.type)
    if config.delete.field is not None and not delete and field_at(prepared.schema, config.delete.field) is None:
        raise SchemaError(
            f"there is no column '{config.delete.field}', which 'delete_field' names; "
            f"there are {', '.join(prepared.schema.names)}",
            code="column_missing",
        )
    arrival = prepared.write.arrival
    if arrival not in ("position", "content") and field_at(rows, arrival) is None:
        raise SchemaError(
            f"the rows have no column '{arrival}', which 'arrival' names; it takes position, content or a column",
            code="column_missing",
        )
    # the rule, key generator and delete rules are made once here, so that their options are checked before any row
    prepared.rule.make_rule()
    prepared.rule.make_judge()
    generator = GuardedKeyGenerator(prepared.keygen.resolve(), prepared.keygen.label)
    nothing = rows.empty_table()
    generator.record_keys(nothing, keys)
    generator.partition_paths(nothing, keys)
    return prepared
