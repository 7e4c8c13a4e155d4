"""What completed commits say that they wrote."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from attrs import define
from msgspec import Struct
from msgspec.structs import replace

from hoodoo.errors import CorruptTableError
from hoodoo.filegroup.file_group import FileSlice, LogFile
from hoodoo.format.corruption import GONE
from hoodoo.format.file_names import BASE_FILE_EXTENSION, LogFileName
from hoodoo.storage import name_of
from hoodoo.timeline import Instant, Timeline, WrittenFile

__all__ = ["Named"]

Group = tuple[str, str]
"""Partition path and file id."""


class _NamedFile(Struct, frozen=True, gc=False):
    path: str
    instant: str
    start: int = 0
    end: int = 0


@define
class Named:
    """The files that the completed commits of a timeline name, and the groups that they replaced.

    Attributes:
        timeline: The timeline.
        commits: Those of its commits whose files are asked for; None for all.
    """

    timeline: Timeline
    commits: Sequence[Instant] | None = None

    @cached_property
    def replaced(self) -> Mapping[Group, Instant]:
        """Groups that a completed replace commit hides, with that commit."""
        groups: dict[Group, Instant] = {}
        for instant in self.timeline.commits:
            if instant.action == "replacecommit":
                for partition, file_ids in (self.timeline.commit_summary(instant).replaced or {}).items():
                    groups.update(((partition, file_id), instant) for file_id in file_ids)
        return groups

    @cached_property
    def _files(self) -> tuple[dict[Group, _NamedFile], dict[Group, list[_NamedFile]]]:
        """Per group the latest base file, and the log files."""
        bases: dict[Group, _NamedFile] = {}
        logs: dict[Group, list[_NamedFile]] = {}
        for instant in self.timeline.commits if self.commits is None else self.commits:
            for written in self.timeline.commit_summary(instant).written():
                if not written.path:
                    continue
                group = written.partition_path or "", written.file_id
                if written.path.endswith(BASE_FILE_EXTENSION):
                    bases[group] = _NamedFile(written.path, instant.time)
                elif LogFileName.parse(name_of(written.path)) is not None:
                    file = _NamedFile(written.path, instant.time, *_span(written))
                    logs.setdefault(group, []).append(file)
        return bases, logs

    def claimed(self, group: Group, log: LogFile) -> LogFile:
        """A log file with what commits say of it."""
        files = [file for file in self._files[1].get(group, ()) if file.path == log.path]
        return replace(
            log,
            commits=tuple(file.instant for file in files),
            written=tuple((file.start, file.end) for file in files if file.start < file.end),
        )

    def chosen(self, instant: str, paths: Iterable[str]) -> str:
        """Of several attempts at one base file the one that the commit names; the last by name where it was archived.

        An attempt that the commit does not name was left behind by a task that was run twice.
        """
        candidates = list(paths)
        for commit in self.timeline.commits:
            if commit.time == instant:
                files = self.timeline.commit_summary(commit).written()
                named = {name_of(file.path) for file in files if file.path}
                candidates = [path for path in candidates if name_of(path) in named] or candidates
        return max(candidates)

    def check_bases(self, found: Mapping[Group, FileSlice]) -> None:
        """Miss what should be there: without a file that counts, a group would quietly show an older state, or nothing.

        Raises:
            CorruptTableError: A base file that a completed commit names, and that counts, is not among those found.
        """
        replaced = self.replaced
        for group, file in self._files[0].items():
            there = found.get(group)
            is_there = there is not None and there.path is not None and there.base_instant >= file.instant
            if not is_there and group not in replaced:
                raise _gone("base", file)

    def check_logs(self, found: Mapping[Group, FileSlice]) -> None:
        """The same for log files, which a query of base files alone does not need."""
        for group, files in self._files[1].items():
            if group in self.replaced:
                continue
            there = found.get(group)
            present = {name_of(log.path) for log in there.logs} if there else set()
            for file in files:
                if self._counts(file, there) and name_of(file.path) not in present:
                    raise _gone("log", file)

    def _counts(self, file: _NamedFile, there: FileSlice | None) -> bool:
        """Whether a log file that is named belongs to the slice that is there, rather than to an older one."""
        if there is None or there.path is None:
            return True
        name = LogFileName.parse(name_of(file.path))
        if self.timeline.layout == 1:
            return name is not None and name.instant >= there.base_instant
        completed = self.timeline.completion_time_of(file.instant)
        return completed is not None and completed >= there.base_instant


def _span(written: WrittenFile) -> tuple[int, int]:
    """First byte of an appended log file that a commit wrote, and the one after the last; (0, 0) where not said."""
    return written.log_offset or 0, written.size


def _gone(kind: str, file: _NamedFile) -> CorruptTableError:
    return CorruptTableError(
        f"{kind} file '{file.path}', which commit {file.instant} names, is gone; restore it. "
        "If a cleaner removed it, the table cannot be read as of that time any more",
        file=file.path,
        code=GONE,
    )
