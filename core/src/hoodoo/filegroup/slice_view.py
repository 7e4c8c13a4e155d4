"""View of the visible file slices, from one listing of the files and the timeline."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from operator import itemgetter

from msgspec import Struct

from hoodoo.archived_timeline import Archive
from hoodoo.errors import CorruptTableError, UnsupportedTable
from hoodoo.filegroup.committed_files import CommittedFiles, Group
from hoodoo.filegroup.file_group import FileGroup, FileSlice, LogFile, ReplacedGroup
from hoodoo.filegroup.replaced_groups import check_replaced
from hoodoo.format.file_names import BASE_FILE_EXTENSION, OTHER_BASE_FILE_EXTENSIONS, BaseFileName, LogFileName
from hoodoo.storage import FileInfo, Storage, name_of
from hoodoo.timeline import Instant, Timeline

__all__ = ["METADATA_BOOTSTRAP", "all_groups", "base_slices", "file_groups", "file_slices", "slices_of_groups"]

_BEFORE_ALL = ""
"""Placeholder for the base instant of log files that were completed before every base file."""

METADATA_BOOTSTRAP = "00000000000001"
"""Instant of Hudi's bootstrap without a copy of the rows: its base files have only meta columns."""


def file_slices(
    storage: Storage,
    timeline: Timeline,
    as_of: str | None = None,
    commits: Sequence[Instant] | None = None,
    left_out: Collection[str] = (),
) -> list[FileSlice]:
    """Return the current slices of a table, one per file group, ordered by partition and file id.

    Args:
        storage: The table's files; they are listed once. The metadata table is not used: if the last writer did not
            maintain it, its list of files is outdated.
        timeline: The timeline, which determines the committed files.
        as_of: 17 digits: the instant of the snapshot, inclusive; None for the latest one.
        commits: The commits whose files are needed, on a timeline without delta commits: other commits are not read,
            and their files are not checked. None for all.
        left_out: Partition paths whose files the storage does not list. They are not checked.

    Raises:
        CorruptTableError: A completed commit, the plan of a pending compaction or the archive is corrupt, or a file of
            a completed commit is missing.
        UnsupportedTable: A base file is in an unsupported format, or has no data columns, because the table was
            bootstrapped; or the codec of a commit or plan is not supported.
        TableChanged: A commit or the plan of a pending compaction was removed since the timeline was listed.
    """
    cut = timeline if as_of is None else timeline.as_of(as_of)
    committed = CommittedFiles(cut, commits, left_out)
    slices = [group.latest for group in _groups(storage, cut, committed)]
    written = committed.partitions
    found = {(s.partition, s.file_id): s for s in slices if s.partition in written}
    committed.check_base_files(found)
    committed.check_log_files(found)
    _check_data_columns(slices)
    return slices


def base_slices(storage: Storage, timeline: Timeline, as_of: str | None = None) -> list[FileSlice]:
    """Return the latest slice with a base file of each group, without logs, for a read-optimized query.

    Groups without a base file are left out. Arguments and errors are those of `file_slices`, except that log files are
    not checked.
    """
    cut = timeline if as_of is None else timeline.as_of(as_of)
    committed = CommittedFiles(cut)
    groups = _groups(storage, cut, committed)
    committed.check_base_files({(group.partition, group.file_id): group.latest for group in groups})
    bases = [base for group in groups if (base := group.latest_base) is not None]
    _check_data_columns(bases)
    return bases


def _check_data_columns(slices: Sequence[FileSlice]) -> None:
    """Raise if the data columns of a base file are in another table, from which it was bootstrapped."""
    for file_slice in slices:
        if file_slice.base_instant == METADATA_BOOTSTRAP:
            raise UnsupportedTable(
                f"base file '{file_slice.path}' is that of a bootstrap, which left the data columns in the files of "
                "another table; rewrite such files with Hudi, for example by clustering, or read the table with Hudi",
                code="bootstrap",
            )


