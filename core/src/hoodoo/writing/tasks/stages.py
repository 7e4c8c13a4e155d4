"""What runs in a task, over Arrow batches: route rows, find where keys are stored, merge and write file groups."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from attrs import define, evolve
from numpy.typing import NDArray

from hoodoo.errors import DataError
from hoodoo.index.bucket_index import bucket_ids
from hoodoo.keys.partition_path import check_partition_paths
from hoodoo.merge import Rule
from hoodoo.record import Records
from hoodoo.schema.columns import examples_of, one_array
from hoodoo.storage import storage_for
from hoodoo.writing.arrow_limits import large_columns_named
from hoodoo.writing.file_status import FileStatus
from hoodoo.writing.routing.global_route import SpreadTask
from hoodoo.writing.routing.partition_moves import COUNT, PARTITION, Moved
from hoodoo.writing.routing.shuffle_route import PACKED, Router, ordinal_of, pack_route
from hoodoo.writing.routing.small_files import Packing, record_size
from hoodoo.writing.routing.task_plan import SliceRef, TaskPlan
from hoodoo.writing.tasks.base_file import WriteToken
from hoodoo.writing.tasks.file_group_writer import GroupWriter
from hoodoo.writing.tasks.incoming_rows import ROUTE, SLOT, Incoming, runs
from hoodoo.writing.tasks.slice_lookup import located

__all__ = ["MergeTask", "RouteTask", "TagTask"]

CHUNK_ROWS = 256 * 1024


@define
class RouteTask:
    """Routes rows by their key columns alone, before anything is shuffled.

    With a bucket index to the task of the file group; with another to the task of the partition, or, where
    one partition is to be shared by several tasks, by hash of the key. With a global index by hash of the key alone.
    """

    plan: TaskPlan
    shared: bool

    def __call__(self, batches: Iterable[pa.Table]) -> Iterator[NDArray[np.int64]]:
        """The routes of each batch of key columns."""
        incoming = Incoming(self.plan, self.plan.rule.make_rule())
        router = Router.of_groups(self.plan) if self.plan.buckets else Router.of_partitions(self.plan)
        for rows in batches:
            incoming.check_key_text(rows)
            partitions = incoming.partition_paths(rows)
            check_partition_paths(partitions)
            keys = incoming.record_keys(rows)
            if self.plan.buckets:
                slots = bucket_ids(keys, self.plan.buckets, self.plan.bucket_by, self.plan.keys.record_key)
                yield router.routes(partitions, slots)
            elif self.plan.spans:
                task = bucket_ids(keys, self.plan.searchers).astype(np.int64)
                yield pack_route(task, np.zeros_like(task))
            else:
                routes = router.routes(partitions, np.zeros(rows.num_rows, dtype=np.int32))
                if self.shared:
                    routes = pack_route(bucket_ids(keys, self.plan.bins).astype(np.int64), ordinal_of(routes))
                yield routes


@define
class TagTask:
    """Finds the file groups of keys where several tasks share a partition; new keys get one by hash and estimate."""

    plan: TaskPlan
    token: WriteToken

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
        """The rows with route and slot of their file group; a row whose key is stored twice comes twice."""
        with large_columns_named():
            yield from SpreadTask(self.plan)(batches) if self.plan.spans else self._tagged(batches)

    def _tagged(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
        rule = self.plan.rule.make_rule()
        incoming = Incoming(self.plan, rule)
        writer = GroupWriter(self.plan, rule, storage_for(self.plan.uri, self.plan.storage_options), self.token)
        router = Router.of_groups(self.plan)
        packing = Packing(self.plan, share=self.plan.bins)
        for run in runs(batches):
            for start in range(0, run.num_rows, CHUNK_ROWS):
                chunk = run.slice(start, CHUNK_ROWS)
                for partition, rows in _by_partition(chunk, incoming.partition_paths(chunk)):
                    yield self._tag(partition, rows, incoming, writer, router, packing)

    def _tag(
        self, partition: str, rows: pa.Table, incoming: Incoming, writer: GroupWriter, router: Router, packing: Packing
    ) -> pa.Table:
        keys = incoming.record_keys(rows)
        position, slot, new = np.empty(0, np.int64), np.empty(0, np.int32), np.ones(len(keys), dtype=bool)
        if self.plan.looks_up:
            search = writer.search(keys)
            slices = self.plan.slices.get(partition, {})
            for number, found in located(self.plan, writer.storage, partition, slices, search).items():
                new[found] = False
                position = np.concatenate([position, found])
                slot = np.concatenate([slot, np.full(len(found), number, dtype=np.int32)])
        fresh = np.flatnonzero(new)
        slots = packing.slots(partition, keys.take(pa.array(fresh)), record_size(self.plan, rows))
        position, slot = np.concatenate([position, fresh]), np.concatenate([slot, slots | PACKED])
        routes = np.array([router.route(partition, int(n) & ~PACKED) for n in np.unique(slot)], dtype=np.int64)
        tagged = rows.take(pa.array(position))
        tagged = tagged.set_column(
            tagged.schema.get_field_index(ROUTE), ROUTE, pa.array(routes[np.unique(slot, return_inverse=True)[1]])
        )
        # nothing that another run of the task would give otherwise, such as a time: Spark would not take its rows
        return tagged.append_column(SLOT, pa.array(slot))


@define
class MergeTask:
    """Merges and writes the file groups whose rows it gets, in order of their routes."""

    plan: TaskPlan
    token: WriteToken

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[FileStatus]:
        """One status per file."""
        rule = self.plan.rule.make_rule()
        incoming = Incoming(self.plan, rule)
        writer = GroupWriter(self.plan, rule, storage_for(self.plan.uri, self.plan.storage_options), self.token)
        with large_columns_named():
            for run in runs(batches):
                yield from self._run(writer, incoming, rule, run)
                del run  # freed before the rows of the next one come in

    def _run(self, writer: GroupWriter, incoming: Incoming, rule: Rule, run: pa.Table) -> Iterator[FileStatus]:
        if self.plan.groups_by_value:  # others were routed by their keys
            incoming.check_key_text(run)
        paths = one_array(run.column(PARTITION)) if self.plan.spans else incoming.partition_paths(run)
        for partition, rows in _by_partition(run, paths):
            origin = writer.collisions.origin(partition, rows)
            for status in self._written(writer, incoming, rule, partition, rows):
                yield evolve(status, origin=origin)
                origin = None

    def _written(
        self, writer: GroupWriter, incoming: Incoming, rule: Rule, partition: str, rows: pa.Table
    ) -> Iterator[FileStatus]:
        """Write the rows of one partition, by file group where their slots are given."""
        if self.plan.operation == "delete_partition":
            yield FileStatus.nothing_written(partition, rows.num_rows)
            return
        keys = incoming.record_keys(rows)
        packed: NDArray[np.bool_] | None = None
        if self.plan.buckets:
            slots = bucket_ids(keys, self.plan.buckets, self.plan.bucket_by, self.plan.keys.record_key)
        elif SLOT in rows.column_names:
            tagged = one_array(rows.column(SLOT)).to_numpy(zero_copy_only=False)
            slots, packed = tagged & ~PACKED, (tagged & PACKED) != 0
        else:
            yield from self._partition(writer, incoming, rule, partition, rows, keys)
            return
        for slot in np.unique(slots).tolist():
            mine = np.flatnonzero(slots == slot)
            whole = len(mine) == rows.num_rows
            part, part_keys = (rows, keys) if whole else (rows.take(pa.array(mine)), keys.take(pa.array(mine)))
            counted, moved = part.num_rows, None
            if self.plan.spans:
                counted, moved = pc.sum(part.column(COUNT)).as_py(), Moved.of(self.plan, rule, part, part_keys)
            if moved is not None:
                meeting = pa.array(Moved.others(part))
                part, part_keys = part.take(meeting).combine_chunks(), part_keys.take(meeting)
            records = self._records(writer, incoming, rule, part, part_keys)
            fills = packed is not None and bool(packed[mine].any())
            yield from self._group(writer, partition, slot, records, counted, fills, moved)

    def _records(self, writer: GroupWriter, incoming: Incoming, rule: Rule, rows: pa.Table, keys: pa.Array) -> Records:
        """One record per key where the operation merges; every row, in order of arrival, where it appends."""
        rows, source = incoming.versions(rows, keys)
        if not self.plan.spans:  # with a global index rows of a key met before, over all partitions
            writer.collisions.check_batch(rows, source.keys)
        arrival = incoming.arrival(rows)
        if self.plan.merges or self.plan.combines:
            return rule.fold(source, arrival)
        return source.records(np.argsort(arrival, kind="stable"))

    def _group(
        self,
        writer: GroupWriter,
        partition: str,
        slot: int,
        records: Records,
        incoming: int,
        fills: bool,
        moved: Moved | None = None,
    ) -> Iterator[FileStatus]:
        """The records of one file group; `fills` says that new keys are among them, for a small file."""
        ref = self.plan.slices.get(partition, {}).get(slot)
        if not len(records) and moved is None:
            yield FileStatus.nothing_written(partition, incoming)
        elif ref is not None:
            before = len(records)
            records, seconds = self._without_stored(writer, partition, [ref], records)
            status = self._stored(writer, partition, ref, records, incoming, fills, moved)
            yield evolve(status, ignored=status.ignored + before - len(records), index_seconds=seconds)
        elif self.plan.buckets:
            yield from writer.create_bucket(partition, slot, records, incoming)
        else:
            yield from writer.create(partition, records, incoming, moved)

    def _without_stored(
        self, writer: GroupWriter, partition: str, slices: Collection[SliceRef], records: Records
    ) -> tuple[Records, float]:
        """Leave out the records of an insert whose keys slices hold; return the others, and the seconds of the search.

        Raises:
            DataError: A key is stored, and the policy is `fail`; or it is stored for other values.
        """
        if self.plan.merges or not self.plan.looks_up:
            return records, 0.0
        search = writer.search(records.keys)
        found = [search.locate(ref.path, ref.late) for ref in slices]
        for ref, positions in zip(slices, found, strict=True):
            writer.collisions.check_unread(writer.storage, partition, ref, records.take(positions))
        return self._new(records, np.unique(np.concatenate([np.empty(0, np.int64), *found]))), search.seconds

    def _new(self, records: Records, found: NDArray[np.int64]) -> Records:
        if not len(found):
            return records
        if self.plan.dup_policy == "fail":
            examples = examples_of(records.take(found).keys)
            raise DataError(
                f"{len(found)} rows have keys that are stored already (such as {examples}), and 'dup_policy' is fail; "
                "upsert them, or insert with dup_policy=drop",
                code="duplicate_key",
            )
        return records.take(np.setdiff1d(np.arange(len(records)), found))

    def _stored(
        self,
        writer: GroupWriter,
        partition: str,
        ref: SliceRef,
        records: Records,
        incoming: int,
        fills: bool,
        moved: Moved | None = None,
    ) -> FileStatus:
        """Records for a stored slice: into its base file, or into a log of a merge-on-read table.

        What is only inserted never merges, so that it goes to the base file; a slice with logs cannot get another base
        file without being compacted, and readers merge what is inserted there by key.
        """
        if self.plan.appends and (not fills if self.plan.merges else ref.logs or not ref.path):
            return writer.append(partition, ref, records, incoming, moved)
        return writer.rewrite(partition, ref, records, incoming, moved)

    def _partition(
        self, writer: GroupWriter, incoming: Incoming, rule: Rule, partition: str, rows: pa.Table, keys: pa.Array
    ) -> Iterator[FileStatus]:
        """All rows of one partition: keys are looked up in its slices, new ones fill small files, then new groups."""
        records = self._records(writer, incoming, rule, rows, keys)
        if self.plan.operation == "bulk_insert":
            yield from writer.create(partition, records, rows.num_rows)
            return
        counted, folded = rows.num_rows, len(records)
        slices = self.plan.slices.get(partition, {})
        records, seconds = self._without_stored(writer, partition, slices.values(), records)
        new = np.ones(len(records), dtype=bool)
        members: dict[int, NDArray[np.int64]] = {}
        if self.plan.merges:
            search = writer.search(records.keys)
            members = located(self.plan, writer.storage, partition, slices, search)
            for positions in members.values():
                new[positions] = False
            seconds = search.seconds
            del search  # its copy of the keys, which nothing needs while files are written
        rest, filled = np.flatnonzero(new & ~records.is_delete), set()
        for slot, capacity in Packing(self.plan).capacities(partition, record_size(self.plan, rows)):
            if not len(rest):
                break
            members[slot] = np.concatenate([members.get(slot, np.empty(0, np.int64)), rest[:capacity]])
            rest = rest[capacity:]
            filled.add(slot)
        # rows that lost to another of their batch, or were left out, are counted with the first file
        counted, ignored = counted - len(records), folded - len(records)
        for slot, mine in members.items():
            if len(mine):
                part = records.take(mine)
                status = self._stored(writer, partition, slices[slot], part, len(mine) + counted, slot in filled)
                yield evolve(status, ignored=status.ignored + ignored, index_seconds=seconds)
                counted, ignored, seconds = 0, 0, 0.0
        absent = np.flatnonzero(new & records.is_delete)
        if len(rest) or len(absent):
            rest = np.concatenate([rest, absent])
            for status in writer.create(partition, records.take(rest), len(rest) + counted):
                yield evolve(status, ignored=status.ignored + ignored, index_seconds=seconds)
                counted, ignored, seconds = 0, 0, 0.0
        if counted:
            yield evolve(FileStatus.nothing_written(partition, counted, ignored), index_seconds=seconds)


def _by_partition(rows: pa.Table, partitions: pa.Array) -> Iterator[tuple[str, pa.Table]]:
    """Rows per partition path; mostly there is one. Not every row has been routed by its path."""
    encoded = partitions.dictionary_encode()
    check_partition_paths(encoded.dictionary)
    names = encoded.dictionary.to_pylist()
    if len(names) == 1:
        del encoded, partitions  # not kept while the rows are merged
        yield names[0], rows
        return
    for code, name in enumerate(names):
        yield name, rows.filter(pc.equal(encoded.indices, code))
