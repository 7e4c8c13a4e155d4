"""Base classes of plugins, with all members that the core uses and defaults of the optional ones.

A class attribute of a plugin is assigned without an annotation: in an attrs class, an annotation makes it an option.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hoodoo.plugin.declarations import LoneKey, MergeMode, Substitute
from hoodoo.record import (
    BufferedRecord,
    Choice,
    DeleteContext,
    KeyConfig,
    Law,
    MergerConfig,
    Outcome,
    RecordContext,
    Records,
)

if TYPE_CHECKING:
    from hoodoo.plugin.interface import HeldLock, LockTarget

__all__ = [
    "BaseAggregateFunction",
    "BaseDeleteRule",
    "BaseKeyGenerator",
    "BaseLockProvider",
    "BaseMerger",
    "BasePayload",
    "MergerMembers",
    "PayloadMembers",
    "RowMerger",
    "RowPayload",
    "RuleMembers",
]


class RuleMembers:
    """Members that mergers and payloads share, vectorised or in row form.

    Attributes:
        laws: The laws that the rule claims.
        reasons: Sentences by the codes that the rule puts into `Outcome.reason` if `context.explaining` is true; an
            explanation of a record shows them.
        whole_versions: True for a rule that changes no column: the result is one of two versions, or a delete. A read
            then merges with only those columns of base rows that the rule needs, and a patch is a fault.
        uses: Family and name of each plugin that the options of the rule select, and of the plugins that those use. An
            executor runs the rule only if it has the same distributions and versions as the driver.
        delete_rules: Names of the default delete rules of tables with this rule. If it is empty, the defaults of the
            family apply, which `hoodoo.options.default_plugins` lists.
        keeps_with_deletes: Columns that the rule reads of deletes, in addition to the ordering columns; `*` stands for
            all columns. Writers of merge-on-read tables then write a delete that has data as a marked record of a data
            block instead of an entry of a delete block, which has no columns. A key-only delete, such as those of the
            operation `delete`, never has columns, and its `has_data` is false.
    """

    laws: frozenset[Law] = frozenset()
    reasons: Mapping[int, str] = MappingProxyType({})
    whole_versions: bool = False
    uses: tuple[tuple[str, str], ...] = ()
    delete_rules: tuple[str, ...] = ()
    keeps_with_deletes: tuple[str, ...] = ()

    def uses_ordering(self, config: MergerConfig) -> bool:
        """Return whether the rule compares ordering values.

        If so, an incoming row with a null in an ordering column is refused, unless it is a key-only delete.
        """
        return True

    def needs(self, schema: pa.Schema, config: MergerConfig) -> Iterable[str] | None:
        """Return the columns that the rule uses in addition to the ordering columns; None for all of them.

        If logs have to be merged, a read of selected columns also reads these.
        """
        return None

    def check(self, schema: pa.Schema, config: MergerConfig) -> None:
        """Raise `SchemaError` or `OptionError` for a table whose columns do not suit the rule.

        The core calls this method when a write is planned, before anything is written.
        """

    def adds(self, schema: pa.Schema, config: MergerConfig) -> Iterable[pa.Field]:
        """Return the columns that the rule needs in the table and that `schema` lacks.

        A write adds them to the table; incoming rows need not have them. A column that `schema` has is a fault.
        """
        return ()


class MergerMembers(RuleMembers):
    """Members of mergers, vectorised or in row form.

    Attributes:
        merge_mode: The merge mode that table properties store for the merger. With None, they store the merger's own
            name, and Hudi's readers refuse to merge the table.
    """

    merge_mode: MergeMode | None = None


class PayloadMembers(RuleMembers):
    """Members of payloads, vectorised or in row form.

    Attributes:
        hudi_class: The Java class that table properties store for the payload; it is also an alias of the payload. With
            None, they store the payload's own name, and Hudi's readers refuse to merge the table.
        substitute: The merger that replaces the payload in new tables of version 9. With None, and in tables of version
            8, the merger that has `hudi_class` as an alias replaces the payload; if no merger has it, the table keeps
            the payload.
        deletes_every_key: Whether each record deletes the row of its key, regardless of the stored row. An upsert with
            this payload into a table below version 9 with another rule is operation `delete`.
    """

    hudi_class: str | None = None
    substitute: Substitute | None = None
    deletes_every_key: bool = False


class BaseMerger(MergerMembers):
    """Base of a merger: one rule for batch, log and storage (RFC HUDI-9798)."""

    @abstractmethod
    def merge(self, older: Records, newer: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        """Return the decision for each pair. `older` arrived before `newer`, regardless of their ordering values."""
        raise NotImplementedError

    def insert(self, newer: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        """Return the decision for each record whose key is not stored.

        TAKE writes the record unless it is a delete; KEEP and DELETE write nothing. For a merger that does not override
        this method, every record that is not a delete is written.
        """
        return Outcome.all(Choice.TAKE, len(newer))

    def prepare(self, newer: Records, config: MergerConfig) -> Mapping[str, pa.Array]:
        """Return columns by name whose values replace those of the incoming records before any merge.

        The core calls this method for the records of a write, in parts. A column of the table that the records lack is
        added to them.
        """
        return {}


class RowMerger(MergerMembers):
    """Base of a merger that is called with one pair at a time: an older and a newer version of one key.

    A decision takes about a hundred times as long as in a vectorised merger. `merge` returns one of its two records
    unchanged, or a copy such as `newer.with_data(column=value)` or `newer.as_delete()`; `.because(code)` adds one of
    the merger's `reasons`.
    """

    @abstractmethod
    def merge(
        self, older: BufferedRecord, newer: BufferedRecord, context: RecordContext, config: MergerConfig
    ) -> BufferedRecord:
        """Return the surviving record of two versions of one key."""
        raise NotImplementedError


class BasePayload(PayloadMembers):
    """Base of a payload, the older contract: one rule within a batch and another one against storage."""

    @abstractmethod
    def pre_combine(self, older: Records, newer: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        """Return the decision for each pair of records of one batch."""
        raise NotImplementedError

    @abstractmethod
    def combine_and_get_update_value(
        self, stored: Records, incoming: Records, context: RecordContext, config: MergerConfig
    ) -> Outcome:
        """Return the decision for each pair of a stored row and an incoming record.

        KEEP without a patch leaves the row unchanged.
        """
        raise NotImplementedError

    def get_insert_value(self, incoming: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        """Return the decision for each record whose key is not stored.

        TAKE writes the record unless it is a delete; KEEP and DELETE write nothing.
        """
        return Outcome.all(Choice.TAKE, len(incoming))


class RowPayload(PayloadMembers):
    """Base of a payload that is called for one key at a time. A result of None ignores the incoming record."""

    @abstractmethod
    def pre_combine(
        self, older: BufferedRecord, newer: BufferedRecord, context: RecordContext, config: MergerConfig
    ) -> BufferedRecord:
        """Return the survivor of two records of one batch."""
        raise NotImplementedError

    @abstractmethod
    def combine_and_get_update_value(
        self, stored: BufferedRecord, incoming: BufferedRecord, context: RecordContext, config: MergerConfig
    ) -> BufferedRecord | None:
        """Return the record that replaces the stored one, or the stored record to leave it unchanged."""
        raise NotImplementedError

    def get_insert_value(
        self, incoming: BufferedRecord, context: RecordContext, config: MergerConfig
    ) -> BufferedRecord | None:
        """Return the record to write for a key that is not stored."""
        return incoming


class BaseKeyGenerator:
    """Base of a key generator: record keys and partition paths of incoming rows.

    The core may call a method several times for a row: in different tasks, together with other rows, and again after a
    task fails. The result for a row must depend on this row and the configuration alone.

    Attributes:
        hudi_class: The Java class that table properties store for the generator; it is also an alias of the generator.
            With None, they store its own name.
        generates_keys: True for a generator that makes keys for rows that have none. It takes no record key columns;
            the rows have the column that `hoodoo.keys.ARRIVAL` names, with their positions in the input, and `config`
            has the instant and a random seed of the write. Its tables accept inserts, but not upserts or deletes by
            key.
        makes_partitions: False for a generator of tables without partitions.
        takes_kinds: True if partition columns are given with kinds (`column:timestamp`). Below table version 8 Hudi
            stores the columns without kinds, so that a later write may give the kinds again.
        path_per_value: True if rows with equal partition columns have the same path and all other rows have different
            paths, except that null and an empty value may share one. A bulk insert then groups rows by these columns
            without calling the generator first.
        lone_key: The form of a key made of a single record key column. With None, a reader cannot compare the stored
            key with that column, and uses only the value as the key in tables without meta columns.
    """

    hudi_class: str | None = None
    generates_keys: bool = False
    makes_partitions: bool = True
    takes_kinds: bool = False
    path_per_value: bool = False
    lone_key: LoneKey | None = None

    @abstractmethod
    def record_keys(self, rows: pa.Table, config: KeyConfig) -> pa.Array:
        """Return record keys (string, one per row).

        Raises:
            DataError: A row has no key (code `key_null_or_empty`).
        """
        raise NotImplementedError

    @abstractmethod
    def partition_paths(self, rows: pa.Table, config: KeyConfig) -> pa.Array:
        """Return table-relative partition paths (string, one per row; "" in a table without partitions)."""
        raise NotImplementedError

    def key_qualifiers(self, rows: pa.Table, config: KeyConfig) -> pa.Array | None:
        """Return one text per row that distinguishes values with equal record keys; null for a row that needs none.

        None means that no row needs one. Two rows with equal keys have equal values if their qualifiers are equal too;
        a write of different values under one key is refused. `hoodoo.keys` has the qualifiers of the built-ins.
        """
        return None

    def path_qualifiers(self, rows: pa.Table, config: KeyConfig) -> pa.Array | None:
        """Return one text per row that distinguishes values with equal partition paths, like `key_qualifiers`."""
        return None

    @classmethod
    def stored_class(cls, config: KeyConfig) -> str | None:
        """Return the Java class that a new table with these columns stores; None to store the generator's own name."""
        return cls.hudi_class


