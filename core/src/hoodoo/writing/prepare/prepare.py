"""Checks and decisions of a write before any file is written."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
from attrs import evolve

from hoodoo.archived_timeline import load_timeline
from hoodoo.errors import CorruptTableError, NotATable, TableExists
from hoodoo.filegroup import FileSlice, file_slices
from hoodoo.format.base_files import read_base_file
from hoodoo.index.index_types import index_type
from hoodoo.index.log_keys import log_keys
from hoodoo.merge.required_columns import with_added
from hoodoo.options import (
    BloomOptions,
    ConcurrencyOptions,
    FileOptions,
    IndexOptions,
    KeyOptions,
    MetadataOptions,
    Options,
    Problems,
    StorageOptions,
    TableOptions,
    WriteOptions,
)
from hoodoo.options.groups import WRITE_GROUPS
from hoodoo.options.parsing.save_mode import save_mode
from hoodoo.plugin.base import BaseKeyGenerator
from hoodoo.plugin.declarations import LoneKey
from hoodoo.plugin.installed.catalogue import Catalogue
from hoodoo.properties import TableProperties, load_properties, property_keys
from hoodoo.properties.table_properties import PROPERTIES_FILE
from hoodoo.reading import table_schema
from hoodoo.reading.path_columns import with_path_columns
from hoodoo.reading.schema.stored_names import StoredNames, fixed_columns
from hoodoo.schema.column_ids import ColumnsChange
from hoodoo.schema.comments import KeepsComments, comments_of, with_comments
from hoodoo.schema.evolution import WidensColumns, changed_columns, evolved_schema
from hoodoo.schema.meta_columns import RECORD_KEY
from hoodoo.storage import Storage
from hoodoo.table_rules.keygen_choice import fitting_keys, resolve_keygen
from hoodoo.table_rules.missing_plugins import both, naming_writers
from hoodoo.table_rules.stored_keys import declared_keygen, key_config
from hoodoo.table_rules.writer_rule import requested_rule, resolve_rule
from hoodoo.timeline import Timeline, run_with_reloads
from hoodoo.timeline.timeline import TIMELINE_FOLDERS
from hoodoo.writing.data_files.event_time_range import tracked_column
from hoodoo.writing.prepare.bloom_choice import wanted_filter
from hoodoo.writing.prepare.bootstrap_checks import bootstrap_keys, check_first_commit
from hoodoo.writing.prepare.index_choice import check_hashing, resolve_index
from hoodoo.writing.prepare.layout_checks import columns_stored
from hoodoo.writing.prepare.new_table import Checks, first_encoding, prepare_new
from hoodoo.writing.prepare.operation_choice import chosen_operation, deleting, overwriting
from hoodoo.writing.prepare.partition_patterns import matching_partitions
from hoodoo.writing.prepare.prepared_write import Prepared
from hoodoo.writing.prepare.requested_properties import (
    check_same,
    check_writable,
    effective_properties,
    kinds_given,
    wanted_properties,
)
from hoodoo.writing.prepare.write_checks import check_columns, check_operation, check_slices, validate
from hoodoo.writing.stored_row_keys import HasStoredKeys
from hoodoo.writing.write_spec import FileSpec, KeySpec, OperationSpec, TableSpec

__all__ = ["GROUPS", "complex_encoding", "prepare"]

GROUPS: tuple[type, ...] = (*WRITE_GROUPS, StorageOptions)


def prepare(
    storage: Storage,
    rows: pa.Schema,
    options: Options,
    mode: str,
    catalogue: Catalogue,
    known: Timeline | None = None,
    problems: Problems | None = None,
) -> Prepared | None:
    """Check options, table, columns and plugins.

    Args:
        storage: The table's files.
        rows: The columns of the rows.
        options: The options of the user.
        mode: append, overwrite, errorifexists or ignore.
        catalogue: The catalogue to look plugins up in.
        known: A loaded timeline for the plan; by default the timeline is loaded here.
        problems: The collection of errors; by default the first one is raised.

    Returns:
        The write; None if mode `ignore` finds a table, or a collected error makes a plan impossible.

    Raises:
        OptionError, PluginError, SchemaError, TableError: An option, a plugin, a column or the table is invalid; the
        message names it. Nothing has been written.
    """
    problems = problems or Problems()
    with problems.caught():
        mode = save_mode(mode)
        if mode == "overwrite":
            overwriting(options[WriteOptions])
    with problems.caught():
        check_columns(rows)
    with problems.caught():
        return _prepared(storage, rows, options, mode, catalogue, known, problems)
    return None


def _prepared(
    storage: Storage,
    rows: pa.Schema,
    options: Options,
    mode: str,
    catalogue: Catalogue,
    known: Timeline | None,
    problems: Problems,
) -> Prepared | None:
    options = options.replaced(bootstrap_keys(options, catalogue))
    keys = fitting_keys(options[KeyOptions], catalogue)
    options = options.replaced(keys)
    stored = _stored(storage, mode, options[WriteOptions].operation)
    if stored is not None and mode == "ignore":
        return None
    # new versions of stored rows have the keys of these rows
    keeps, widens = options.contains(HasStoredKeys), options.contains(WidensColumns)
    change = options[ColumnsChange] if options.contains(ColumnsChange) else None
    write = chosen_operation(options, keyless=_is_keyless(keys, stored) and not keeps)
    keys_only = False
    if stored is not None:
        options, write, keys_only = deleting(options, write, stored, catalogue)
    with problems.caught():
        check_operation(write)
    is_bootstrap = options[WriteOptions].operation == "bootstrap"
    if mode == "overwrite" and not is_bootstrap:
        write = overwriting(write)
    rule = requested_rule(stored, options, catalogue)
    wanted = wanted_properties(options[TableOptions], keys, rule, options[IndexOptions])
    if stored is None:
        return prepare_new(storage, rows, wanted, rule, options, write, Checks(catalogue, problems))
    drops_metadata = options[MetadataOptions].metadata_table is False
    check_writable(stored, storage.uri)
    keygen_class = declared_keygen(stored, catalogue)
    kinds = kinds_given(wanted, stored, keygen_class)
    check_same(wanted, {**stored, **kinds})
    effective = effective_properties(wanted, stored)
    index = index_type(effective.get(property_keys.INDEX))
    # base files have filters for the index of the table, which may differ from the index of this write
    stored_index = index_type(stored.get(property_keys.INDEX, effective.get(property_keys.INDEX)))

    def planned(timeline: Timeline) -> Prepared:
        chosen = write
        if is_bootstrap and mode != "overwrite":
            check_first_commit(timeline, storage.uri, options[ConcurrencyOptions].write_id)
        elif is_bootstrap and timeline.commits:
            chosen = overwriting(write)
        operation = evolve(OperationSpec.of(chosen), keys_only=keys_only)
        slices = file_slices(storage, timeline)
        check_hashing(storage, stored, timeline, slices, operation.name)
        check_slices(stored, slices, operation, index)
        matching_partitions(chosen.partitions_to_delete or (), {s.partition for s in slices})
        encoding = first_encoding(keys, stored.version, has_meta=stored.populate_meta_fields)
        config = key_config({**stored, **kinds}, complex_encoding(storage, slices, stored, keygen_class, encoding))
        before = table_schema(timeline, stored)
        names = StoredNames.of(storage, timeline, slices, {*before.names, *rows.names})
        names.check(before.names, fixed_columns(stored), slices)
        if change is not None:
            before = changed_columns(before, change)
        before = with_path_columns(before, stored) if len(before) else before
        given = columns_stored(rows, config, stored)
        deletes = chosen.operation in ("delete", "delete_partition")
        schema = before if deletes else evolved_schema(given, before, widens=widens) if len(before) else given
        if not deletes and not options.contains(KeepsComments):
            schema = with_comments(schema, comments_of(given))
        deletes_anywhere = chosen.operation == "delete" and index.is_global
        with naming_writers(stored):
            merge_rule, keygen = both(
                lambda: resolve_rule(rule, effective, catalogue, config),
                lambda: resolve_keygen(keys, stored, config, catalogue, deletes_anywhere=deletes_anywhere),
            )
        bloom = wanted_filter(options[BloomOptions], stored_index.uses_bloom, stored)
        prepared = Prepared(
            table=TableSpec.of(storage, stored, with_added(merge_rule, schema), names),
            keys=KeySpec(keygen, config, chosen.allow_key_collisions, keeps),
            rule=merge_rule,
            index=resolve_index(effective, slices, config, options[IndexOptions]),
            operation=operation,
            files=FileSpec(options[FileOptions], bloom, tracked_column(chosen, merge_rule.config.ordering)),
            properties=stored,
            options=chosen,
            concurrency=options[ConcurrencyOptions],
            drops_metadata=drops_metadata,
            timeline=timeline,
            slices=slices,
            change=change,
        )
        validate(rows, prepared, problems)
        return prepared

    if known is not None:
        return planned(known)
    # until the instant of the write is on the timeline, a cleaner may remove files of the plan
    return run_with_reloads(load_timeline(storage, stored), planned)


def _stored(storage: Storage, mode: str, operation: str) -> TableProperties | None:
    try:
        stored = load_properties(storage)
    except NotATable as error:
        if storage.exists(TIMELINE_FOLDERS[2]) or Timeline.load(storage).instants:
            raise CorruptTableError(
                f"'{storage.uri}' has a timeline and no '{PROPERTIES_FILE}'; "
                "restore that file, or write to another path",
                file=PROPERTIES_FILE,
            ) from error
        if operation in ("delete", "delete_partition"):
            raise
        return None
    if mode == "errorifexists":
        raise TableExists(f"a table exists at '{storage.uri}' already; use mode 'append' to write to it")
    return stored


def complex_encoding(
    storage: Storage,
    slices: list[FileSlice],
    stored: TableProperties,
    keygen: type[BaseKeyGenerator] | None,
    without_rows: str = "field",
) -> str:
    """Return the form of a composite key of one field, `field` or `value`, as in a stored key: releases of Hudi differ.

    It is `field` if the form does not depend on the release, or if the table stores no keys.

    Args:
        storage: The table's files.
        slices: The file slices.
        stored: The properties of the table.
        keygen: The class of the key generator; None if it is unknown.
        without_rows: The form for a table that stores keys and has no rows yet.
    """
    fields = [name for name in stored.get(property_keys.RECORD_KEY_FIELDS, "").split(",") if name]
    if len(fields) != 1 or keygen is None or keygen.lone_key is not LoneKey.BY_RELEASE:
        return "field"
    if not stored.populate_meta_fields:
        # a reader makes the keys in this form
        return "field"
    key = next(_stored_keys(storage, slices), None)
    if key is None:
        return without_rows
    return "field" if key.startswith(f"{fields[0]}:") else "value"


def _stored_keys(storage: Storage, slices: list[FileSlice]) -> Iterator[str]:
    """Yield a record key of each base file, then of each log block, because a table may have only logs."""
    for path in (s.path for s in slices if s.path is not None):
        for batch in read_base_file(storage, path, pa.schema([(RECORD_KEY, pa.string())]), batch_rows=1):
            if batch.num_rows:
                yield batch.column(RECORD_KEY)[0].as_py() or ""
                break
    for log in (log for s in slices for log in s.logs):
        yield from (keys[0].as_py() or "" for keys in log_keys(storage, log.path) if len(keys))


def _is_keyless(keys: KeyOptions, stored: TableProperties | None) -> bool:
    """Return whether the table, or the one that the options create, has no record key columns."""
    return not (keys.record_key if stored is None else stored.get(property_keys.RECORD_KEY_FIELDS))
