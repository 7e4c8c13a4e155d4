"""Record keys that a change adds to file groups and removes from them.

The keys of a base file are compared with those of the base file before it. The records of a log suffice if neither an
earlier log nor the merge rule can change the result. Otherwise the slice must be merged by a function of the caller,
because this package cannot import the merge. Without the function, the records of the log are used, as in Hudi. A log
is not read if it has no deletes and the look-up of the write found its keys: the record index has them already.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from attrs import evolve, field, frozen

from hoodoo.filegroup.whole_logs import with_whole_logs
from hoodoo.format.avro.numpy_arrays import integers
from hoodoo.format.base_files import read_base_file, stored_rows
from hoodoo.format.file_names import BASE_FILE_EXTENSION, is_log_file
from hoodoo.format.log import BlockType, LogBlock, block_columns, decode_data, decode_deletes, read_blocks
from hoodoo.metadata_table.maintenance.changed_files.current_slices import CurrentSlice, Group, current_slices
from hoodoo.metadata_table.maintenance.changed_files.merge_kind import MergeKind, merge_kind
from hoodoo.metadata_table.maintenance.changed_files.parallel import in_threads
from hoodoo.metadata_table.maintenance.table_change import TableChange
from hoodoo.metadata_table.metadata_table import MetadataTable
from hoodoo.properties import TableProperties
from hoodoo.properties.property_keys import DELETE_FIELD, DELETE_MARKER, MERGE_PROPERTY
from hoodoo.schema.columns import one_array
from hoodoo.schema.meta_columns import RECORD_KEY
from hoodoo.storage import Storage, join, name_of
from hoodoo.timeline import WriteStat

__all__ = ["Group", "KeyChange", "key_changes"]

_KEYS = pa.schema([(RECORD_KEY, pa.string())])
_FLAG = "_hoodie_is_deleted"
# an array of a list would import pandas
_NO_KEYS = pa.nulls(0, pa.large_binary())
_ALL = 100_000
"""Maximum number of keys that are looked up; if there are more, all locations of the index are read."""


@frozen
class KeyChange:
    """Keys that a change adds to a file group and removes from it (`large_binary`, each at most once in a field).

    Attributes:
        group: Partition path and file id.
        added: Keys that the file group gets, also from another file group.
        removed: Keys that the file group loses.
        unsure: Keys that are removed if the record index has them in this file group.
    """

    group: Group
    added: pa.Array = field(factory=lambda: _NO_KEYS)
    removed: pa.Array = field(factory=lambda: _NO_KEYS)
    unsure: pa.Array = field(factory=lambda: _NO_KEYS)


@frozen
class _Reader:
    """Reader of the keys of the files of a change."""

    storage: Storage
    table: TableProperties
    change: TableChange
    slices: Mapping[Group, CurrentSlice]
    _deletes: dict[Group, bool] = field(factory=dict, init=False)

    def written(self, item: tuple[Group, Sequence[WriteStat]]) -> KeyChange:
        """Return the change of a file group that was written."""
        group, stats = item
        before = self.slices.get(group, CurrentSlice(None, ()))
        bases = [stat for stat in stats if (stat.path or "").endswith(BASE_FILE_EXTENSION)]
        if not bases:
            return self._of_logs(group, {stat.path or "": stat.file_size_in_bytes for stat in stats}, before)
        # a compaction does not change the keys of the slice
        return KeyChange(group) if before.logs else self._of_base(group, bases[-1], before)

    def _of_base(self, group: Group, stat: WriteStat, before: CurrentSlice) -> KeyChange:
        previous = stat.extra.get("prevBaseFile") or before.base
        if self._has_same_keys(group, stat, previous):
            return KeyChange(group)
        mine = _base_keys(self.storage, stat.path or "")
        if previous is None or stat.prev_commit == "null":
            return KeyChange(group, mine)
        theirs = _base_keys(self.storage, join(group[0], str(previous)))
        if len(theirs) <= len(mine) and mine[: len(theirs)].equals(theirs):
            # stored rows keep their positions, and new rows follow
            return KeyChange(group, mine[len(theirs) :])
        return KeyChange(group, _without(mine, theirs), _without(theirs, mine))

    def _has_same_keys(self, group: Group, stat: WriteStat, previous: Any) -> bool:
        """Return whether the counts of a base file show that it has the same keys as the one before it."""
        if not self.change.exact_counts or previous is None or stat.num_inserts or stat.num_deletes:
            return False
        earlier = join(group[0], str(previous))
        return stored_rows(self.storage, earlier) == stat.num_writes

    def _of_logs(self, group: Group, sizes: Mapping[str, int], before: CurrentSlice) -> KeyChange:
        paths = list(sizes)
        is_located = self._is_located(group, paths, before)
        if is_located and not any(self.change.located[path].deletes for path in paths):
            return KeyChange(group)
        keys, deletes = _log_keys(with_whole_logs(self.storage, sizes), self.table, paths, self.change.instant)
        live, gone = keys.filter(pc.invert(deletes)), keys.filter(deletes)
        if is_located and not self._bases(paths) and self.table.merge_mode == "COMMIT_TIME_ORDERING":
            return KeyChange(group, removed=gone)
        if is_located:
            live = _NO_KEYS
        elif before.base is not None and len(live) and self._has_all_live(group, before):
            live = _without(live, _base_keys(self.storage, join(group[0], before.base)))
        if self.change.present is None or self._decides(group, before, has_deletes=len(gone) > 0):
            return KeyChange(group, live, unsure=gone)
        asked = pa.concat_arrays([live, gone])
        there = pc.is_in(asked, value_set=self.change.present(*group, asked))
        return KeyChange(group, asked.filter(there), unsure=asked.filter(pc.invert(there)))

    def _has_all_live(self, group: Group, before: CurrentSlice) -> bool:
        """Return whether the index already has all live keys of a new log that the base file has, too.

        A rule that computes values may delete a row without a mark, which only the merge shows.
        """
        is_shown = self.change.present is None or merge_kind(self.table) is not MergeKind.UNKNOWN
        return is_shown and not self._may_delete(group, before)

    def _is_located(self, group: Group, paths: Sequence[str], before: CurrentSlice) -> bool:
        """Return whether the record index has all keys of the given logs in the file group, except deleted keys.

        A look-up in base files finds keys that a log has deleted, and a compaction may have removed them since.
        """
        if not all(path in self.change.located for path in paths) or merge_kind(self.table) is not MergeKind.WHOLE:
            return False
        bases = self._bases(paths)
        return not bases or (bases == {before.base} and not self._may_delete(group, before))

    def _bases(self, paths: Sequence[str]) -> set[str]:
        """Return the names of base files in which the keys of logs were found; none if the record index was used."""
        found = (self.change.located[path].base for path in paths)
        return {base for base in found if base is not None}

    def _decides(self, group: Group, before: CurrentSlice, *, has_deletes: bool) -> bool:
        """Return whether the records of a log show which of their keys exist, without the other files of the slice."""
        if merge_kind(self.table) is not MergeKind.WHOLE or self._may_delete(group, before):
            return False
        return not has_deletes or self.table.merge_mode == "COMMIT_TIME_ORDERING"

    def _may_delete(self, group: Group, before: CurrentSlice) -> bool:
        """Return whether a log of a slice may have deletes with precedence over later records; logs are read once."""
        if group not in self._deletes:
            self._deletes[group] = self._has_deletes(group, before)
        return self._deletes[group]

    def _has_deletes(self, group: Group, before: CurrentSlice) -> bool:
        for name in before.logs:
            for block in read_blocks(self.storage, join(group[0], name)):
                if isinstance(block, LogBlock) and block.instant != self.change.instant:
                    is_data = block.type in (BlockType.AVRO_DATA, BlockType.PARQUET_DATA)
                    if block.type is BlockType.DELETE or (is_data and _marks(self.storage, self.table, block)):
                        return True
        return False

    def replaced(self, group: Group) -> KeyChange:
        """Return the change of a file group that was replaced."""
        before = self.slices.get(group)
        if before is None:
            return KeyChange(group)
        stored = _NO_KEYS if before.base is None else _base_keys(self.storage, join(group[0], before.base))
        if not before.logs:
            return KeyChange(group, removed=stored)
        logged, _ = _log_keys(self.storage, self.table, [join(group[0], name) for name in before.logs], None)
        return KeyChange(group, unsure=pc.unique(pa.concat_arrays([stored, logged])))


def key_changes(metadata_table: MetadataTable, change: TableChange) -> list[KeyChange]:
    """Return the change of the keys of each file group that a commit writes or replaces.

    Args:
        metadata_table: The metadata table before the commit.
        change: The files that the commit writes, and the file groups that it replaces.

    Raises:
        CorruptTableError: A file is missing or damaged.
        UnsupportedTable: A file or a log block cannot be read.
    """
    written: dict[Group, list[WriteStat]] = {}
    for stat in change.stats:
        if stat.path:
            written.setdefault((stat.partition_path or "", stat.file_id), []).append(stat)
    replaced = [(partition, file_id) for partition, ids in change.replaced.items() for file_id in ids]
    partitions = {partition for partition, _ in (*written, *replaced)}
    slices = current_slices(metadata_table, metadata_table.timeline, partitions)
    reader = _Reader(metadata_table.storage, metadata_table.table, change, slices)
    storage = metadata_table.storage
    found = in_threads(reader.written, list(written.items()), storage) + in_threads(reader.replaced, replaced, storage)
    return _certain(found, metadata_table)


def _certain(found: Sequence[KeyChange], metadata_table: MetadataTable) -> list[KeyChange]:
    """Return changes without unsure keys: unsure keys that the index has in the file group become removed keys."""
    unsure = [part for part in found if len(part.unsure)]
    if not unsure:
        return list(found)
    count = sum(len(part.unsure) for part in unsure)
    keys = None if count > _ALL else pc.unique(pa.concat_arrays([part.unsure for part in unsure]))
    located = metadata_table.record_locations(keys)
    sure = []
    for part in found:
        if not len(part.unsure):
            sure.append(part)
            continue
        partition, file_id = part.group
        here = pc.and_(pc.equal(located.column("partition"), partition), pc.equal(located.column("file_id"), file_id))
        mine = one_array(located.filter(here).column("key")).cast(pa.large_binary())
        removed = part.unsure.filter(pc.is_in(part.unsure, value_set=mine))
        sure.append(evolve(part, removed=pa.concat_arrays([part.removed, removed]), unsure=_NO_KEYS))
    return sure


def _without(keys: pa.Array, others: pa.Array) -> pa.Array:
    return keys.filter(pc.invert(pc.is_in(keys, value_set=others)))


def _base_keys(storage: Storage, path: str) -> pa.Array:
    parts = [one_array(rows.column(0)).cast(pa.large_binary()) for rows in read_base_file(storage, path, _KEYS)]
    return pa.concat_arrays([_NO_KEYS, *parts])


def _log_keys(
    storage: Storage, table: TableProperties, paths: Sequence[str], instant: str | None
) -> tuple[pa.Array, pa.Array]:
    """Return the keys of records in logs, each once, and a mask of those whose last record is a delete."""
    keys, deletes = [_NO_KEYS], [pa.array([], pa.bool_())]
    for path in paths:
        for block in read_blocks(storage, path) if is_log_file(name_of(path)) else ():
            if not isinstance(block, LogBlock) or (instant is not None and block.instant != instant):
                continue
            # the block of a log compaction has the records of earlier blocks
            if instant is not None and block.compacted_times:
                continue
            for found, gone in _block_keys(storage, table, block):
                keys.append(found)
                deletes.append(gone)
    every = pa.concat_arrays(keys)
    codes = every.dictionary_encode()
    last = np.zeros(len(codes.dictionary), np.int64)
    # the last of several positions is kept
    last[codes.indices.to_numpy(zero_copy_only=False)] = np.arange(len(every))
    return every.take(integers(last)), pa.concat_arrays(deletes).take(integers(last))


def _block_keys(storage: Storage, table: TableProperties, block: LogBlock) -> Iterator[tuple[pa.Array, pa.Array]]:
    """Yield the keys of records of a block, and a mask of the deletes."""
    if block.type is BlockType.DELETE:
        keys = one_array(decode_deletes(storage, block, []).column("record_key")).cast(pa.large_binary())
        yield keys, pa.repeat(True, len(keys))
    elif block.type in (BlockType.AVRO_DATA, BlockType.PARQUET_DATA):
        marks = _marks(storage, table, block)
        read = pa.schema([(RECORD_KEY, pa.string()), *((name, pa.scalar(mark).type) for name, mark in marks.items())])
        for rows in decode_data(storage, block, read):
            gone = pa.repeat(False, rows.num_rows)
            for name, mark in marks.items():
                gone = pc.or_(gone, pc.fill_null(pc.equal(one_array(rows.column(name)), mark), False))
            yield one_array(rows.column(0)).cast(pa.large_binary()), gone


def _marks(storage: Storage, table: TableProperties, block: LogBlock) -> dict[str, bool | str]:
    """Return the columns of a block that mark deletes, each with the value of the mark."""
    marks: dict[str, bool | str] = {_FLAG: True}
    name, mark = _property(table, DELETE_FIELD), _property(table, DELETE_MARKER)
    if name and mark and name not in (_FLAG, RECORD_KEY):
        marks[name] = mark
    columns = block_columns(storage, block)
    return {name: mark for name, mark in marks.items() if name in columns}


def _property(table: TableProperties, key: str) -> str:
    return table.get(key) or table.get(f"{MERGE_PROPERTY}{key}") or ""
