"""Record keys of the file slices to which a commit writes logs, before the commit is complete."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from threading import Lock

import pyarrow as pa
import pyarrow.compute as pc
from attrs import evolve

from hoodoo.filegroup import FileSlice, LogFile, slices_of_groups
from hoodoo.format.file_names import LogFileName
from hoodoo.properties import TableProperties
from hoodoo.reading.path_columns import with_path_columns
from hoodoo.reading.slice_splits import Wanted, slice_splits
from hoodoo.reading.split import Split
from hoodoo.schema.meta_columns import RECORD_KEY, with_meta
from hoodoo.storage import FileInfo, Storage, name_of
from hoodoo.timeline import Timeline

__all__ = ["keys_after"]

Group = tuple[str, str]
"""Partition path and file id."""

_WANTED = pa.schema([(RECORD_KEY, pa.string())])


def keys_after(
    storage: Storage,
    properties: TableProperties,
    timeline: Timeline,
    columns: pa.Schema,
    instant: str,
    logs: Mapping[Group, Sequence[str]],
) -> Callable[[str, str, pa.Array], pa.Array]:
    """Return a function that finds which of some keys a file slice will have after a commit.

    The function takes a partition path, a file id and an array of keys, and returns an array of the found keys. It
    merges the logs of the slice by the rule of the table, including the blocks of the pending instant. It may be called
    in several threads.

    Args:
        storage: The table's files; the partitions are listed at the first call of the function.
        properties: The table properties.
        timeline: The timeline, on which the instant is pending.
        columns: The columns of the table after the commit, without meta columns.
        instant: The instant that writes the logs.
        logs: Table-relative paths of the logs that the instant wrote, by file group.

    Raises:
        CorruptTableError: By the function: a file of a slice is missing or damaged.
        UnsupportedTable: By the function: a file or a log block needs a feature that hoodoo does not support.
        SchemaError: By the function: the values of a column in a file cannot be cast to its type in the table.
        PluginError: By the function: the merge rule or a delete rule is not installed, failed, or returned a wrong
            result.
    """
    table = with_meta(with_path_columns(columns, properties))
    lock = Lock()

    @cache
    def state() -> tuple[Mapping[str, FileInfo], Mapping[Group, FileSlice]]:
        files = {info.path: info for partition in {p for p, _ in logs} for info in storage.list(partition)}
        slices, missing = slices_of_groups(files.values(), timeline, set(logs))
        for error in missing.values():
            raise error
        return files, slices

    def keys_of(partition: str, file_id: str, keys: pa.Array) -> pa.Array:
        with lock:
            files, slices = state()
        group = partition, file_id
        written = [_log(files[path], instant) for path in logs.get(group, ())]
        file_slice = _with_logs(group, slices.get(group), written)
        condition = pc.field(RECORD_KEY).isin(keys.cast(pa.string()))
        wanted = Wanted(table, _WANTED, timeline, [condition])
        [split] = slice_splits(storage, properties, timeline, [file_slice], wanted)
        found = _with_instant(split, instant).read().read_all().column(0)
        return pa.chunked_array(found.chunks, pa.string()).combine_chunks().cast(keys.type)

    return keys_of


def _log(info: FileInfo, instant: str) -> LogFile:
    name = LogFileName.parse(name_of(info.path))
    assert name is not None
    return LogFile(info.path, info.size, name.instant, name.version, name.write_token, (instant,))


def _with_logs(group: Group, before: FileSlice | None, written: Sequence[LogFile]) -> FileSlice:
    """Return the slice `before`, or a new slice if it is None, with the written logs.

    A log that the instant extended replaces its earlier state.
    """
    if before is None:
        return FileSlice(*group, min(log.instant for log in written), None, 0, tuple(written))
    extended = {log.path: log for log in before.logs}
    for log in written:
        earlier = extended.get(log.path)
        commits = log.commits if earlier is None else (*earlier.commits, *log.commits)
        extended[log.path] = LogFile(log.path, log.size, log.instant, log.version, log.write_token, commits)
    logs = tuple(sorted(extended.values(), key=lambda log: log.order))
    return FileSlice(*group, before.base_instant, before.path, before.size, logs)


def _with_instant(split: Split, instant: str) -> Split:
    """Return a split whose valid blocks include those of a pending instant."""
    if split.merge is None or split.merge.committed.times is None:
        return split
    committed = evolve(split.merge.committed, times=split.merge.committed.times | {instant})
    return evolve(split, merge=evolve(split.merge, committed=committed))
