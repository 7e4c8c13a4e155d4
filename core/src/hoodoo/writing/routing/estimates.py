"""Estimates of a write from earlier commits, because the rows are evaluated once, after the write is planned."""

from __future__ import annotations

from hoodoo.filegroup import FileSlice
from hoodoo.format.bloom import BloomShape
from hoodoo.timeline import Timeline
from hoodoo.writing.write_spec import OperationSpec

__all__ = ["is_small", "record_size", "shares_partitions"]

RECENT_COMMITS = 10
MIN_SAMPLE_BYTES = 1024 * 1024

MOST_FILES = 32
MOST_BYTES = 8 * 1024 * 1024
"""Limits of a small commit: the number of its files, and their total bytes."""


def is_small(timeline: Timeline, action: str) -> bool:
    """Return whether the next commit of an action is expected to be small, as the last one was; False without one.

    A small commit has at most `MOST_FILES` files with `MOST_BYTES` bytes in total.
    """
    last = next((commit for commit in reversed(timeline.commits) if commit.action == action), None)
    if last is None:
        return False
    sizes = [file.bytes_written for file in timeline.commit_outline(last).written()]
    return len(sizes) <= MOST_FILES and sum(sizes) <= MOST_BYTES


def shares_partitions(operation: OperationSpec, timeline: Timeline, slices: list[FileSlice], cores: int) -> bool:
    """Return whether tasks share partitions: true if the write is expected to change fewer partitions than cores.

    A bulk insert and a deletion of partitions never share them.

    The number of partitions is unknown before the rows are evaluated, which happens once. The last commit serves as an
    estimate; without one, the partitions of the table.
    """
    if operation.name in ("bulk_insert", "delete_partition"):
        return False
    touched = {s.partition for s in slices}
    if timeline.commits:
        touched = set(timeline.commit_outline(timeline.commits[-1]).files) or touched
    return len(touched) < cores


def record_size(timeline: Timeline, bloom: BloomShape | None) -> int | None:
    """Return the mean bytes of a stored record; None without an estimate.

    The sample is the newest of the last `RECENT_COMMITS` commits that wrote at least `MIN_SAMPLE_BYTES`, apart from
    bloom filters.
    """
    filter_size = 0 if bloom is None else bloom.text_size
    for instant in reversed(timeline.commits[-RECENT_COMMITS:]):
        files = list(timeline.commit_outline(instant).written())
        rows = sum(file.rows for file in files)
        size = sum(max(0, file.bytes_written - filter_size) for file in files)
        # in small files the footer is larger than the rows
        if rows and size >= MIN_SAMPLE_BYTES:
            return max(1, size // rows)
    return None
