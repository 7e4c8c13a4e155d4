"""Check for many small files, and for file slices with many logs."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator

from hoodoo.diagnosis.finding import Finding, Place, Status, first_places
from hoodoo.diagnosis.table_state import TableState
from hoodoo.diagnosis.wording import counted, size
from hoodoo.filegroup import FileSlice
from hoodoo.index.index_types import index_type
from hoodoo.options import FileOptions
from hoodoo.properties.property_keys import INDEX

__all__ = ["check_logs", "check_small_files"]

_MOST_NEEDLESS = 20
"""Minimum number of superfluous small files that causes a warning."""

_MOST_DELTA_COMMITS = 10
"""Number of delta commits in the logs of a slice above which a reader spends most of its time on the merge."""


def check_small_files(state: TableState) -> Iterator[Finding]:
    """Yield a finding with the share of small base files; if many are superfluous, with their partitions."""
    options = state.write_options[FileOptions]
    bases = [s for s in state.slices if s.path is not None]
    small = [s for s in bases if s.size < options.small_file_limit]
    if not bases:
        yield Finding("small files", Status.OK, "the table has no base files")
        return
    average = size(sum(s.size for s in bases) / len(bases))
    limit = size(options.small_file_limit)
    found = f"{len(small):,} of {counted(len(bases), 'base file')} smaller than {limit}, {average} on average"
    if index_type(state.properties.get(INDEX)).uses_buckets:
        yield Finding("small files", Status.OK, f"{found}; the bucket index fixes the number of files")
        return
    needless = _needless(small, options.max_file_size)
    total = sum(needless.values())
    if total < _MOST_NEEDLESS:
        yield Finding("small files", Status.OK, found)
        return
    worst = sorted(needless, key=lambda partition: (-needless[partition], partition))
    yield Finding(
        "small files",
        Status.WARNING,
        f"{found}; the rows would fit into {total:,} files fewer, of which {needless[worst[0]]:,} are in partition "
        f"'{worst[0]}'",
        "cluster the table with Hudi, or write larger batches; inserts by hoodoo fill small files first",
        first_places(Place(partition=partition) for partition in worst),
    )


def check_logs(state: TableState) -> Iterator[Finding]:
    """Yield a finding with the number of slices with logs, and the slices with many delta commits."""
    logged = [s for s in state.slices if s.logs]
    if not logged:
        yield Finding("logs", Status.OK, "no file slice has logs")
        return
    total = sum(log.size for s in logged for log in s.logs)
    found = f"{len(logged):,} of {counted(len(state.slices), 'file slice')} with logs, {size(total)}"
    many = sorted((s for s in logged if _delta_commits(s) > _MOST_DELTA_COMMITS), key=_delta_commits, reverse=True)
    if not many:
        yield Finding("logs", Status.OK, found)
        return
    yield Finding(
        "logs",
        Status.WARNING,
        f"{found}; {len(many):,} with more than {_MOST_DELTA_COMMITS} delta commits, up to {_delta_commits(many[0]):,}",
        "run `hoodoo table compact`, or enable compaction in the write job",
        first_places(Place(file=s.path or s.logs[0].path, partition=s.partition) for s in many),
    )


def _needless(small: list[FileSlice], largest: int) -> dict[str, int]:
    """Return the number of superfluous small files by partition: those that are not needed if the others are full."""
    sizes: dict[str, list[int]] = defaultdict(list)
    for file_slice in small:
        sizes[file_slice.partition].append(file_slice.size)
    spare = {partition: len(found) - max(1, math.ceil(sum(found) / largest)) for partition, found in sizes.items()}
    return {partition: number for partition, number in spare.items() if number > 0}


def _delta_commits(file_slice: FileSlice) -> int:
    commits = {commit for log in file_slice.logs for commit in log.commits}
    return max(len(commits), len(file_slice.logs))