class BaseDeleteRule:
    """Base of a delete rule, which identifies deletes among incoming rows."""

    @abstractmethod
    def is_delete(self, rows: pa.Table, context: DeleteContext) -> NDArray[np.bool_]:
        """Return one boolean per row: true for a delete."""
        raise NotImplementedError

    def needs(self, schema: pa.Schema, context: DeleteContext) -> Iterable[str] | None:
        """Return the columns that the rule reads; None for all of them.

        If logs have to be merged, a read of selected columns also reads these.
        """
        return None

    def drops(self, rows: pa.Table, deletes: NDArray[np.bool_], context: DeleteContext) -> NDArray[np.bool_]:
        """Return one boolean per row: true for rows to leave out as if they had not been written.

        `deletes` is a mask of the rows that at least one rule of the table identifies as deletes.
        """
        return np.zeros(rows.num_rows, dtype=bool)

    def check(self, schema: pa.Schema, context: DeleteContext) -> None:
        """Raise `SchemaError` for a table whose columns do not suit the rule; called before anything is written."""


class BaseAggregateFunction:
    """Base of an aggregate function, which merges two values of a column.

    All methods except `accepts` take arrays, and return an array of the same type and length. Each array may have
    nulls. A method raises `OverflowError` if the column cannot hold a result; the merger then raises `DataError` with
    code `overflow`, which names the column.

    Attributes:
        laws: The laws that the function claims for values of rows that are not deletes.
        takes: Phrase for the types that `accepts` accepts, as in the message "'sum' takes a number".
        laws_of_retraction: Those of `laws` that hold with deletes among the versions, for a function with `retract`.
    """

    laws: frozenset[Law] = frozenset()
    takes: str = ""
    laws_of_retraction: frozenset[Law] = frozenset()

    @abstractmethod
    def accepts(self, type_: pa.DataType) -> bool:
        """Return whether the function works on columns of the type."""
        raise NotImplementedError

    @abstractmethod
    def add(self, older: pa.Array, newer: pa.Array) -> pa.Array:
        """Return the merged values; `older` precedes `newer` by arrival, or by the sequence column if there is one."""
        raise NotImplementedError

    def retract(self, older: pa.Array, newer: pa.Array) -> pa.Array:
        """Subtract the values of deletes, `newer`, from the older values.

        A function without this method refuses such deletes, unless the column has `ignore_retract`.
        """
        raise NotImplementedError

    def prepare(self, values: pa.Array) -> pa.Array:
        """Return values that replace incoming values before any merge, such as a 1 for each value to count."""
        return values


