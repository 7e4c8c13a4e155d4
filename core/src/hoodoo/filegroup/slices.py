"""From one listing of the files and the timeline to what is visible."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from attrs import frozen

from hoodoo.errors import CorruptTableError, UnsupportedTable
from hoodoo.format.names import BASE_FILE_EXTENSION, BaseFileName, is_log_file
from hoodoo.storage import FileInfo, Storage, name_of
from hoodoo.timeline import Timeline

__all__ = ["FileGroup", "FileSlice", "file_groups", "file_slices"]


@frozen
class FileSlice:
    """The state of a file group since one commit.

    Attributes:
        partition: Partition path; "" in a table without partitions.
        file_id: The file group.
        base_instant: The commit that wrote the base file.
        path: Table-relative path of the base file.
        size: Its bytes.
    """

    partition: str
    file_id: str
    base_instant: str
    path: str
    size: int


@frozen
class FileGroup:
    """The slices of one file group, latest first; there is at least one."""

    partition: str
    file_id: str
    slices: tuple[FileSlice, ...]

    @property
    def latest(self) -> FileSlice:
        """The slice that counts now."""
        return self.slices[0]


def file_slices(storage: Storage, timeline: Timeline, as_of: str | None = None) -> list[FileSlice]:
    """The slices that make the table up, one per file group, ordered by partition and file id.

    Args:
        storage: The table's files; they are listed once.
        timeline: Decides what is committed.
        as_of: 17 digits: the table as it was at this instant, itself included.

    Raises:
        CorruptTableError: A completed commit is damaged, or a base file that it names is gone.
        UnsupportedTable: There are log files.
    """
    cut = timeline if as_of is None else timeline.as_of(as_of)
    latest: dict[tuple[str, str], list[tuple[str, FileInfo]]] = {}
    for partition, name, info in _visible(storage, cut):
        key = (partition, name.file_id)
        known = latest.get(key)
        if known is None or known[0][0] < name.instant:
            latest[key] = [(name.instant, info)]
        elif known[0][0] == name.instant:
            known.append((name.instant, info))
    for gone in _replaced(cut):
        latest.pop(gone, None)
    _check_named(cut, {group: files[0][0] for group, files in latest.items()})
    return [
        FileSlice(partition, file_id, found[0][0], info.path, info.size)
        for (partition, file_id), found in sorted(latest.items())
        for info in (_committed(cut, found[0][0], [info for _, info in found]),)
    ]


def file_groups(storage: Storage, timeline: Timeline, as_of: str | None = None) -> list[FileGroup]:
    """The file groups with all their committed slices, ordered by partition and file id; errors as `file_slices`."""
    cut = timeline if as_of is None else timeline.as_of(as_of)
    found: dict[tuple[str, str], dict[str, list[FileInfo]]] = {}
    for partition, name, info in _visible(storage, cut):
        found.setdefault((partition, name.file_id), {}).setdefault(name.instant, []).append(info)
    for gone in _replaced(cut):
        found.pop(gone, None)
    groups = []
    for (partition, file_id), by_instant in sorted(found.items()):
        chosen = [
            (instant, _committed(cut, instant, by_instant[instant])) for instant in sorted(by_instant, reverse=True)
        ]
        slices = tuple(FileSlice(partition, file_id, instant, info.path, info.size) for instant, info in chosen)
        groups.append(FileGroup(partition, file_id, slices))
    return groups


def _visible(storage: Storage, timeline: Timeline) -> Iterator[tuple[str, BaseFileName, FileInfo]]:
    """The base files of instants that are committed."""
    last = timeline.bound
    visible: dict[str, bool] = {}
    for info in storage.walk():
        partition, _, text = info.path.rpartition("/")
        if not text.endswith(BASE_FILE_EXTENSION):
            if is_log_file(text):
                raise UnsupportedTable(
                    f"'{info.path}' is a log file; tables of type MERGE_ON_READ are not supported", code="log_file"
                )
            continue
        name = BaseFileName.parse(text)
        if name is None:
            continue
        instant = name.instant
        if instant not in visible:
            visible[instant] = timeline.is_visible(instant) and (last is None or instant <= last)
        if visible[instant]:
            yield partition, name, info


def _check_named(timeline: Timeline, found: Mapping[tuple[str, str], str]) -> None:
    """Miss what should be there: without its latest base file a group would quietly show an older state, or nothing.

    Raises:
        CorruptTableError: The latest base file that a completed commit names for a group is not among those found.
    """
    settled = set(_replaced(timeline))
    for instant in reversed(timeline.commits):
        for stat in timeline.commit_metadata(instant).stats():
            group = (stat.partition_path or "", stat.file_id)
            if group in settled or not (stat.path or "").endswith(BASE_FILE_EXTENSION):
                continue
            settled.add(group)
            if found.get(group, "") < instant.time:
                raise CorruptTableError(
                    f"base file '{stat.path}', which commit {instant.time} names, is gone; restore it. "
                    "If a cleaner removed it, the table cannot be read as of that time any more",
                    file=stat.path or "",
                )


def _replaced(timeline: Timeline) -> Iterable[tuple[str, str]]:
    """(partition, file id) of groups that a completed replace commit hides."""
    for instant in timeline.commits:
        if instant.action == "replacecommit":
            for partition, file_ids in (timeline.commit_metadata(instant).replaced or {}).items():
                yield from ((partition, file_id) for file_id in file_ids)


def _committed(timeline: Timeline, instant: str, files: list[FileInfo]) -> FileInfo:
    """Of several attempts at one base file the one that the commit names; the last by name where it was archived."""
    if len(files) > 1:
        for commit in timeline.commits:
            if commit.time == instant:
                named = {name_of(stat.path) for stat in timeline.commit_metadata(commit).stats() if stat.path}
                files = [info for info in files if name_of(info.path) in named] or files
    return max(files)
