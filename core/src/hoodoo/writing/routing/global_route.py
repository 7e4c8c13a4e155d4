"""Routes of rows with a global index, and moves of stored rows to other partitions.

A key is looked up in an index of all keys, or else in every base file, and its incoming rows are merged with the stored
row in the file group that contains the key. If stored rows move, and the incoming rows are not a delete and belong to
another partition, the stored row is read and merged here. If the merged row belongs to another partition, the old file
group gets an order to remove the key, and a file group of the new partition gets the merged row, which is not merged
again.
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
from hoodoo.writing.routing.partition_moves import (
    COUNT,
    EFFECT,
    INSERT,
    MERGE,
    MERGED_ROW,
    PARTITION,
    REMOVE,
    merged_type,
)
from hoodoo.writing.routing.shuffle_route import PACKED, Router
from hoodoo.writing.routing.small_files import Packing, record_size
from hoodoo.writing.routing.task_plan import TaskPlan
from hoodoo.writing.tasks.incoming_rows import ROUTE, SLOT, Incoming, runs
from hoodoo.writing.tasks.key_collisions import Collisions
from hoodoo.writing.tasks.repeated_keys import check_no_repeats
from hoodoo.writing.tasks.statement_rows import StatementRows
from hoodoo.writing.tasks.stored_rows import Splits
from hoodoo.writing.tasks.stored_versions import StoredVersions

__all__ = ["GlobalLookup"]

NOT_YET = -1

Ints = NDArray[np.int64]


@define
class GlobalLookup:
    """Look-up of keys in all partitions. One task gets all rows of a key.

    Attributes:
        plan: The plan of the write.
        splits: Splits of the slices with logs that the task may read.
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
            yield self._routed(rows)

    def _routed(self, rows: pa.Table) -> pa.Table:
        names = PathNames()
        lookup, rows = self._lookup_keys(rows, names)
        locations = KeyLocations.find(self.plan, self._storage, lookup.keys, names)
        if self.plan.operation.merges:
            versions = StoredVersions(self.plan, self._rule, self._storage, self._collisions, self.splits)
            locations.resolve(lookup, names, versions, self._incoming.partition_paths)
            orders = _merging(lookup, locations)
        else:
            # an insert looks keys up to leave out those that are stored
            orders = _Orders.at(locations, np.unique(locations.record, return_index=True)[1], MERGE)
        fresh = np.setdiff1d(np.arange(len(lookup)), orders.record)
        orders = orders.then(_Orders.new(fresh, lookup.target[fresh]))
        self._pack(orders, lookup, names, record_size(self.plan, rows))
        return self._with_orders(rows, lookup, orders, locations.merged, names)

    def _lookup_keys(self, rows: pa.Table, names: PathNames) -> tuple[LookupKeys, pa.Table]:
        """Return the records to look up, and their incoming rows without those that a delete rule leaves out."""
        rows, source = self._incoming.versions(rows, self._incoming.record_keys(rows))
        keys, paths = source.keys, self._incoming.partition_paths(rows)
        self._collisions.check_batch(rows, keys)
        if self.plan.operation.statement is not None:
            # rows that move are merged here
            StatementRows(self.plan, self._rule).check(rows, source)
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

    def _pack(self, orders: _Orders, lookup: LookupKeys, names: PathNames, size: int) -> None:
        """Assign slots to the orders that have none."""
        packing = Packing(self.plan, share=self.plan.index.most_tasks(self.plan.distribution.searchers))
        open_ = orders.slot == NOT_YET
        for number in np.unique(orders.partition[open_]).tolist():
            mine = np.flatnonzero(open_ & (orders.partition == number))
            keys = lookup.keys.take(pa.array(orders.record[mine]))
            orders.slot[mine] = packing.slots(names.names[number], keys, size).astype(np.int64) | PACKED

    def _with_orders(
        self,
        rows: pa.Table,
        lookup: LookupKeys,
        orders: _Orders,
        merged: pa.Table | None,
        names: PathNames,
    ) -> pa.Table:
        """Return the rows with the orders: all rows of the key for a `MERGE`, and one row for each other order."""
        by_record = np.argsort(lookup.of_row, kind="stable")
        counts = np.bincount(lookup.of_row, minlength=len(lookup))
        starts = np.cumsum(counts) - counts
        copied = np.where(orders.effect == MERGE, counts[orders.record], 1)
        order = np.repeat(np.arange(len(copied)), copied)
        within = np.arange(len(order)) - np.repeat(np.cumsum(copied) - copied, copied)
        source = by_record[starts[orders.record][order] + within]
        # each row of the batch is counted once, with the first order of its key
        first = np.zeros(len(copied), dtype=bool)
        first[np.unique(orders.record, return_index=True)[1]] = True
        count = np.where(first, np.where(orders.effect == MERGE, 1, counts[orders.record]), 0)
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
            EFFECT: pa.array(orders.effect[order].astype(np.int32)),
            COUNT: pa.array(count[order]),
            MERGED_ROW: self._merged(merged, orders.row[order]),
        }
        for name, values in columns.items():
            routed = routed.append_column(name, values)
        return routed

    def _merged(self, merged: pa.Table | None, places: Ints) -> pa.Array:
        """Return the merged rows at n positions as structs; null where a position is negative."""
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
        record: The number of the record.
        partition: The number of the partition.
        slot: The slot of the file group; -1 until one is chosen.
        effect: `MERGE`, `REMOVE` or `INSERT`.
        row: The number of the merged row of an `INSERT`; -1 for others.
    """

    record: Ints
    partition: Ints
    slot: Ints
    effect: Ints
    row: Ints

    @classmethod
    def at(cls, locations: KeyLocations, which: Ints, effect: int) -> _Orders:
        """Return orders with one effect for the file groups of the key locations `which`."""
        record, partition, slot = (values[which] for values in (locations.record, locations.partition, locations.slot))
        return cls(record, partition, slot, np.full(len(which), effect), np.full(len(which), -1))

    @classmethod
    def new(cls, record: Ints, partition: Ints, effect: int = MERGE, row: Ints | None = None) -> _Orders:
        """Return orders whose slots are chosen later, by size."""
        none = np.full(len(record), -1)
        return cls(
            record, partition, np.full(len(record), NOT_YET), np.full(len(record), effect), none if row is None else row
        )

    def then(self, *others: _Orders) -> _Orders:
        """Return these orders, followed by others."""
        parts = (self, *others)
        return _Orders(
            *(np.concatenate([getattr(p, n) for p in parts]) for n in ("record", "partition", "slot", "effect", "row"))
        )


def _merging(lookup: LookupKeys, locations: KeyLocations) -> _Orders:
    """Return the orders of an operation that merges.

    A moved row is inserted once, unless its new partition already has a row of the key. A location whose row
    a log has deleted gets no order, because a record in a later log would restore the row of the base file; a record
    without another location has a new key.
    """
    lives_inside = np.zeros(len(lookup), dtype=bool)
    lives_inside[locations.record[locations.alive & ~locations.is_outside(lookup)]] = True
    meets = np.flatnonzero(locations.alive & ~locations.leaves)
    gone = np.flatnonzero(locations.leaves)
    arrives = gone[np.unique(locations.record[gone], return_index=True)[1]]
    arrives = arrives[~lives_inside[locations.record[arrives]]]
    return _Orders.at(locations, meets, MERGE).then(
        _Orders.new(locations.record[arrives], locations.to[arrives], INSERT, locations.row[arrives]),
        _Orders.at(locations, gone, REMOVE),
    )
