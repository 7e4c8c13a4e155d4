"""From one listing of the files and the timeline to what is visible."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from operator import itemgetter

from attrs import define, field

from hoodoo.archived_timeline import Archive
from hoodoo.errors import UnsupportedTable
from hoodoo.filegroup.committed_files import Group, Named
from hoodoo.filegroup.file_group import FileGroup, FileSlice, LogFile, ReplacedGroup
from hoodoo.filegroup.replaced_groups import check_replaced
from hoodoo.format.file_names import BASE_FILE_EXTENSION, OTHER_BASE_FILE_EXTENSIONS, BaseFileName, LogFileName
from hoodoo.storage import FileInfo, Storage, name_of
from hoodoo.timeline import Instant, Timeline

__all__ = ["all_groups", "base_slices", "file_groups", "file_slices"]

_BEFORE_ALL = ""
"""Stands for the base instant of logs that were completed before every base file."""


def file_slices(
    storage: Storage, timeline: Timeline, as_of: str | None = None, commits: Sequence[Instant] | None = None
) -> list[FileSlice]:
    """The slices that make the table up, one per file group, ordered by partition and file id.

    Args:
        storage: The table's files; they are listed once. No metadata table is asked: one that its last writer did not
            maintain names files of the past.
        timeline: Decides what is committed.
        as_of: 17 digits: the table as it was at this instant, itself included.
        commits: Whose files are wanted, on a timeline without delta commits: no other commit is read, and no file of
            another is missed. None for all.

    Raises:
        CorruptTableError: A completed commit is damaged, or a file that it names is gone.
    """
    cut = timeline if as_of is None else timeline.as_of(as_of)
    named = Named(cut, commits)
    slices = [group.latest for group in _groups(storage, cut, named)]
    found = {(s.partition, s.file_id): s for s in slices}
    named.check_bases(found)
    named.check_logs(found)
    return slices


def base_slices(storage: Storage, timeline: Timeline, as_of: str | None = None) -> list[FileSlice]:
    """The latest base file of each group, as a read-optimized query sees the table; arguments as `file_slices`."""
    cut = timeline if as_of is None else timeline.as_of(as_of)
    named = Named(cut)
    groups = _groups(storage, cut, named)
    named.check_bases({(group.partition, group.file_id): group.latest for group in groups})
    return [base for group in groups if (base := group.latest_base) is not None]


def file_groups(storage: Storage, timeline: Timeline, as_of: str | None = None) -> list[FileGroup]:
    """The file groups with all their committed slices, ordered by partition and file id; arguments as `file_slices`."""
    cut = timeline if as_of is None else timeline.as_of(as_of)
    return _groups(storage, cut, Named(cut))


def all_groups(storage: Storage, timeline: Timeline) -> tuple[list[FileGroup], list[ReplacedGroup]]:
    """The file groups as `file_groups` gives them, and those that were replaced and whose files are still there."""
    return _split(storage, timeline, Named(timeline))


@define
class _Files:
    """The files of one group: base files by instant, several where an attempt was left behind, and logs."""

    bases: dict[str, list[FileInfo]] = field(factory=dict)
    logs: list[LogFile] = field(factory=list)

    @property
    def paths(self) -> tuple[str, ...]:
        return tuple(info.path for infos in self.bases.values() for info in infos) + tuple(
            log.path for log in self.logs
        )


def _groups(storage: Storage, timeline: Timeline, named: Named) -> list[FileGroup]:
    return _split(storage, timeline, named)[0]


def _split(storage: Storage, timeline: Timeline, named: Named) -> tuple[list[FileGroup], list[ReplacedGroup]]:
    """The groups that count, and those that were replaced."""
    found = _visible(storage, timeline)
    check_replaced(timeline, named.replaced, found)
    replaced = [
        ReplacedGroup(*group, instant.time, found.pop(group).paths)
        for group, instant in named.replaced.items()
        if group in found
    ]
    compactions = timeline.pending_compactions()
    archive = Archive(timeline)
    groups = []
    for group, files in sorted(found.items(), key=itemgetter(0)):
        slices = _assembled(timeline, archive, named, group, files, compactions.get(group))
        if not slices:
            continue
        # only what has not been written to since the active timeline begins can have been replaced before that
        if _is_older(slices[0], timeline) and group in archive.replaced:
            replaced.append(ReplacedGroup(*group, archive.replaced[group], files.paths))
        else:
            groups.append(FileGroup(*group, tuple(slices), compactions.get(group)))
    return groups, replaced


def _visible(storage: Storage, timeline: Timeline) -> dict[Group, _Files]:
    """The base files of instants that are committed, and the logs that may hold something committed."""
    last = timeline.bound
    visible: dict[str, bool] = {}

    def is_visible(instant: str) -> bool:
        if instant not in visible:
            visible[instant] = timeline.is_visible(instant) and (last is None or instant <= last)
        return visible[instant]

    found: dict[Group, _Files] = defaultdict(_Files)
    for info in storage.walk():
        partition, _, text = info.path.rpartition("/")
        if text.endswith(BASE_FILE_EXTENSION):
            name = BaseFileName.parse(text)
            if name is not None and is_visible(name.instant):
                found[partition, name.file_id].bases.setdefault(name.instant, []).append(info)
            continue
        if text.endswith(OTHER_BASE_FILE_EXTENSIONS):
            _refuse(info, is_visible)
            continue
        log = LogFileName.parse(text)
        if log is None or log.is_cdc:
            continue
        # in layout 1 the name says the slice: a log of a committed slice may hold blocks of a failed commit, and a
        # log of a slice that is still to come, by a pending compaction, may hold committed ones
        if is_visible(log.instant) if timeline.layout > 1 else last is None or log.instant <= last:
            file = LogFile(info.path, info.size, log.instant, log.version, log.write_token)
            found[partition, log.file_id].logs.append(file)
    return found


def _refuse(info: FileInfo, is_visible: Callable[[str], bool]) -> None:
    """Raise for a base file that counts and cannot be read; without it the table would lack rows."""
    stem, _, extension = name_of(info.path).rpartition(".")
    name = BaseFileName.parse(stem + BASE_FILE_EXTENSION)
    if name is not None and is_visible(name.instant):
        raise UnsupportedTable(
            f"base file '{info.path}' is in {extension.upper()} format; only Parquet base files can be read",
            code="base_file_format",
        )


def _is_older(file_slice: FileSlice, timeline: Timeline) -> bool:
    """Whether everything in a group's latest slice was written before the active timeline begins."""
    first = timeline.first_time
    if first is None or file_slice.base_instant >= first:
        return False
    return all(log.instant < first for log in file_slice.logs)


