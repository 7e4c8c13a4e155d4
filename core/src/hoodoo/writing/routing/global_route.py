"""Routes of rows with a global index, to the file groups that hold their keys or out of them.

A key is looked up in every base file, and its rows are merged with the stored row in the file group that holds it.
Where they belong to another partition and stored rows move, the stored row is read and merged here. A stored row that
wins stays in its file group. Otherwise the old file group gets an order to remove the key, and a file group of the new
partition gets the merged row, which is not merged again.
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
from hoodoo.storage import Storage
from hoodoo.writing.routing.key_locations import KeyLocations, LookupKeys, PathNames
from hoodoo.writing.routing.partition_moves import ARRIVES, COUNT, FATE, LEAVES, MEETS, MERGED, PARTITION, merged_type
from hoodoo.writing.routing.shuffle_route import PACKED, Router
from hoodoo.writing.routing.small_files import Packing, record_size
from hoodoo.writing.routing.task_plan import TaskPlan
from hoodoo.writing.tasks.incoming_rows import ROUTE, SLOT, Incoming, runs
from hoodoo.writing.tasks.key_collisions import Collisions
from hoodoo.writing.tasks.repeated_keys import check_no_repeats
from hoodoo.writing.tasks.stored_rows import Splits
from hoodoo.writing.tasks.stored_versions import StoredVersions

__all__ = ["GlobalLookup"]

NOT_YET = -1

Ints = NDArray[np.int64]


@define
class GlobalLookup:
    """Look-up of keys in all partitions. One task gets all rows of a key.

    Attributes:
        plan: The write.
        splits: How slices with logs are read whose rows may move.
    """

    plan: TaskPlan
    splits: Splits
    _rule: Rule = field(init=False)
    _incoming: Incoming = field(init=False)
    _storage: Storage = field(init=False)
    _collisions: Collisions = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._rule = self.plan.rule.make_rule()
        self._incoming = Incoming(self.plan, self._rule)
        self._storage = self.plan.table.open_storage()
        self._collisions = Collisions(self.plan)

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
        """Yield the rows with route, partition and slot of their file group, and further rows for moves."""
        for rows in runs(batches):
            yield self._spread(rows)

    def _spread(self, rows: pa.Table) -> pa.Table:
        names = PathNames()
        units, rows = self._units(rows, names)
        copies = KeyLocations.find(self.plan, self._storage, units.keys, names)
        if self.plan.operation.merges:
            versions = StoredVersions(self.plan, self._rule, self._storage, self._collisions, self.splits)
            copies.resolve(units, names, versions, self._incoming.partition_paths)
            orders = _merging(units, copies)
        else:
            # an insert looks keys up to leave out those that are stored
            orders = _Orders.at(copies, np.unique(copies.unit, return_index=True)[1], MEETS)
        fresh = np.setdiff1d(np.arange(len(units)), orders.unit)
        orders = orders.then(_Orders.new(fresh, units.target[fresh]))
        self._pack(orders, units, names, record_size(self.plan, rows))
        return self._with_orders(rows, units, orders, copies.merged, names)

    def _units(self, rows: pa.Table, names: PathNames) -> tuple[LookupKeys, pa.Table]:
        """Return the records to look up, and the rows they come from, without those that a delete rule leaves out."""
        rows, source = self._incoming.versions(rows, self._incoming.record_keys(rows))
        keys, paths = source.keys, self._incoming.partition_paths(rows)
        self._collisions.check_batch(rows, keys)
        if not (self.plan.operation.merges or self.plan.operation.combines):
            return LookupKeys(source.records(), keys, names.numbers(paths), np.arange(len(keys))), rows
        records = self._rule.fold(source, self._incoming.arrival(rows))
        if self.plan.operation.refuses_repeats:
            check_no_repeats(keys, len(records))
        unique = records.keys
        of_row = pc.index_in(keys, value_set=unique).to_numpy(zero_copy_only=False).astype(np.int64)
        return LookupKeys(records, unique, names.numbers(self._paths(paths, records)), of_row), rows

    def _paths(self, paths: pa.Array, records: Records) -> pa.Array:
        """Return the partition paths of folded records."""
        by = [name.split(".")[0] for name in self.plan.keys.config.partition_columns]
        if any(name in records.patches for name in by):
            return self._incoming.partition_paths(pa.table({name: records.column(name) for name in by}))
        return paths.take(pa.array(records.rows))

    def _pack(self, orders: _Orders, units: LookupKeys, names: PathNames, size: int) -> None:
        """Assign slots to the orders that have none."""
        packing = Packing(self.plan, share=self.plan.distribution.searchers)
        open_ = orders.slot == NOT_YET
        for number in np.unique(orders.partition[open_]).tolist():
            mine = np.flatnonzero(open_ & (orders.partition == number))
            keys = units.keys.take(pa.array(orders.unit[mine]))
            orders.slot[mine] = packing.slots(names.names[number], keys, size).astype(np.int64) | PACKED

    def _with_orders(
        self,
        rows: pa.Table,
        units: LookupKeys,
        orders: _Orders,
        merged: pa.Table | None,
        names: PathNames,
    ) -> pa.Table:
        """Return the rows that carry out the orders. A row of the batch is repeated for each order of its key."""
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
        routed = rows.take(pa.array(source))
        routed = routed.set_column(
            routed.schema.get_field_index(ROUTE), ROUTE, pa.array(routes[inverse.reshape(-1)][order])
        )
        columns = {
            SLOT: pa.array(orders.slot[order].astype(np.int32)),
            PARTITION: names.text(orders.partition[order]),
            FATE: pa.array(orders.fate[order].astype(np.int32)),
            COUNT: pa.array(count[order]),
            MERGED: self._merged(merged, orders.row[order]),
        }
        for name, values in columns.items():
            routed = routed.append_column(name, values)
        return routed

    def _merged(self, merged: pa.Table | None, places: Ints) -> pa.Array:
        """Return the merged rows at some positions, null for positions below 0."""
        type_ = merged_type(self.plan.table.schema)
        if merged is None:
            return pa.nulls(len(places), type_)
        rows = merged.take(pa.array(places, mask=places < 0))
        arrays = [one_array(rows.column(name)) for name in self.plan.table.schema.names]
        return pa.StructArray.from_arrays(arrays, fields=list(type_), mask=pa.array(places < 0))


@frozen(eq=False)
class _Orders:
    """Orders to file groups, one entry per record and file group.

    Attributes:
        unit: The record.
        partition: The number of the partition.
        slot: The slot of the file group; -1 until one is chosen.
        fate: `MEETS`, `LEAVES` or `ARRIVES`.
        row: The merged row of a record that arrives; -1 for others.
    """

    unit: Ints
    partition: Ints
    slot: Ints
    fate: Ints
    row: Ints

    @classmethod
    def at(cls, copies: KeyLocations, which: Ints, fate: int) -> _Orders:
        """Return orders for stored copies."""
        unit, partition, slot = (values[which] for values in (copies.unit, copies.partition, copies.slot))
        return cls(unit, partition, slot, np.full(len(which), fate), np.full(len(which), -1))

    @classmethod
    def new(cls, unit: Ints, partition: Ints, fate: int = MEETS, row: Ints | None = None) -> _Orders:
        """Return orders whose slots are chosen later, by size."""
        none = np.full(len(unit), -1)
        return cls(unit, partition, np.full(len(unit), NOT_YET), np.full(len(unit), fate), none if row is None else row)

    def then(self, *others: _Orders) -> _Orders:
        """Return these orders, followed by others."""
        parts = (self, *others)
        return _Orders(
            *(np.concatenate([getattr(p, n) for p in parts]) for n in ("unit", "partition", "slot", "fate", "row"))
        )


def _merging(units: LookupKeys, copies: KeyLocations) -> _Orders:
    """Return the orders of an operation that merges.

    A row that leaves arrives once, unless the key has a live copy in its own partition already. A copy that a log has
    deleted does not count: a row in a log behind that delete would bring back the row of the base file.
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