class BaseLockProvider:
    """Base of a lock provider: a lock that all writers of a table take.

    One instance is made per write or table service, on the driver. The core takes hoodoo's own lock of the table
    first, so that `try_acquire` is called by one hoodoo writer of a table at a time, and releases it last. A lock whose
    holder dies must become free: by the end of a session, by the end of a lease, or as the provider's description
    states.

    Attributes:
        presets: The options that a Java class of Hudi implies, by its name without package, for a provider that
            replaces several classes.
    """

    presets: Mapping[str, Mapping[str, Any]] = MappingProxyType({})

    @abstractmethod
    def try_acquire(self, target: LockTarget) -> HeldLock | None:
        """Acquire the lock, or return None if another writer has it. Do not wait for that writer: the core waits.

        Raises:
            HoodooError: The lock cannot be acquired for a reason that waiting does not remove.
        """
        raise NotImplementedError

    @abstractmethod
    def describe(self, target: LockTarget) -> str:
        """Return a description of the lock's location and, if known, of its holder, for messages, without secrets."""
        raise NotImplementedError

    def check(self, target: LockTarget) -> None:
        """Raise `OptionError` for a table or options that do not suit the provider; nothing is written yet."""

    def close(self) -> None:
        """Close the provider's connections.

        The core calls this method after it has released the lock or failed to acquire the lock, and may call
        `try_acquire` again afterwards.
        """