def _assembled(
    timeline: Timeline, archive: Archive, named: Named, group: Group, files: _Files, compaction: str | None
) -> list[FileSlice]:
    """The slices of one group, latest first."""
    if not files.logs:
        instants = sorted(files.bases, reverse=True)
        return [FileSlice(*group, instant, *_base(named, instant, files.bases[instant])) for instant in instants]
    logs: dict[str, list[LogFile]] = {}
    for log in sorted(files.logs, key=lambda log: log.order):
        instant = _slice_instant(timeline, archive, log, files.bases, compaction)
        if instant is not None:
            logs.setdefault(instant, []).append(named.claimed(group, log))
    if _BEFORE_ALL in logs:
        first = logs.pop(_BEFORE_ALL)
        logs[first[0].instant] = first
    return [
        FileSlice(*group, instant, *_base(named, instant, files.bases.get(instant, ())), tuple(logs.get(instant, ())))
        for instant in sorted({*files.bases, *logs}, reverse=True)
    ]


def _slice_instant(
    timeline: Timeline, archive: Archive, log: LogFile, bases: Collection[str], compaction: str | None
) -> str | None:
    """The base instant of the slice that a log belongs to; None where the log belongs to nothing that is committed."""
    if timeline.layout == 1:
        # its own name says it; a slice without a base file begins with a log
        committed = log.instant in bases or log.instant == compaction or timeline.is_visible(log.instant)
        return log.instant if committed else None
    begins = sorted(bases if compaction is None else {*bases, compaction})
    completed = log.instant
    if begins and begins[-1] > log.instant:
        # a compaction that was planned before the log was completed does not hold it
        known = timeline if timeline.has_commit(log.instant) else archive
        completed = known.completion_time_of(log.instant) or log.instant
    place = bisect_right(begins, completed)
    return begins[place - 1] if place else _BEFORE_ALL


def _base(named: Named, instant: str, found: Sequence[FileInfo]) -> tuple[str | None, int]:
    """Path and bytes of the base file of an instant, of the attempts that are there; None and 0 without any."""
    if len(found) == 1:
        return found[0].path, found[0].size
    if not found:
        return None, 0
    sizes = {info.path: info.size for info in found}
    path = named.chosen(instant, sizes)
    return path, sizes[path]
