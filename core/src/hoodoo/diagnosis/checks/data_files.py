"""Check of the data files against the commits: missing, truncated and unknown files, and folders without metadata."""

from __future__ import annotations

from collections.abc import Iterator

from hoodoo.diagnosis.finding import Finding, Place, Status, first_places
from hoodoo.diagnosis.table_state import TableState
from hoodoo.diagnosis.wording import counted, size
from hoodoo.errors import CorruptTableError, UnsupportedTable
from hoodoo.filegroup.committed_files import CommittedFiles
from hoodoo.format.corruption import ENCRYPTED
from hoodoo.format.file_names import BaseFileName, LogFileName
from hoodoo.format.parquet.parquet_reader import open_base_file
from hoodoo.format.partition_metadata import PARTITION_METADATA_FILE
from hoodoo.reading.removed_files import check_not_cleaned
from hoodoo.storage import FileInfo, Storage, join, name_of, parent_of

__all__ = ["check_data_files"]

_CHECK = "data files"

_OPENED = 8
"""The number of newest base files that are opened: if older files are encrypted, these usually are too."""


def check_data_files(state: TableState) -> Iterator[Finding]:
    """Yield a summary of the files, and findings about the differences between the files on disk and the commits.

    Raises:
        TableChanged: A clean removed files during the diagnosis.
        CorruptTableError: A commit or the plan of a clean is damaged.
    """
    findings = [*_missing(state), *_resized(state), *_unknown(state), *_folders(state), *_encrypted(state)]
    partitions = {s.partition for s in state.slices}
    total = sum(s.total_size for s in state.slices)
    summary = (
        f"{counted(len(state.slices), 'file group')} in {counted(len(partitions), 'partition')}, {size(total)}; "
        f"{counted(len(state.files), 'file')} of {size(sum(info.size for info in state.files))} on disk"
    )
    yield Finding(_CHECK, Status.OK, summary)
    yield from findings


def _missing(state: TableState) -> Iterator[Finding]:
    committed = CommittedFiles(state.timeline)
    found = {(s.partition, s.file_id): s for s in state.slices}
    missing = [*committed.missing_base_files(found), *committed.missing_log_files(found)]
    if missing:
        check_not_cleaned(state.storage, state.timeline)
        yield Finding(
            _CHECK,
            Status.PROBLEM,
            f"the store lacks {counted(len(missing), 'file')} of completed commits: {missing[0]}",
            f"restore the {'file' if len(missing) == 1 else 'files'}, or restore the table to a savepoint with Hudi; "
            "readers refuse the table",
            first_places(Place(file=error.file, partition=parent_of(error.file)) for error in missing),
        )


def _resized(state: TableState) -> Iterator[Finding]:
    """Yield a finding about current files whose size differs from that in their commit; a log may have grown since."""
    stated: dict[str, tuple[int, str]] = {}
    for instant in state.timeline.commits:
        for written in state.timeline.commit_outline(instant).written():
            if written.path and written.size:
                stated[written.path] = written.size, instant.time
    wrong = []
    for file_slice in state.slices:
        base = [] if file_slice.path is None else [(file_slice.path, file_slice.size, False)]
        for path, actual, grows in [*base, *((log.path, log.size, True) for log in file_slice.logs)]:
            expected, time = stated.get(path, (actual, ""))
            if actual < expected or (actual > expected and not grows):
                wrong.append((Place(file=path, partition=file_slice.partition, instant=time), actual, expected))
    if wrong:
        _, actual, expected = wrong[0]
        yield Finding(
            _CHECK,
            Status.PROBLEM,
            f"{counted(len(wrong), 'file')} with another size than in the commit, the first one {actual:,} instead of "
            f"{expected:,} bytes",
            f"restore the {'file' if len(wrong) == 1 else 'files'}",
            first_places(place for place, _, _ in wrong),
        )


