"""What a plugin class must look like, one Protocol per family.

A plugin class is an attrs class whose fields are its options; the core makes one instance per write or read.
Arrays in, arrays out: row i of every argument belongs to one key.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Protocol, runtime_checkable
from urllib.parse import unquote

import numpy as np
import pyarrow as pa
from attrs import frozen
from numpy.typing import NDArray

from hoodoo.record import BufferedRecord, DeleteContext, KeyConfig, Law, MergerConfig, Outcome, RecordContext, Records
from hoodoo.storage import Storage

__all__ = [
    "AggregateFunction",
    "DeleteRule",
    "HeldLock",
    "KeyGenerator",
    "LockProvider",
    "LockTarget",
    "Payload",
    "RecordMerger",
    "RowMerger",
    "RowPayload",
]


@runtime_checkable
class RecordMerger(Protocol):
    """One rule for batch, log and storage alike (RFC HUDI-9798).

    A merger may also have `insert(newer, context, config) -> Outcome`, asked where no version is stored:
    TAKE writes the record (the default for all), KEEP ignores it, DELETE writes nothing.

    And it may have `needs(schema, config) -> Iterable[str]`: the columns beside the ordering columns that it uses.
    A read of some columns of a table adds them where logs have to be merged; a rule without it is given whole rows.
    A payload may have it as well.

    And `whole_versions = True`, a payload too, where it changes no column: what is left of two versions is one of them,
    or none. Columns that it does not need are then not read of rows that meet a log; an answer with a patch is a fault.

    And `prepare(newer, config) -> Mapping[str, pa.Array]`: columns of incoming records in which a value becomes another
    before it meets any version, once for each record that a write brings.

    And `check(schema, config)`, which raises `SchemaError` or `OptionError` for a table whose columns are not what the
    rule is made for; a payload may have it as well. It is called when a write is planned, before anything is written.

    And `adds(schema, config) -> Iterable[pa.Field]`: columns that it keeps in the table beside those of the rows. A
    write gives the table those that it does not have yet; rows may come without them.

    Either may have `reasons`, a mapping from small integers to sentences, and fill `Outcome.reason` with them where
    `context.explaining` is true: they are what an explanation of a record shows.

    And either may have `uses`, pairs of family and name: the plugins that its options select, and those that these use.
    An executor is told their distributions and versions, and refuses to run where it has others.
    """

    @property
    def laws(self) -> frozenset[Law]:
        """The laws that the rule claims; a plain class attribute will do."""
        ...

    def merge(self, older: Records, newer: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        """Decide for each pair. `older` and `newer` mean arrival, never ordering value. Must not change its input."""
        ...


class RowMerger:
    """Base of a merger that is written one record at a time; the core calls it for keys that have both versions.

    A decision costs roughly a hundred times what it costs a vectorised merger. Return one of the arguments as it is,
    `newer.with_data(column=value)`, or `newer.as_delete()`; each with `.because(code)` to give one of its `reasons`.
    """

    laws: frozenset[Law] = frozenset()
    reasons: Mapping[int, str] = MappingProxyType({})

    def merge(
        self, older: BufferedRecord, newer: BufferedRecord, context: RecordContext, config: MergerConfig
    ) -> BufferedRecord:
        """The surviving record of two versions of one key."""
        raise NotImplementedError


class RowPayload:
    """Base of a payload that is written one record at a time. None means: ignore the incoming record."""

    laws: frozenset[Law] = frozenset()
    reasons: Mapping[int, str] = MappingProxyType({})

    def pre_combine(
        self, older: BufferedRecord, newer: BufferedRecord, context: RecordContext, config: MergerConfig
    ) -> BufferedRecord:
        """The survivor of two records of one batch."""
        raise NotImplementedError

    def combine_and_get_update_value(
        self, stored: BufferedRecord, incoming: BufferedRecord, context: RecordContext, config: MergerConfig
    ) -> BufferedRecord | None:
        """What the incoming record makes of the stored one."""
        raise NotImplementedError

    def get_insert_value(
        self, incoming: BufferedRecord, context: RecordContext, config: MergerConfig
    ) -> BufferedRecord | None:
        """What is written for a key that is not stored yet."""
        return incoming


@runtime_checkable
class Payload(Protocol):
    """The older contract: batch and storage are told apart."""

    @property
    def laws(self) -> frozenset[Law]:
        """The laws that the rule claims; a plain class attribute will do."""
        ...

    def pre_combine(self, older: Records, newer: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        """Two records of one batch."""
        ...

    def combine_and_get_update_value(
        self, stored: Records, incoming: Records, context: RecordContext, config: MergerConfig
    ) -> Outcome:
        """The incoming record against the stored one. KEEP ignores the incoming record: the stored row is untouched."""
        ...

    def get_insert_value(self, incoming: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        """A key that is not stored yet. KEEP ignores the record; a DELETE writes nothing."""
        ...


@runtime_checkable
class KeyGenerator(Protocol):
    """Record keys and partition paths of incoming rows.

    A key generator is asked for the keys of a row several times, in different tasks, among other rows, and again where
    a task fails: its answer must depend on the row alone. One that makes keys for rows that have none says so by the
    attribute `generates_keys = True`: it takes no record key columns, its rows have the column `hoodoo.keys.ARRIVAL`,
    which says where they stood in the input, and `config` has the instant and a random seed of the write. Its tables
    take inserts, and no upserts or deletes by key.

    A generator may also have `path_per_value`, a bool: rows whose partition columns are equal share a path, and others
    do not, but for nulls and empty values. A bulk insert then groups rows by these columns, without asking it first.

    And it may have `key_qualifiers(rows, config)` and `path_qualifiers(rows, config)`, if it can make one key, or one
    path, of values that should have two. They return one string per row, null where a row needs none, or None where no
    row does: rows of equal keys are rows of equal values where their qualifiers are equal too, a null among them. A
    write that brings other values under a key or path is then refused. Without these methods such rows are one record,
    or share a folder. `hoodoo.keys` has those of the built-in generators; see docs/key-generators.md.
    """

    def record_keys(self, rows: pa.Table, config: KeyConfig) -> pa.Array:
        """Record keys (string, one per row). Raise `DataError` with code `key_null_or_empty` where one has none."""
        ...

    def partition_paths(self, rows: pa.Table, config: KeyConfig) -> pa.Array:
        """Table-relative partition paths (string, one per row; "" in a table without partitions)."""
        ...


@runtime_checkable
class DeleteRule(Protocol):
    """Which incoming rows are deletes.

    A rule may also have `needs(schema, context) -> Iterable[str]`: the columns that it looks at, which a read of some
    columns adds where logs have to be merged. A rule without it is given whole rows.

    And it may have `drops(rows, deletes, context)`: which rows are left out as if they had not come, one boolean per
    row; `deletes` are those that are deletes by any rule of the table. And `check(schema, context)`, which raises
    `SchemaError` for a table whose columns are not what the rule is made for; it is called before anything is written.
    """

    def is_delete(self, rows: pa.Table, context: DeleteContext) -> NDArray[np.bool_]:
        """One boolean per row."""
        ...


class AggregateFunction(Protocol):
    """A function that merges two values of a column, for the mergers `aggregate` and `sequence-group`.

    Arrays in, an array of the same type and length out. A value may be null on either side. A result that the column
    cannot hold is an `OverflowError`: the merger raises a `DataError` with code `overflow` that names the column.

    A function may also have `retract(older, newer)`: the older value without the newer one, which a delete carries;
    what is taken back from null leaves what a later value is added to. Without it such deletes are refused, unless the
    column has `ignore_retract`. `laws_of_retraction` are those of `laws` that hold with such deletes among the
    versions; a function that has `retract` and not these is taken to have none.

    And it may have `prepare(values)`: what incoming values become before they meet any, such as ones to be counted.
    """

    @property
    def laws(self) -> frozenset[Law]:
        """The laws that the function claims for live values; a plain class attribute will do."""
        ...

    @property
    def takes(self) -> str:
        """What `accepts` accepts, in words: a message says "'sum' takes a number"."""
        ...

    def accepts(self, type_: pa.DataType) -> bool:
        """Whether the function works on columns of the type."""
        ...

    def add(self, older: pa.Array, newer: pa.Array) -> pa.Array:
        """Both values as one. `older` and `newer` mean arrival, or the sequence where there is one."""
        ...


@frozen
class LockTarget:
    """The table that a lock provider locks, and the writer that takes the lock.

    Attributes:
        storage: The table's files; `storage.uri` is where the table is.
        table: The table's name, `hoodie.table.name`.
        database: The database, `hoodie.database.name`; "" for none.
        owner: Host, process and a random part: a text that names this writer and no other one.
    """

    storage: Storage
    table: str
    database: str
    owner: str

    @property
    def uri(self) -> str:
        """Return the URI of the table's root folder."""
        return self.storage.uri

    @property
    def hudi_path(self) -> str:
        """Return the usual form of `hoodie.base.path`: a local path without `file:`, and `s3:` for `s3a:`."""
        scheme, _, rest = self.uri.partition("://")
        if scheme == "file":
            return unquote(rest)
        return f"{'s3' if scheme == 's3a' else scheme}://{rest}"


