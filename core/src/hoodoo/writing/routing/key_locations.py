"""The stored copies of incoming keys: where each one is, and what becomes of it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
from attrs import Factory, define, field, frozen
from numpy.typing import NDArray

from hoodoo.index.key_lookup import KeySearch
from hoodoo.merge import Rule
from hoodoo.record import Records
from hoodoo.storage import Storage
from hoodoo.writing.routing.task_plan import SliceRef, TaskPlan
from hoodoo.writing.tasks.key_collisions import Collisions
from hoodoo.writing.tasks.stored_versions import Current

__all__ = ["Copies", "PathNames", "Units"]

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


@define
class PathNames:
    """Numbers for partition paths."""

    names: list[str] = field(factory=list)
    _numbers: dict[str, int] = field(init=False, factory=dict)

    def number(self, name: str) -> int:
        """The number of a path; one that is new gets the next."""
        if name not in self._numbers:
            self._numbers[name] = len(self.names)
            self.names.append(name)
        return self._numbers[name]

    def numbers(self, paths: pa.Array) -> Ints:
        """The numbers of n paths."""
        encoded = paths.dictionary_encode()
        known = np.array([self.number(name) for name in encoded.dictionary.to_pylist()], dtype=np.int64)
        numbers: Ints = known[encoded.indices.to_numpy(zero_copy_only=False)]
        return numbers

    def text(self, numbers: Ints) -> pa.Array:
        """The paths of n numbers."""
        return pa.array(self.names, pa.string()).take(pa.array(numbers))


@frozen(eq=False)
class Units:
    """What is looked up: one record per key where rows of one key meet, else every row.

    Attributes:
        records: The records.
        keys: Their record keys.
        target: The number of the partition that each belongs to.
        of_row: The unit of each row.
    """

    records: Records
    keys: pa.Array
    target: Ints
    of_row: Ints

    def __len__(self) -> int:
        return len(self.target)


@define(eq=False)
class Copies:
    """One entry per unit and file slice that holds its key.

    Attributes:
        unit: The unit.
        partition: The number of the slice's partition.
        slot: The slice's slot.
        place: The slice's number in `slices`.
        slices: The table's slices.
        alive: Whether the key is there still: a log may have deleted it.
        leaves: Whether the unit takes its row away to another partition.
        to: The number of that partition.
        row: The place of the merged row in `merged`.
        merged: Rows that leave, as they arrive: the record key and the table's columns; None where none does.
    """

    unit: Ints
    partition: Ints
    slot: Ints
    place: Ints
    slices: list[SliceRef]
    alive: Mask = Factory(lambda self: np.ones(len(self.unit), dtype=bool), takes_self=True)
    leaves: Mask = Factory(lambda self: np.zeros(len(self.unit), dtype=bool), takes_self=True)
    to: Ints = Factory(lambda self: self.partition.copy(), takes_self=True)
    row: Ints = Factory(lambda self: np.full(len(self.unit), -1, dtype=np.int64), takes_self=True)
    merged: pa.Table | None = None

    @classmethod
    def found(cls, plan: TaskPlan, storage: Storage, keys: pa.Array, names: PathNames) -> Copies:
        """Look keys up in every base file of the table."""
        places = [
            (names.number(partition), slot, ref)
            for partition, slots in plan.slices.items()
            for slot, ref in slots.items()
        ]
        slices = [ref for _, _, ref in places]
        found: list[Ints] = []
        if plan.looks_up and len(keys):
            search = KeySearch(storage, keys, plan.prunes)
            found = [search.locate(ref.path, ref.late) for ref in slices]
        place = np.repeat(np.arange(len(found)), [len(positions) for positions in found]).astype(np.int64)
        partition = np.array([number for number, _, _ in places], dtype=np.int64)
        slot = np.array([slot for _, slot, _ in places], dtype=np.int64)
        return cls(np.concatenate([np.empty(0, np.int64), *found]), partition[place], slot[place], place, slices)

    def settle(
        self,
        plan: TaskPlan,
        rule: Rule,
        storage: Storage,
        units: Units,
        names: PathNames,
        paths_of: Callable[[pa.Table], pa.Array],
        collisions: Collisions,
    ) -> None:
        """Find out which copies are alive and which leave; read are only the slices where it matters.

        Args:
            plan: The write.
            rule: Its rule.
            storage: The table's files.
            units: One per key.
            names: Of the partitions.
            paths_of: The partition paths of merged rows.
            collisions: Compares records with the rows that are read.
        """
        outside = self.is_outside(units)
        doubtful = np.bincount(self.unit, minlength=len(units)) > 1
        doubtful[self.unit[outside]] = True
        doubtful &= ~units.records.is_delete
        has_logs = np.array([bool(ref.logs) for ref in self.slices], dtype=bool)[self.place]
        asked = doubtful[self.unit] & ((outside & plan.moves) | has_logs)
        current, tables, length = Current(plan, rule, storage, collisions), [], 0
        for place in np.unique(self.place[asked]).tolist():
            mine = np.flatnonzero(asked & (self.place == place))
            here = self.unit[mine]
            partition, keys = names.names[int(self.partition[mine[0]])], units.keys.take(pa.array(here))
            met = current.meet(partition, self.slices[place], units.records.take(here), keys)
            self.alive[mine] = met.alive
            if met.merged is None:
                continue
            to = units.target[here]
            patched = np.flatnonzero(met.changed & ~met.follows)
            if len(patched):
                to[patched] = names.numbers(paths_of(met.merged.take(pa.array(met.row[patched]))))
            leaves = met.changed & outside[mine] & (to != self.partition[mine])
            if plan.appends and leaves.any():
                current.check_lets_go(met.stored, keys.filter(pa.array(leaves)))
            self.leaves[mine], self.to[mine], self.row[mine] = leaves, to, met.row + length
            tables.append(met.merged)
            length += met.merged.num_rows
        self.merged = pa.concat_tables(tables).combine_chunks() if tables else None

    def is_outside(self, units: Units) -> Mask:
        """Which copies are in another partition than the one that their unit belongs to."""
        outside: Mask = self.partition != units.target[self.unit]
        return outside