def _unknown(state: TableState) -> Iterator[Finding]:
    left: list[tuple[FileInfo, str]] = []
    foreign = []
    names = _Names(state)
    for info in state.files:
        name = name_of(info.path)
        if name.startswith(PARTITION_METADATA_FILE) or name.endswith(".crc"):
            continue
        base, log = BaseFileName.parse(name), LogFileName.parse(name)
        instant = base.instant if base else log.instant if log else None
        if instant is None:
            foreign.append(info)
        elif names.is_left(info, instant, is_log=base is None):
            left.append((info, instant))
    if left:
        # writes that began after the timeline was listed
        begun = {instant.time for instant in state.timeline.reloaded().instants} - names.times
        left = [(info, instant) for info, instant in left if instant not in begun]
    if left:
        yield Finding(
            _CHECK,
            Status.WARNING,
            f"{counted(len(left), 'data file')} ({size(sum(info.size for info, _ in left))}) of failed writes, not "
            "part of a completed or pending commit; readers ignore such files",
            "delete such files if no writer is active and no archived commit lists them",
            first_places(Place(file=info.path, partition=parent_of(info.path)) for info, _ in left),
        )
    if foreign:
        yield Finding(
            _CHECK,
            Status.INFO,
            f"{counted(len(foreign), 'file')} in the table's folder not named as files of a table; readers ignore such "
            "files",
            places=first_places(Place(file=info.path) for info in foreign),
        )


def _encrypted(state: TableState) -> Iterator[Finding]:
    """Yield a finding about encrypted files among the newest base files."""
    bases = sorted((s for s in state.slices if s.path is not None), key=lambda s: s.base_instant, reverse=True)
    found = [(s, error) for s in bases[:_OPENED] if (error := _encryption(state.storage, s.path or "")) is not None]
    if found:
        yield Finding(
            _CHECK,
            Status.PROBLEM,
            f"{counted(len(found), 'encrypted file')} among the newest base files: {found[0][1]}",
            "read and write the table with Hudi or Spark and the keys, or rewrite its files without encryption",
            first_places(Place(file=s.path, partition=s.partition) for s, _ in found),
        )


def _encryption(storage: Storage, path: str) -> UnsupportedTable | None:
    """Return the error about an encrypted file; None for any other file, including a damaged one."""
    try:
        with open_base_file(storage, path) as file:
            columns = file.schema_arrow
        with open_base_file(storage, path, columns):
            return None
    except UnsupportedTable as error:
        return error if error.code == ENCRYPTED else None
    except CorruptTableError:
        return None


class _Names:
    """Names of the files that the commits of the active timeline list."""

    def __init__(self, state: TableState) -> None:
        self._timeline = state.timeline
        self.times = {instant.time for instant in state.timeline.instants}
        self._current = {path for group in state.groups for s in group.slices for path in s.paths}
        self._written = {
            instant.time: {name_of(file.path) for file in state.timeline.commit_outline(instant).written() if file.path}
            for instant in state.timeline.commits
        }

    def is_left(self, info: FileInfo, instant: str, *, is_log: bool) -> bool:
        """Return whether a file is from a failed instant, or from a task attempt that is not part of the commit."""
        first = self._timeline.first_time
        if first is None or instant < first:
            # an archived commit may list it; without any commit, a first write may be about to begin
            return first is None and instant not in self.times and info.path not in self._current
        if is_log and self._timeline.layout == 1:
            # the name has the instant of the slice
            return instant not in self.times and info.path not in self._current
        if instant in self._written:
            # the instants of its blocks, and not its name, determine whether a log is committed
            return not is_log and name_of(info.path) not in self._written[instant]
        return instant not in self.times


def _folders(state: TableState) -> Iterator[Finding]:
    marked = {parent_of(info.path) for info in state.files if name_of(info.path).startswith(PARTITION_METADATA_FILE)}
    bare = sorted({s.partition for s in state.slices} - marked)
    if bare:
        yield Finding(
            _CHECK,
            Status.WARNING,
            f"{counted(len(bare), 'partition')} without '{PARTITION_METADATA_FILE}': Hudi finds partitions by that "
            "file, and would not list the rows",
            "copy the file from another partition of the same depth",
            first_places(
                Place(file=join(partition, PARTITION_METADATA_FILE), partition=partition) for partition in bare
            ),
        )
