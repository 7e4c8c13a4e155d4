"""Optimistic concurrency control: conflicts between a write and the commits that were completed since its plan."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from typing import Any, Literal

import msgspec
from attrs import field, frozen

from hoodoo.errors import TableChanged
from hoodoo.filegroup.located_log import LocatedLog
from hoodoo.format.file_names import LogFileName, is_base_file
from hoodoo.schema.column_ids import LATEST
from hoodoo.storage import name_of
from hoodoo.timeline import (
    CommitMetadata,
    Instant,
    Timeline,
    WriteStat,
    clustering_groups,
    compaction_plan,
)

__all__ = ["Conflict", "NewKeys", "Write", "find_conflict"]

Group = tuple[str, str]
"""Partition path and file id."""

NewKeys = Literal["partition", "table"]
"""Type of the scope in which a key that a write did not find must still be new at the commit."""

_BUCKET_DIGITS = 8
_SERVICES = frozenset({"COMPACT", "LOG_COMPACT", "CLUSTER"})


@frozen
class Conflict:
    """Instant of another writer that conflicts with a write.

    Attributes:
        instant: The conflicting instant.
        what: The conflicting work of the instant, as the predicate of a sentence whose subject is the instant.
        pending: Whether the instant is a table service that has not been completed.
    """

    instant: Instant
    what: str
    pending: bool = False

    def __str__(self) -> str:
        advice = "after that is completed" if self.pending else "on the new state"
        return (
            f"{self.instant.action} {self.instant.time} {self.what}; this write is rolled back; run it again {advice}"
        )


@frozen
class Write:
    """Write that is about to be committed.

    Attributes:
        instant: The instant of the write.
        metadata: The metadata of the commit.
        bucketed: Whether the table has a bucket index. A file group is then identified by its bucket, because two
            writers that create the group of one bucket choose different file ids.
        new_keys: The scope in which keys that were not found must be new; None if the index cannot miss a key, and for
            writes that did not look up keys.
        located: The logs whose keys the write found in its look-up, by path.
    """

    instant: Instant
    metadata: CommitMetadata
    bucketed: bool = False
    new_keys: NewKeys | None = None
    located: Mapping[str, LocatedLog] = field(factory=dict)
    _groups: frozenset[Group] = field(init=False)

    @_groups.default
    def _groups_default(self) -> frozenset[Group]:
        return frozenset(self._key(group) for group in self.metadata.touched())

    def _key(self, group: Group) -> Group:
        return (group[0], group[1][:_BUCKET_DIGITS]) if self.bucketed else group

    def touches(self, group: Group) -> bool:
        """Return whether the write changed or replaced a file group or, with a bucket index, another of its bucket."""
        return self._key(group) in self._groups


def find_conflict(timeline: Timeline, seen: Set[Instant], write: Write) -> Conflict | None:
    """Return the first instant that conflicts with a write, or None.

    A write conflicts with commits that were completed since its plan and changed one of its file groups, wrote to a
    partition that it replaces, inserted new keys where it inserts, or changed the names or ids of columns; and with
    table services that other writers have scheduled for its file groups. From timeline layout 2 on, a compaction does
    not conflict with a write that only appends logs to the same file groups.

    Args:
        timeline: The current timeline.
        seen: The commits with which the write was planned; they are skipped.
        write: The write that is about to be committed.

    Raises:
        CorruptTableError: A commit or plan that must be read is damaged.
        UnsupportedTable: The codec of a plan is not supported.
    """
    for instant in timeline.commits:
        if instant not in seen:
            what = _collision(timeline, timeline.commit_metadata(instant), write)
            if what is not None:
                return Conflict(instant, what)
    for instant in timeline.pending:
        if instant.time != write.instant.time:
            what = _pending_collision(timeline, instant, write)
            if what is not None:
                return Conflict(instant, what, pending=True)
    return None


def _collision(timeline: Timeline, theirs: CommitMetadata, write: Write) -> str | None:
    if _ids(theirs) not in (None, _ids(write.metadata)):
        return "changed the names or the ids of columns"
    for partition, file_id in sorted(theirs.touched()):
        if write.touches((partition, file_id)) and not _may_share_group(timeline, theirs, write, (partition, file_id)):
            return f"changed {_group_text(partition, file_id)}, which this write changed too"
    # a partition that had no file groups when it was overwritten is replaced as well
    replaced = set() if write.metadata.replaced is None else {*write.metadata.replaced, *write.metadata.write_stats}
    for partition in sorted(theirs.write_stats.keys() & replaced):
        return f"wrote to partition '{partition}', which this write replaces"
    if write.new_keys is None or theirs.operation_type in _SERVICES:
        return None
    for partition, stats in sorted(theirs.write_stats.items()):
        mine = write.metadata.write_stats
        if write.new_keys == "partition":
            mine = {partition: mine.get(partition, ())}
        if _inserts(stats) and any(_inserts(mine[p]) for p in mine):
            return f"inserted new keys into partition '{partition}', and this write inserted keys that may be the same"
    return None


def _ids(metadata: CommitMetadata) -> Any:
    """Return the document with the ids of columns; None if a commit has none."""
    text = metadata.extra_metadata.get(LATEST)
    return msgspec.json.decode(text.encode()) if text else None


def _may_share_group(timeline: Timeline, theirs: CommitMetadata, write: Write, group: Group) -> bool:
    """Return whether a commit and a write may both change one file group.

    A compaction changes no row, and logs can be appended while it runs. In timeline layout 1 a log belongs to the slice
    in its name, so that a log whose name was chosen before the compaction would be lost.
    """
    if write.instant.action == "compaction":
        return not any(_is_base(stat) for stat in theirs.write_stats.get(group[0], ()) if stat.file_id == group[1])
    return timeline.layout > 1 and theirs.operation_type == "COMPACT" and not _writes_base(write, group)


def _pending_collision(timeline: Timeline, instant: Instant, write: Write) -> str | None:
    try:
        if instant.action in ("clustering", "replacecommit"):
            for partition, file_id in sorted(clustering_groups(timeline, instant)):
                if (partition, file_id) in write.metadata.touched():
                    return f"is going to cluster {_group_text(partition, file_id)}, which this write changed"
        elif instant.action == "compaction":
            for operation in compaction_plan(timeline, instant).operations:
                group = (operation.partition, operation.file_id)
                if _writes_base(write, group) or (
                    timeline.layout == 1 and _has_log_of_other_slice(write, group, instant.time)
                ):
                    return f"is going to compact {_group_text(*group)}, which this write changed"
    except TableChanged:
        # another writer rolled the instant back, or completed and archived it
        return None
    return None


def _group_text(partition: str, file_id: str) -> str:
    return f"file group '{file_id}' in partition '{partition}'"


def _writes_base(write: Write, group: Group) -> bool:
    return any(_is_base(stat) for stat in _stats(write, group))


def _has_log_of_other_slice(write: Write, group: Group, compaction: str) -> bool:
    """Return whether the write has a log of a file group in another slice than the one that a compaction begins."""
    names = [LogFileName.parse(name_of(stat.path or "")) for stat in _stats(write, group)]
    return any(name is not None and name.instant != compaction for name in names)


def _stats(write: Write, group: Group) -> Iterator[WriteStat]:
    return (stat for stat in write.metadata.write_stats.get(group[0], ()) if stat.file_id == group[1])


def _is_base(stat: WriteStat) -> bool:
    return is_base_file(stat.path or "")


def _inserts(stats: tuple[WriteStat, ...]) -> bool:
    return any(stat.num_inserts for stat in stats)
