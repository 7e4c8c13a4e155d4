"""Specification of a write: table, keys, rule, index, operation and data files."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cached_property
from typing import Any

import pyarrow as pa
from attrs import evolve, field, frozen

from hoodoo.format.bloom import BloomShape
from hoodoo.index.index_types import AnyIndex
from hoodoo.index.key_source import META_KEYS, KeySource
from hoodoo.keys import ARRIVAL
from hoodoo.merge.kept_deletes import KeptDeletes, kept_deletes
from hoodoo.merge.plugin_checks import GuardedKeyGenerator
from hoodoo.merge.required_columns import roots_of
from hoodoo.merge.rule_spec import RuleSpec
from hoodoo.options import FileOptions, WriteOptions
from hoodoo.plugin.installed.catalogue import PluginSpec
from hoodoo.properties import TableProperties
from hoodoo.reading.path_columns import PathColumns
from hoodoo.reading.schema.stored_names import StoredNames
from hoodoo.record import KeyConfig
from hoodoo.schema.avro_encode import to_avro
from hoodoo.storage import Storage, storage_for
from hoodoo.writing.stored_row_keys import STORED_KEY, STORED_PATH, StoredRowKeys

__all__ = ["FileSpec", "KeySpec", "OperationSpec", "StatementSpec", "TableSpec", "WriteSpec"]

_REPLACING = ("insert_overwrite", "insert_overwrite_table", "delete_partition")
_OVERWRITING = ("insert_overwrite", "insert_overwrite_table")


@frozen
class TableSpec:
    """Table of a write.

    Attributes:
        uri: Location of the table.
        name: Name of the table, which is part of the Avro schema.
        schema: The data columns after the write, without meta columns, and with columns that the files lack.
        appends: Whether changes of stored file slices go to log files: the table is merge-on-read.
        layout: Layout of the timeline, which determines the names of log files.
        storage_options: Options of the store. They may contain secrets.
        path_columns: The partition columns that the files lack: readers take them from the partition path.
        fills_meta: Whether the meta columns are filled; otherwise readers make the record keys from the key columns.
        names: The names of columns in older files.
    """

    uri: str
    name: str
    schema: pa.Schema
    appends: bool = False
    layout: int = 1
    storage_options: Mapping[str, Any] = field(factory=dict, repr=False)
    fills_meta: bool = True
    path_columns: PathColumns = PathColumns()
    names: StoredNames = StoredNames()

    @classmethod
    def of(
        cls,
        storage: Storage,
        properties: TableProperties,
        schema: pa.Schema,
        names: StoredNames = StoredNames(),  # noqa: B008 - a frozen value
    ) -> TableSpec:
        """Return the table with the given properties and with the data columns after the write."""
        return cls(
            storage.uri,
            properties.name,
            schema,
            properties.table_type == "MERGE_ON_READ",
            properties.layout_version,
            storage.options,
            properties.populate_meta_fields,
            PathColumns.of(properties),
            names,
        )

    def open_storage(self) -> Storage:
        """Open the store of the table."""
        return storage_for(self.uri, self.storage_options)

    @cached_property
    def file_schema(self) -> pa.Schema:
        """Return the data columns that base files have."""
        if not self.path_columns.names:
            return self.schema
        return pa.schema([field for field in self.schema if field.name not in self.path_columns.names])

    @cached_property
    def avro_schema(self) -> str:
        """Return the data columns of base files as an Avro schema in JSON."""
        return to_avro(self.file_schema, self.name)

    @cached_property
    def log_schema(self) -> str:
        """Return all data columns as an Avro schema in JSON, for logs.

        Logs contain all columns, as in Hudi, because Hudi 0.15.0 does not read values from partition paths.
        """
        return to_avro(self.schema, self.name)

    def without(self, names: Collection[str]) -> TableSpec:
        """Return the table without the named columns."""
        return evolve(self, schema=pa.schema([field for field in self.schema if field.name not in names]))


@frozen
class KeySpec:
    """Record keys and partition paths.

    Attributes:
        keygen: The key generator.
        config: The configuration of the key generator.
        may_collide: Whether different values may share a record key or a partition path.
        keeps: Whether rows may have the key of a stored row, see `hoodoo.writing.stored_row_keys`.
    """

    keygen: PluginSpec
    config: KeyConfig
    may_collide: bool = False
    keeps: bool = False

    def make_generator(self) -> GuardedKeyGenerator:
        """Return the key generator, as it is installed in this process, with checks of its results."""
        made = GuardedKeyGenerator(self.keygen.resolve(), self.keygen.label)
        return evolve(made, generator=StoredRowKeys(made.generator)) if self.keeps else made

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the names of the columns from which keys and partition paths are made."""
        named = (*self.config.record_key, *self.config.partition_columns)
        if self.keeps:
            return (*named, STORED_KEY, STORED_PATH, ARRIVAL)
        return (*named, ARRIVAL) if self.make_generator().generates_keys else named


