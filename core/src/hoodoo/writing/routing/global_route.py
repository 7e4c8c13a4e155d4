"""Where rows go whose key is unique in the whole table: to what is stored under it, or away from there.

A key is looked up in every base file, and its rows meet the stored row in the file group that has it. Where they belong
to another partition and the row is to follow them, the stored row is read and merged here: one that wins stays where it
is, and else the old group is told to let the key go, and a group of the new partition gets the merged row, which is
not merged again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from attrs import define, field, frozen
from numpy.typing import NDArray

from hoodoo.merge import Rule
from hoodoo.record import Records
from hoodoo.schema.columns import one_array
from hoodoo.storage import Storage, storage_for
from hoodoo.writing.routing.key_locations import Copies, PathNames, Units
from hoodoo.writing.routing.partition_moves import ARRIVES, COUNT, FATE, LEAVES, MEETS, MERGED, PARTITION, merged_type
from hoodoo.writing.routing.shuffle_route import PACKED, Router
from hoodoo.writing.routing.small_files import Packing, record_size
from hoodoo.writing.routing.task_plan import TaskPlan
from hoodoo.writing.tasks.incoming_rows import ROUTE, SLOT, Incoming, runs
from hoodoo.writing.tasks.key_collisions import Collisions

__all__ = ["SpreadTask"]

NOT_YET = -1

Ints = NDArray[np.int64]


@define
class SpreadTask:
    """Finds the file groups of keys over all partitions. All rows of a key come to one task."""

    plan: TaskPlan
    _rule: Rule = field(init=False)
    _incoming: Incoming = field(init=False)
    _storage: Storage = field(init=False)
    _collisions: Collisions = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._rule = self.plan.rule.make_rule()
        self._incoming = Incoming(self.plan, self._rule)
        self._storage = storage_for(self.plan.uri, self.plan.storage_options)
        self._collisions = Collisions(self.plan)

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
        """The rows with route, partition and slot of their file group, and those that moves make of them."""
        for rows in runs(batches):
            yield self._spread(rows)

    def _spread(self, rows: pa.Table) -> pa.Table:
        names = PathNames()
        units, rows = self._units(rows, names)
        copies = Copies.found(self.plan, self._storage, units.keys, names)
        if self.plan.merges:
            paths_of = self._incoming.partition_paths
            copies.settle(self.plan, self._rule, self._storage, units, names, paths_of, self._collisions)
            orders = _merging(units, copies)
        else:
            # an insert looks keys up to leave them out
            orders = _Orders.at(copies, np.unique(copies.unit, return_index=True)[1], MEETS)
        fresh = np.setdiff1d(np.arange(len(units)), orders.unit)
        orders = orders.then(_Orders.new(fresh, units.target[fresh]))
        self._pack(orders, units, names, record_size(self.plan, rows))
        return self._told(rows, units, orders, copies.merged, names)

    def _units(self, rows: pa.Table, names: PathNames) -> tuple[Units, pa.Table]:
        """What is looked up, and the rows that it is made of: a delete rule may leave some out."""
        rows, source = self._incoming.versions(rows, self._incoming.record_keys(rows))
        keys, paths = source.keys, self._incoming.partition_paths(rows)
        self._collisions.check_batch(rows, keys)
        if not (self.plan.merges or self.plan.combines):
            return Units(source.records(), keys, names.numbers(paths), np.arange(len(keys))), rows
        records = self._rule.fold(source, self._incoming.arrival(rows))
        unique = records.keys
        of_row = pc.index_in(keys, value_set=unique).to_numpy(zero_copy_only=False).astype(np.int64)
        return Units(records, unique, names.numbers(self._paths(paths, records)), of_row), rows

    def _paths(self, paths: pa.Array, records: Records) -> pa.Array:
        """The partition paths of the records that rows were folded to."""
        by = [name.split(".")[0] for name in self.plan.keys.partition_columns]
        if any(name in records.patches for name in by):
            return self._incoming.partition_paths(pa.table({name: records.column(name) for name in by}))
        return paths.take(pa.array(records.rows))

    def _pack(self, orders: _Orders, units: Units, names: PathNames, size: int) -> None:
        """Give slots to what has none yet."""
        packing = Packing(self.plan, share=self.plan.searchers)
        open_ = orders.slot == NOT_YET
        for number in np.unique(orders.partition[open_]).tolist():
            mine = np.flatnonzero(open_ & (orders.partition == number))
            keys = units.keys.take(pa.array(orders.unit[mine]))
            orders.slot[mine] = packing.slots(names.names[number], keys, size).astype(np.int64) | PACKED

    def _told(
        self,
        rows: pa.Table,
        units: Units,
        orders: _Orders,
        merged: pa.Table | None,
        names: PathNames,
    ) -> pa.Table:
        """The rows that carry the orders out. A row of the batch stands for those that a move makes as well."""
        by_unit = np.argsort(units.of_row, kind="stable")
        counts = np.bincount(units.of_row, minlength=len(units))
        starts = np.cumsum(counts) - counts
        copied = np.where(orders.fate == MEETS, counts[orders.unit], 1)
        order = np.repeat(np.arange(len(copied)), copied)
        within = np.arange(len(order)) - np.repeat(np.cumsum(copied) - copied, copied)
        source = by_unit[starts[orders.unit][order] + within]
        # every row of the batch is counted once, with the first order of its key
        first = np.zeros(len(copied), dtype=bool)
        first[np.unique(orders.unit, return_index=True)[1]] = True
        count = np.where(first, np.where(orders.fate == MEETS, 1, counts[orders.unit]), 0)
        router = Router.of_groups(self.plan)
        pairs, inverse = np.unique(np.stack([orders.partition, orders.slot & ~PACKED]), axis=1, return_inverse=True)
        routes = np.array([router.route(names.names[p], s) for p, s in pairs.T.tolist()], dtype=np.int64)
        told = rows.take(pa.array(source))
        told = told.set_column(told.schema.get_field_index(ROUTE), ROUTE, pa.array(routes[inverse.reshape(-1)][order]))
        columns = {
            SLOT: pa.array(orders.slot[order].astype(np.int32)),
            PARTITION: names.text(orders.partition[order]),
            FATE: pa.array(orders.fate[order].astype(np.int32)),
            COUNT: pa.array(count[order]),
            MERGED: self._merged(merged, orders.row[order]),
        }
        for name, values in columns.items():
            told = told.append_column(name, values)
        return told

    def _merged(self, merged: pa.Table | None, places: Ints) -> pa.Array:
        """Merged rows where there are any, else null."""
        type_ = merged_type(self.plan.schema)
        if merged is None:
            return pa.nulls(len(places), type_)
        rows = merged.take(pa.array(places, mask=places < 0))
        arrays = [one_array(rows.column(name)) for name in self.plan.schema.names]
        return pa.StructArray.from_arrays(arrays, fields=list(type_), mask=pa.array(places < 0))


@frozen(eq=False)
class _Orders:
    """What is done with units, one entry each: where, and as what; `row` is the merged row of one that arrives."""

    unit: Ints
    partition: Ints
    slot: Ints
    fate: Ints
    row: Ints

    @classmethod
    def at(cls, copies: Copies, which: Ints, fate: int) -> _Orders:
        """For stored copies."""
        unit, partition, slot = (values[which] for values in (copies.unit, copies.partition, copies.slot))
        return cls(unit, partition, slot, np.full(len(which), fate), np.full(len(which), -1))

    @classmethod
    def new(cls, unit: Ints, partition: Ints, fate: int = MEETS, row: Ints | None = None) -> _Orders:
        """For what gets its slot by size."""
        none = np.full(len(unit), -1)
        return cls(unit, partition, np.full(len(unit), NOT_YET), np.full(len(unit), fate), none if row is None else row)

    def then(self, *others: _Orders) -> _Orders:
        """These, and others behind them."""
        parts = (self, *others)
        return _Orders(
            *(np.concatenate([getattr(p, n) for p in parts]) for n in ("unit", "partition", "slot", "fate", "row"))
        )


def _merging(units: Units, copies: Copies) -> _Orders:
    """Units meet their live copies, but for those that leave.

    What has left arrives once, unless the key has a live copy in its own partition already. A copy that a log has
    deleted is none: in a log behind that delete an older row would bring back what the base file has under the key.
    """
    lives_inside = np.zeros(len(units), dtype=bool)
    lives_inside[copies.unit[copies.alive & ~copies.is_outside(units)]] = True
    meets = np.flatnonzero(copies.alive & ~copies.leaves)
    gone = np.flatnonzero(copies.leaves)
    arrives = gone[np.unique(copies.unit[gone], return_index=True)[1]]
    arrives = arrives[~lives_inside[copies.unit[arrives]]]
    return _Orders.at(copies, meets, MEETS).then(
        _Orders.new(copies.unit[arrives], copies.to[arrives], ARRIVES, copies.row[arrives]),
        _Orders.at(copies, gone, LEAVES),
    )
