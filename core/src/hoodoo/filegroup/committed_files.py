"""Files that completed commits wrote, according to their metadata."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from attrs import define
from msgspec import Struct
from msgspec.structs import replace

from hoodoo.errors import CorruptTableError
from hoodoo.filegroup.file_group import FileSlice, LogFile
from hoodoo.format.corruption import GONE
from hoodoo.format.file_names import LogFileName, is_base_file
from hoodoo.storage import name_of
from hoodoo.timeline import Instant, Timeline, WrittenFile

__all__ = ["CommittedFiles"]

Group = tuple[str, str]
"""Partition path and file id."""


class _CommittedFile(Struct, frozen=True, gc=False):
    path: str
    instant: str
    start: int = 0
    end: int = 0


@define
class CommittedFiles:
    """Files that the completed commits of a timeline wrote, and the file groups that they replaced.

    Attributes:
        timeline: The timeline, whole or up to an instant.
        commits: The commits whose files are needed; None for all.
        left_out: Partition paths whose files are not checked, except by `missing_of_group`.
    """

    timeline: Timeline
    commits: Sequence[Instant] | None = None
    left_out: Collection[str] = ()

    @cached_property
    def replaced(self) -> Mapping[Group, Instant]:
        """Return the replaced file groups, each with the replace commit."""
        groups: dict[Group, Instant] = {}
        for instant in self.timeline.commits:
            if instant.action == "replacecommit":
                for partition, file_ids in (self.timeline.commit_outline(instant).replaced or {}).items():
                    groups.update(((partition, file_id), instant) for file_id in file_ids)
        return groups

    @cached_property
    def _files(self) -> tuple[dict[Group, _CommittedFile], dict[Group, list[_CommittedFile]]]:
        """Return the latest base file and the log files of each file group."""
        bases: dict[Group, _CommittedFile] = {}
        logs: dict[Group, list[_CommittedFile]] = {}
        for instant in self.timeline.commits if self.commits is None else self.commits:
            for written in self.timeline.commit_outline(instant).written():
                if not written.path:
                    continue
                group = written.partition_path or "", written.file_id
                if is_base_file(written.path):
                    bases[group] = _CommittedFile(written.path, instant.time)
                elif LogFileName.parse(name_of(written.path)) is not None:
                    file = _CommittedFile(written.path, instant.time, *_span(written))
                    logs.setdefault(group, []).append(file)
        return bases, logs

    @property
    def partitions(self) -> set[str]:
        """Return the partition paths of the files."""
        return {partition for groups in self._files for partition, _ in groups}

    def with_commits(self, group: Group, log: LogFile) -> LogFile:
        """Return a log file with the commits that wrote it and the byte ranges that they wrote."""
        files = [file for file in self._files[1].get(group, ()) if file.path == log.path]
        return replace(
            log,
            commits=tuple(file.instant for file in files),
            written=tuple((file.start, file.end) for file in files if file.start < file.end),
        )

    def committed_attempt(self, instant: str, paths: Iterable[str]) -> str:
        """Return the path that an instant's commit lists; the greatest path if the commit is archived or lists none.

        The other paths are those of task attempts whose results were not committed.

        Args:
            instant: The instant in the names of the files.
            paths: Paths of base files that several attempts wrote; at least one.
        """
        candidates = list(paths)
        for commit in self.timeline.commits:
            if commit.time == instant:
                files = self.timeline.commit_outline(commit).written()
                named = {name_of(file.path) for file in files if file.path}
                candidates = [path for path in candidates if name_of(path) in named] or candidates
        return max(candidates)

    def check_base_files(self, found: Mapping[Group, FileSlice]) -> None:
        """Raise if a base file is missing: without it, its file group would silently have an older state or no rows.

        Raises:
            CorruptTableError: A current base file of a completed commit is not among the files found.
        """
        for missing in self.missing_base_files(found):
            raise missing

    def check_log_files(self, found: Mapping[Group, FileSlice]) -> None:
        """Raise if a log file is missing; a read-optimized query does not need this check.

        Raises:
            CorruptTableError: A current log file of a completed commit is not among the files found.
        """
        for missing in self.missing_log_files(found):
            raise missing

    def missing_base_files(self, found: Mapping[Group, FileSlice]) -> Iterator[CorruptTableError]:
        """Yield an error for each current base file of a completed commit that is not among the files found."""
        for group in self._files[0]:
            if group[0] not in self.left_out:
                yield from self._missing_base_file(group, found.get(group))

    def missing_log_files(self, found: Mapping[Group, FileSlice]) -> Iterator[CorruptTableError]:
        """Yield an error for each current log file of a completed commit that is not among the files found."""
        for group in self._files[1]:
            if group[0] not in self.left_out:
                yield from self._missing_log_files(group, found.get(group))

    def missing_of_group(self, group: Group, there: FileSlice | None) -> Iterator[CorruptTableError]:
        """Yield an error for each current file of a completed commit that the slice of its file group lacks.

        Args:
            group: Partition path and id of the file group.
            there: The slice that was found; None if the group has none.
        """
        yield from self._missing_base_file(group, there)
        yield from self._missing_log_files(group, there)

    def _missing_base_file(self, group: Group, there: FileSlice | None) -> Iterator[CorruptTableError]:
        file = self._files[0].get(group)
        if file is not None and group not in self.replaced:
            is_there = there is not None and there.path is not None and there.base_instant >= file.instant
            if not is_there:
                yield _missing_file("base", file)

    def _missing_log_files(self, group: Group, there: FileSlice | None) -> Iterator[CorruptTableError]:
        if group in self.replaced:
            return
        present = {name_of(log.path) for log in there.logs} if there else set()
        for file in self._files[1].get(group, ()):
            if self._is_in_slice(file, there) and name_of(file.path) not in present:
                yield _missing_file("log", file)

    def _is_in_slice(self, file: _CommittedFile, there: FileSlice | None) -> bool:
        """Return whether a log file belongs to the found slice, not to an older one; True without a base file."""
        if there is None or there.path is None:
            return True
        name = LogFileName.parse(name_of(file.path))
        if self.timeline.layout == 1:
            return name is not None and name.instant >= there.base_instant
        completed = self.timeline.completion_time_of(file.instant)
        return completed is not None and completed >= there.base_instant


def _span(written: WrittenFile) -> tuple[int, int]:
    """Return the start and end offsets of the bytes that a commit wrote to a log file; 0 if it did not record one."""
    return written.log_offset or 0, written.size


def _missing_file(kind: str, file: _CommittedFile) -> CorruptTableError:
    return CorruptTableError(
        f"{kind} file '{file.path}' of commit {file.instant} is gone; restore it; "
        "if a cleaner removed it, the table can no longer be read as of that time",
        file=file.path,
        code=GONE,
    )