class HeldLock(Protocol):
    """A lock that is held. Both methods are called by the thread that took the lock."""

    def renew(self) -> None:
        """Make sure that the lock is still held, and make it last from now on; called before a commit is completed.

        Raises:
            LockLost: It ended, or another writer has it.
            StorageError: The service of the lock does not answer.
        """
        ...

    def release(self) -> None:
        """Give the lock back; only if it is still ours. What is raised here is logged, and the commit stands."""
        ...


class LockProvider(Protocol):
    """A lock that all writers of a table take.

    One instance is made per write or table service, on the driver. The core takes hoodoo's own lock of the table
    first, so that `try_acquire` is called by one hoodoo writer of a table at a time, and releases it last.

    A lock whose holder dies must become free: by the end of a session, by the end of a lease, or as the description of
    the provider states.

    A provider may also have `presets`, a mapping from another name of it, without package, to the options that this
    name stands for: two classes of Hudi may be one provider here.

    It may have `check(target)`, which raises `OptionError` for a table or options that do not suit it; it is called
    before anything is written. It may have `close()`, which ends its connections: it is called whenever the core has
    released the lock or has given up waiting for it, and `try_acquire` may be called again afterwards.
    """

    def try_acquire(self, target: LockTarget) -> HeldLock | None:
        """Take the lock, or return None where another writer has it. It never waits for that writer: the core does.

        Raises:
            HoodooError: The lock cannot be taken, however long the core waits.
        """
        ...

    def describe(self, target: LockTarget) -> str:
        """Describe the location of the lock and, where it is known, its holder: for messages, without secrets."""
        ...
