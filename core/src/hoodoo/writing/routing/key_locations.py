"""Locations of incoming keys, and stored rows that move to another partition."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
from attrs import Factory, define, field, frozen
from numpy.typing import NDArray

from hoodoo.index.key_lookup import IncomingKeySearch
from hoodoo.record import Records
from hoodoo.storage import Storage
from hoodoo.writing.routing.task_plan import SliceRef, TaskPlan
from hoodoo.writing.tasks.stored_versions import StoredVersions

__all__ = ["KeyLocations", "LookupKeys", "PathNames"]

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


@define
class PathNames:
    """Numbering of partition paths, in the order of their first occurrence.

    Attributes:
        names: The path of each number.
    """

    names: list[str] = field(factory=list)
    _numbers: dict[str, int] = field(init=False, factory=dict)

    def number(self, name: str) -> int:
        """Return the number of a path; a new one gets the next number."""
        if name not in self._numbers:
            self._numbers[name] = len(self.names)
            self.names.append(name)
        return self._numbers[name]

    def numbers(self, paths: pa.Array) -> Ints:
        """Return the numbers of n paths."""
        encoded = paths.dictionary_encode()
        known = np.array([self.number(name) for name in encoded.dictionary.to_pylist()], dtype=np.int64)
        numbers: Ints = known[encoded.indices.to_numpy(zero_copy_only=False)]
        return numbers

    def text(self, numbers: Ints) -> pa.Array:
        """Return the paths of n numbers."""
        return pa.array(self.names, pa.string()).take(pa.array(numbers))


@frozen(eq=False)
class LookupKeys:
    """Records whose keys are looked up: one per key if rows of one key are merged, otherwise one per row.

    Attributes:
        records: The n records.
        keys: Their record keys.
        target: The number of the partition of each record.
        of_row: The number of the record of each incoming row.
    """

    records: Records
    keys: pa.Array
    target: Ints
    of_row: Ints

    def __len__(self) -> int:
        return len(self.target)


@define(eq=False)
class KeyLocations:
    """Locations of looked-up keys: one entry per record and file slice that contains its key.

    Attributes:
        record: The number of the record.
        partition: The number of the slice's partition.
        slot: The slice's slot.
        place: The slice's number in `slices`.
        slices: The table's slices.
        alive: Whether the slice has a row of the key after its logs are applied; true for slices that are not read.
        leaves: Whether the stored row moves to another partition.
        to: The number of the partition to which the row belongs.
        row: The position of the merged row in `merged`; only valid where `leaves` is true.
        merged: The merged rows, with the record key and the table's columns; None if no row was merged.
    """

    record: Ints
    partition: Ints
    slot: Ints
    place: Ints
    slices: list[SliceRef]
    alive: Mask = Factory(lambda self: np.ones(len(self.record), dtype=bool), takes_self=True)
    leaves: Mask = Factory(lambda self: np.zeros(len(self.record), dtype=bool), takes_self=True)
    to: Ints = Factory(lambda self: self.partition.copy(), takes_self=True)
    row: Ints = Factory(lambda self: np.full(len(self.record), -1, dtype=np.int64), takes_self=True)
    merged: pa.Table | None = None

    @classmethod
    def find(cls, plan: TaskPlan, storage: Storage, keys: pa.Array, names: PathNames) -> KeyLocations:
        """Return the locations of keys, from an index of all keys if the write has one, else from all base files.

        Logs whose keys a base file may lack are searched together with the base file. There are no locations if the
        operation does not look keys up.

        Raises:
            CorruptTableError: The index or a file is damaged, or a file is missing.
            UnsupportedTable: A file or a log block cannot be read.
        """
        places = [
            (names.number(partition), slot, ref)
            for partition, slots in plan.slices.items()
            for slot, ref in slots.items()
        ]
        slices = [ref for _, _, ref in places]
        partition = np.array([number for number, _, _ in places], dtype=np.int64)
        slot = np.array([slot for _, slot, _ in places], dtype=np.int64)
        record = place = np.empty(0, np.int64)
        if plan.operation.looks_up and len(keys):
            groups = {(names.names[number], ref.file_id): n for n, (number, _, ref) in enumerate(places)}
            located = plan.index.find(storage, keys, groups)
            if located is not None:
                record, place = located.positions, located.groups
            else:
                search = IncomingKeySearch(storage, keys, plan.index, plan.stored_keys)
                found = [search.locate(ref.path, ref.late) for ref in slices]
                record = np.concatenate([record, *found])
                place = np.repeat(np.arange(len(found)), [len(positions) for positions in found]).astype(np.int64)
        return cls(record, partition[place], slot[place], place, slices)

    def resolve(
        self, lookup: LookupKeys, names: PathNames, versions: StoredVersions, paths_of: Callable[[pa.Table], pa.Array]
    ) -> None:
        """Determine which locations have a row and which rows move; read only slices that can affect the result.

        Args:
            lookup: One record per key.
            names: The partition paths.
            versions: Reader of stored rows, which merges them.
            paths_of: Function that returns the partition paths of merged rows.

        Raises:
            DataError: A stored row has the key of a record and other values in the key columns, or a row cannot move
                because the rule keeps it after a delete.
        """
        plan = versions.plan
        outside = self.is_outside(lookup)
        several, deletes = np.bincount(self.record, minlength=len(lookup)) > 1, lookup.records.is_delete
        doubtful = several & ~deletes
        doubtful[self.record[outside]] = ~deletes[self.record[outside]]
        has_logs = np.array([bool(ref.logs) for ref in self.slices], dtype=bool)[self.place]
        to_read = doubtful[self.record] & ((outside & plan.index.moves_rows) | has_logs)
        if plan.operation.statement is not None:
            # a statement counts a deleted row once, and not again in the partitions that it has left
            to_read |= (several & deletes)[self.record] & has_logs
        tables, length = [], 0
        for place in np.unique(self.place[to_read]).tolist():
            mine = np.flatnonzero(to_read & (self.place == place))
            here = self.record[mine]
            partition, keys = names.names[int(self.partition[mine[0]])], lookup.keys.take(pa.array(here))
            matched = versions.match(partition, self.slices[place], lookup.records.take(here), keys)
            self.alive[mine] = matched.alive
            if matched.merged is None:
                continue
            to = lookup.target[here]
            patched = np.flatnonzero(matched.changed & ~matched.follows)
            if len(patched):
                to[patched] = names.numbers(paths_of(matched.merged.take(pa.array(matched.row[patched]))))
            leaves = matched.changed & outside[mine] & (to != self.partition[mine])
            if plan.table.appends and leaves.any():
                versions.check_removable(matched.stored, keys.filter(pa.array(leaves)))
            self.leaves[mine], self.to[mine], self.row[mine] = leaves, to, matched.row + length
            tables.append(matched.merged)
            length += matched.merged.num_rows
        self.merged = pa.concat_tables(tables).combine_chunks() if tables else None

    def is_outside(self, lookup: LookupKeys) -> Mask:
        """Return a mask of the locations in another partition than their record."""
        outside: Mask = self.partition != lookup.target[self.record]
        return outside
