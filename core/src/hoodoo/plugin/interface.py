"""The members that a plugin class must have: one Protocol per family whose hook returns a class.

A plugin class with options is an attrs class whose fields are the options; the core makes the instances. Methods that
process rows take and return columns of many rows: row i of each argument belongs to the same key. The base classes in
`hoodoo.plugin.base` and `hoodoo.plugin.catalog_base` also have the members that a class may omit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable
from urllib.parse import unquote

import numpy as np
import pyarrow as pa
from attrs import frozen
from numpy.typing import NDArray

from hoodoo.plugin.base import RowMerger, RowPayload
from hoodoo.plugin.catalog_tables import CatalogPartition, CatalogTable
from hoodoo.record import DeleteContext, KeyConfig, Law, MergerConfig, Outcome, RecordContext, Records
from hoodoo.storage import Storage

__all__ = [
    "AggregateFunction",
    "CatalogProvider",
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
    """Merger: one rule for batch, log and storage (RFC HUDI-9798). `BaseMerger` has the members that may be omitted."""

    @property
    def laws(self) -> frozenset[Law]:
        """Return the laws that the rule claims; a plugin declares them as a class attribute."""
        ...

    def merge(self, older: Records, newer: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        """Return the decision for each pair, without changing the input.

        `older` arrived before `newer`, regardless of their ordering values.
        """
        ...


@runtime_checkable
class Payload(Protocol):
    """Payload, the older contract: a rule for a batch and one for storage. `BasePayload` has the optional members."""

    @property
    def laws(self) -> frozenset[Law]:
        """Return the laws that the rule claims; a plugin declares them as a class attribute."""
        ...

    def pre_combine(self, older: Records, newer: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        """Return the decision for each pair of records of one batch."""
        ...

    def combine_and_get_update_value(
        self, stored: Records, incoming: Records, context: RecordContext, config: MergerConfig
    ) -> Outcome:
        """Return the decision for each pair of a stored row and an incoming record.

        KEEP without a patch leaves the row unchanged.
        """
        ...

    def get_insert_value(self, incoming: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        """Return the decision for each record whose key is not stored.

        TAKE writes the record unless it is a delete; KEEP and DELETE write nothing.
        """
        ...


@runtime_checkable
class KeyGenerator(Protocol):
    """Generator of record keys and partition paths. `BaseKeyGenerator` has the members that may be omitted.

    The core may call a method several times for a row: in different tasks, together with other rows, and again after a
    task fails. The result for a row must depend on this row and the configuration alone.
    """

    def record_keys(self, rows: pa.Table, config: KeyConfig) -> pa.Array:
        """Return record keys (string, one per row). Raise `DataError` (`key_null_or_empty`) for a row without a key."""
        ...

    def partition_paths(self, rows: pa.Table, config: KeyConfig) -> pa.Array:
        """Return table-relative partition paths (string, one per row; "" in a table without partitions)."""
        ...


@runtime_checkable
class DeleteRule(Protocol):
    """Rule that identifies deletes among incoming rows. `BaseDeleteRule` has the members that may be omitted."""

    def is_delete(self, rows: pa.Table, context: DeleteContext) -> NDArray[np.bool_]:
        """Return one boolean per row: true for a delete."""
        ...


class AggregateFunction(Protocol):
    """A function that merges two values of a column. `BaseAggregateFunction` has the optional members.

    All methods except `accepts` take arrays, and return an array of the same type and length. Each array may have
    nulls. A method raises `OverflowError` if the column cannot hold a result; the merger then raises `DataError` with
    code `overflow`, which names the column.
    """

    @property
    def laws(self) -> frozenset[Law]:
        """Return the laws that the function claims for values of rows that are not deletes.

        A plugin declares them as a class attribute.
        """
        ...

    @property
    def takes(self) -> str:
        """Return a phrase for the types that `accepts` accepts, as in the message "'sum' takes a number".

        A plugin declares it as a class attribute.
        """
        ...

    def accepts(self, type_: pa.DataType) -> bool:
        """Return whether the function works on columns of the type."""
        ...

    def add(self, older: pa.Array, newer: pa.Array) -> pa.Array:
        """Return the merged values; `older` precedes `newer` by arrival, or by the sequence column if there is one."""
        ...


@frozen
class LockTarget:
    """The table that a lock provider locks, and the writer that takes the lock.

    Attributes:
        storage: The table's files; `storage.uri` is their location.
        table: The table's name, `hoodie.table.name`.
        database: The database, `hoodie.database.name`; "" for none.
        owner: Text that identifies this writer: host, process and a random part.
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
        """Return the usual form of `hoodie.base.path`: a local path without `file:`, or a URI with `s3:` for `s3a:`."""
        scheme, _, rest = self.uri.partition("://")
        if scheme == "file":
            return unquote(rest)
        return f"{'s3' if scheme == 's3a' else scheme}://{rest}"


class HeldLock(Protocol):
    """A lock that is held. The thread that took the lock calls both methods."""

    def renew(self) -> None:
        """Check that the lock is still held, and restart its period of validity; called before a commit is completed.

        Raises:
            LockLost: The lock ended, or another writer has it.
            StorageError: The service of the lock does not respond.
        """
        ...

    def release(self) -> None:
        """Release the lock if this writer still holds it. An error here is logged, and the commit remains."""
        ...


class LockProvider(Protocol):
    """Provider of a lock that all writers of a table take. `BaseLockProvider` has the members that may be omitted."""

    def try_acquire(self, target: LockTarget) -> HeldLock | None:
        """Acquire the lock, or return None if another writer has it. Do not wait for that writer: the core waits.

        Raises:
            HoodooError: The lock cannot be acquired for a reason that waiting does not remove.
        """
        ...

    def describe(self, target: LockTarget) -> str:
        """Return a description of the lock's location and, if known, of its holder, for messages, without secrets."""
        ...


class CatalogProvider(Protocol):
    """A service that lists tables for query engines. `BaseCatalogProvider` has the members that may be omitted.

    The core computes the changes; a provider reads from the catalog and applies them. A method raises `CatalogError` if
    the service rejects a call or does not respond.
    """

    def describe(self) -> str:
        """Return a description of the service and its address, for messages, without secrets."""
        ...

    def has_database(self, database: str) -> bool:
        """Return whether the catalog has a database of this name."""
        ...

    def create_database(self, database: str) -> None:
        """Create a database, unless it exists."""
        ...

    def find_table(self, database: str, table: str) -> CatalogTable | None:
        """Return the table of this name; None if the catalog does not have it."""
        ...

    def create_table(self, table: CatalogTable) -> None:
        """Create a table that the catalog does not have; `add_partitions` adds its partitions later, if it has any."""
        ...

    def alter_table(self, table: CatalogTable, *, cascade: bool) -> None:
        """Set columns, formats and properties of a table; with `cascade`, also the columns of its partitions."""
        ...

    def find_partitions(
        self, table: CatalogTable, values: Sequence[tuple[str, ...]] | None = None
    ) -> list[CatalogPartition]:
        """Return the existing partitions of a table that have the given values; all partitions if `values` is None."""
        ...

    def add_partitions(self, table: CatalogTable, partitions: Sequence[CatalogPartition]) -> None:
        """Add partitions to a table. A partition that exists already is not an error and is not changed."""
        ...

    def move_partitions(self, table: CatalogTable, partitions: Sequence[CatalogPartition]) -> None:
        """Set the locations of existing partitions."""
        ...

    def drop_partitions(self, table: CatalogTable, partitions: Sequence[CatalogPartition]) -> None:
        """Drop partitions from the catalog and keep their files; ignore partitions that do not exist."""
        ...