@frozen
class StatementSpec:
    """Clauses of a statement. Each row has the number of its clause, from 1, in the column `CLAUSE`.

    Rows that cannot be written have a negative number: -n for clause n if it would move the row to another partition,
    and -n minus the number of clauses if it would insert a row whose key is stored.

    If it is unknown before the merge whether the key of a row is stored, the row has two numbers: `CLAUSE` for a stored
    key, and `CLAUSE_IF_NEW` for a new key. 0 stands for no clause. `CLAUSE` is negative if a join is required.

    Attributes:
        actions: `update`, `delete` or `insert` of each clause.
        texts: The clauses, for messages.
        combines: Whether several rows of one key are merged by ordering values; otherwise they are an error.
        keeps_keys: Whether rows have the generated key of the stored row that they change.
        lacking: The columns that rows of updates do not have, because these columns keep their stored values. A
            log gets partial records.
        compared: The columns of the stored rows that tasks of a merge-on-read table read and the rule compares, if rows
            have two numbers; None if the tasks read no stored rows for this.
    """

    actions: tuple[str, ...]
    texts: tuple[str, ...]
    combines: bool = True
    keeps_keys: bool = False
    lacking: tuple[str, ...] = ()
    compared: tuple[str, ...] | None = None


@frozen
class OperationSpec:
    """Operation of a write.

    Attributes:
        name: The value of the option `operation`, or the operation that the mode requires.
        combines: Whether incoming rows of one key are merged before they are inserted.
        dup_policy: Action of an insert for keys that are already stored: none, drop or fail.
        refuses_repeats: Whether two incoming rows of one key are an error.
        keys_only: Whether a delete uses only the keys of its rows, and no ordering values.
        statement: The statement that produced the rows; None for rows of a user.
    """

    name: str
    combines: bool = False
    dup_policy: str = "none"
    refuses_repeats: bool = False
    keys_only: bool = False
    statement: StatementSpec | None = None

    @classmethod
    def of(cls, options: WriteOptions) -> OperationSpec:
        """Return the operation according to the options of a write."""
        dup_policy = "drop" if options.drop_duplicates else options.dup_policy or "none"
        refuses_repeats = options.operation == "upsert" and not options.combine_before_upsert
        return cls(options.operation, options.combine_before_insert, dup_policy, refuses_repeats)

    @property
    def merges(self) -> bool:
        """Return whether rows of one key are merged with each other and with the stored row."""
        return self.name in ("upsert", "delete")

    @property
    def looks_up(self) -> bool:
        """Return whether the result depends on the keys that are stored."""
        return self.merges or self.dup_policy != "none"

    @property
    def replaces(self) -> bool:
        """Return whether the commit removes file groups from the table."""
        return self.name in _REPLACING

    @property
    def overwrites(self) -> bool:
        """Return whether the rows replace all stored rows of partitions or of the table."""
        return self.name in _OVERWRITING


@frozen
class FileSpec:
    """Settings of the data files that are created.

    Attributes:
        options: Sizes and encoding.
        bloom: The bloom filter of base files; None if they have none.
        event_time: The column whose range of values is recorded for each file; "" for none.
    """

    options: FileOptions = FileOptions()
    bloom: BloomShape | None = None
    event_time: str = ""


@frozen
class WriteSpec:
    """Specification of a write for the driver and its tasks.

    Attributes:
        table: The table, with its data columns after the write.
        keys: The key generator of record keys and partition paths.
        rule: The merge rule, with its options and the delete rules.
        index: The index that looks up incoming keys.
        operation: The operation, and its treatment of rows with equal keys.
        files: The settings of the data files that are created.
    """

    table: TableSpec
    keys: KeySpec
    rule: RuleSpec
    index: AnyIndex
    operation: OperationSpec
    files: FileSpec

    @cached_property
    def kept_deletes(self) -> KeptDeletes | None:
        """Return the form in which logs keep deletes with columns; None if the rule reads no columns of deletes."""
        return kept_deletes(self.rule, self.table.schema)

    @cached_property
    def stored_keys(self) -> KeySource:
        """Return the source of the record keys of stored rows: the meta column if filled, or else the key generator."""
        if self.table.fills_meta:
            return META_KEYS
        generator, config = self.keys.make_generator(), self.keys.config
        columns = roots_of(config.record_key, self.table.schema)
        return KeySource(
            pa.schema([field for field in self.table.schema if field.name in columns]),
            lambda rows: generator.record_keys(rows, config),
        )

    @property
    def spans_partitions(self) -> bool:
        """Return whether rows of one key are compared across partitions, with each other or with the stored row."""
        return self.index.is_global and (self.operation.looks_up or self.operation.combines)

    @property
    def groups_by_value(self) -> bool:
        """Return whether rows can be shuffled by the values of their partition columns, without their paths."""
        if self.operation.name != "bulk_insert" or self.operation.combines or self.index.uses_buckets:
            return False
        return bool(getattr(self.keys.keygen.resolve(), "path_per_value", False))