def slices_of_groups(
    files: Iterable[FileInfo], timeline: Timeline, groups: Collection[Group]
) -> tuple[Mapping[Group, FileSlice], Mapping[Group, CorruptTableError]]:
    """Return the current slices of some file groups, and an error for each of these groups whose slice lacks a file.

    Args:
        files: The files of these groups, and perhaps others.
        timeline: The timeline, which determines the committed files.
        groups: Partition path and file id of the groups. A group that does not exist yet or was replaced has no slice.

    Raises:
        CorruptTableError: A completed commit, the plan of a pending compaction or the archive is corrupt.
        UnsupportedTable: As in `file_slices`.
        TableChanged: As in `file_slices`.
    """
    committed = CommittedFiles(timeline)
    current, _ = _separated(_visible(files, timeline), timeline, committed)
    slices = {(g.partition, g.file_id): g.latest for g in current if (g.partition, g.file_id) in groups}
    _check_data_columns(list(slices.values()))
    missing = {group: next(committed.missing_of_group(group, slices.get(group)), None) for group in groups}
    return slices, {group: error for group, error in missing.items() if error is not None}


def file_groups(storage: Storage, timeline: Timeline, as_of: str | None = None) -> list[FileGroup]:
    """Return the file groups with all committed slices, in the order and with the arguments of `file_slices`.

    Errors are those of `file_slices` about the timeline and unsupported formats; missing files are not detected.
    """
    cut = timeline if as_of is None else timeline.as_of(as_of)
    return _groups(storage, cut, CommittedFiles(cut))


def all_groups(storage: Storage, timeline: Timeline) -> tuple[list[FileGroup], list[ReplacedGroup]]:
    """Return the file groups, as in `file_groups`, and the replaced ones whose files still exist."""
    return _split(storage, timeline, CommittedFiles(timeline))


class _Files(Struct):
    """Files of one group: base files with their instants, and log files."""

    bases: list[tuple[str, FileInfo]] = []  # each object gets its own
    logs: list[LogFile] = []

    @property
    def paths(self) -> tuple[str, ...]:
        return tuple(info.path for _, info in self.bases) + tuple(log.path for log in self.logs)

    def bases_by_instant(self) -> dict[str, list[FileInfo]]:
        """Return the base files of each instant; several if attempts were left over."""
        found: dict[str, list[FileInfo]] = {}
        for instant, info in self.bases:
            found.setdefault(instant, []).append(info)
        return found


def _groups(storage: Storage, timeline: Timeline, committed: CommittedFiles) -> list[FileGroup]:
    return _split(storage, timeline, committed)[0]


def _split(
    storage: Storage, timeline: Timeline, committed: CommittedFiles
) -> tuple[list[FileGroup], list[ReplacedGroup]]:
    """Return the current groups and the replaced ones."""
    found = _visible(storage.walk(), timeline)
    check_replaced(timeline, committed.replaced, found)
    return _separated(found, timeline, committed)


def _separated(
    found: dict[Group, _Files], timeline: Timeline, committed: CommittedFiles
) -> tuple[list[FileGroup], list[ReplacedGroup]]:
    """Return the current groups and the replaced ones among the given groups with their files."""
    replaced = [
        ReplacedGroup(*group, instant.time, found.pop(group).paths)
        for group, instant in committed.replaced.items()
        if group in found
    ]
    compactions = timeline.pending_compactions()
    archive = Archive(timeline)
    groups = []
    for group, files in sorted(found.items(), key=itemgetter(0)):
        slices = _slices_of(timeline, archive, committed, group, files, compactions.get(group))
        if not slices:
            continue
        # a group with files of the active timeline was not replaced before it
        if _is_older(slices[0], timeline) and group in archive.replaced:
            replaced.append(ReplacedGroup(*group, archive.replaced[group], files.paths))
        else:
            groups.append(FileGroup(*group, slices, compactions.get(group)))
    return groups, replaced


