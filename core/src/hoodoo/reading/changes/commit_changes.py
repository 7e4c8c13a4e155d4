"""File groups that a commit changed, and the files from which their changes are found."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from attrs import frozen

from hoodoo.format.file_names import BaseFileName, is_base_file
from hoodoo.storage import check_relative
from hoodoo.timeline import CommitMetadata, Instant, Timeline, WriteStat
from hoodoo.timeline.commit_paths import path_errors_as_corruption

__all__ = ["GroupChange", "changed_groups", "changes_rows"]

_SERVICES = frozenset({"COMPACT", "LOG_COMPACT", "CLUSTER", "INDEX", "ALTER_SCHEMA", "BUCKET_RESCALE"})
"""Operations that change no row."""

_NOTHING = "null"


@frozen
class GroupChange:
    """Change of a file group by a commit.

    Attributes:
        partition: The partition path.
        file_id: The file id of the file group.
        files: Table-relative paths of the base file and the log files that the commit wrote.
        logs: Table-relative paths of the change logs that the commit wrote.
        base: The base instant of the slice that the commit extended or rewrote; None for a new file group, or if the
            commit does not record it.
        is_replaced: Whether the commit removed the whole file group.
    """

    partition: str
    file_id: str
    files: tuple[str, ...] = ()
    logs: tuple[str, ...] = ()
    base: str | None = None
    is_replaced: bool = False

    @property
    def group(self) -> tuple[str, str]:
        """Return partition path and file id."""
        return self.partition, self.file_id


def changes_rows(timeline: Timeline, instant: Instant) -> bool:
    """Return whether a commit may change rows; False for the commit of a table service or of a schema change.

    Raises:
        CorruptTableError: The commit is damaged.
    """
    return timeline.commit_outline(instant).operation_type not in _SERVICES


def changed_groups(timeline: Timeline, instant: Instant) -> Iterator[GroupChange]:
    """Yield the changes of a commit, one per file group; none for a compaction.

    Raises:
        CorruptTableError: The commit is damaged.
    """
    metadata = timeline.commit_metadata(instant)
    if metadata.compacted:
        return
    for partition, stats in metadata.write_stats.items():
        groups: dict[str, list[WriteStat]] = defaultdict(list)
        for stat in stats:
            if stat.path:
                groups[stat.file_id].append(stat)
        with path_errors_as_corruption(timeline.path_of(instant)):
            for file_id, written in groups.items():
                yield _written(partition, file_id, written)
    yield from _replaced(metadata)


def _written(partition: str, file_id: str, stats: list[WriteStat]) -> GroupChange:
    logs = [path for stat in stats for path in stat.extra.get("cdcStats") or ()]
    for path in logs:
        check_relative(path, "path of a change log")
    files = tuple(stat.path for stat in stats if stat.path)
    return GroupChange(
        partition, file_id, files, tuple(sorted(logs)), max(filter(None, map(_base, stats)), default=None)
    )


def _base(stat: WriteStat) -> str | None:
    if stat.path and is_base_file(stat.path):
        return None if stat.prev_commit in ("", _NOTHING) else stat.prev_commit
    name = BaseFileName.parse(stat.base_file or "")
    return None if name is None else name.instant


def _replaced(metadata: CommitMetadata) -> Iterator[GroupChange]:
    for partition, file_ids in (metadata.replaced or {}).items():
        for file_id in file_ids:
            yield GroupChange(partition, file_id, is_replaced=True)