def _visible(files: Iterable[FileInfo], timeline: Timeline) -> dict[Group, _Files]:
    """Return the base files of committed instants, and the log files that may have committed blocks."""
    last = timeline.bound
    visible: dict[str, bool] = {}

    def is_visible(instant: str) -> bool:
        if instant not in visible:
            visible[instant] = timeline.is_visible(instant) and (last is None or instant <= last)
        return visible[instant]

    found: dict[Group, _Files] = defaultdict(_Files)
    for info in files:
        partition, _, text = info.path.rpartition("/")
        name = BaseFileName.parse(text)
        if name is not None:
            file_id, _, instant, _ = name
            if visible[instant] if instant in visible else is_visible(instant):
                found[partition, file_id].bases.append((instant, info))
            continue
        if text.endswith(OTHER_BASE_FILE_EXTENSIONS):
            _check_format(info, is_visible)
            continue
        log = LogFileName.parse(text)
        if log is None or log.is_cdc:
            continue
        # in layout 1 the name has the instant of the slice: a log file of a committed slice may have blocks of a failed
        # commit, and a log file of a pending compaction's slice may have committed blocks
        if is_visible(log.instant) if timeline.layout > 1 else last is None or log.instant <= last:
            file = LogFile(info.path, info.size, log.instant, log.version, log.write_token)
            found[partition, log.file_id].logs.append(file)
    return found


def _check_format(info: FileInfo, is_visible: Callable[[str], bool]) -> None:
    """Raise if a committed base file is in an unsupported format: without it, the table would lack rows."""
    stem, _, extension = name_of(info.path).rpartition(".")
    name = BaseFileName.parse(stem + BASE_FILE_EXTENSION)
    if name is not None and is_visible(name.instant):
        raise UnsupportedTable(
            f"base file '{info.path}' is in {extension.upper()} format; only Parquet and Lance are supported; "
            "read the table with Hudi",
            code="base_file_format",
        )


def _is_older(file_slice: FileSlice, timeline: Timeline) -> bool:
    """Return whether all files of a group's latest slice are older than the active timeline."""
    first = timeline.first_time
    if first is None or file_slice.base_instant >= first:
        return False
    return not file_slice.logs or all(log.instant < first for log in file_slice.logs)


def _slices_of(
    timeline: Timeline, archive: Archive, committed: CommittedFiles, group: Group, files: _Files, compaction: str | None
) -> tuple[FileSlice, ...]:
    """Return the slices of one group, latest first."""
    if len(files.bases) == 1 and not files.logs:
        [(only, info)] = files.bases
        return (FileSlice(group[0], group[1], only, info.path, info.size),)
    bases = files.bases_by_instant()
    logs: dict[str, list[LogFile]] = {}
    for log in sorted(files.logs, key=lambda log: log.order):
        instant = _slice_instant(timeline, archive, log, bases, compaction)
        if instant is not None:
            logs.setdefault(instant, []).append(committed.with_commits(group, log))
    if _BEFORE_ALL in logs:
        first = logs.pop(_BEFORE_ALL)
        logs[first[0].instant] = first
    return tuple(
        FileSlice(*group, instant, *_base(committed, instant, bases.get(instant, ())), tuple(logs.get(instant, ())))
        for instant in sorted({*bases, *logs}, reverse=True)
    )


def _slice_instant(
    timeline: Timeline, archive: Archive, log: LogFile, bases: Collection[str], compaction: str | None
) -> str | None:
    """Return the base instant of the slice of a log file; None if the log file is not committed.

    The result is `_BEFORE_ALL` if the log file was completed before every base file.
    """
    if timeline.layout == 1:
        # the name has the instant; a slice without a base file starts with a log file
        committed = log.instant in bases or log.instant == compaction or timeline.is_visible(log.instant)
        return log.instant if committed else None
    begins = sorted(bases if compaction is None else {*bases, compaction})
    completed = log.instant
    if begins and begins[-1] > log.instant:
        # a compaction that was scheduled before the log file was completed does not include it
        known = timeline if timeline.has_commit(log.instant) else archive
        completed = known.completion_time_of(log.instant) or log.instant
    place = bisect_right(begins, completed)
    return begins[place - 1] if place else _BEFORE_ALL


def _base(committed: CommittedFiles, instant: str, found: Sequence[FileInfo]) -> tuple[str | None, int]:
    """Return path and size in bytes of the committed base file of an instant; None and 0 if it has none."""
    if len(found) == 1:
        return found[0].path, found[0].size
    if not found:
        return None, 0
    sizes = {info.path: info.size for info in found}
    path = committed.committed_attempt(instant, sizes)
    return path, sizes[path]
