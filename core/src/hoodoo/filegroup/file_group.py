"""File groups, their slices, and the files of a slice: structs, since a table has thousands, and they cost little."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

__all__ = ["FileGroup", "FileSlice", "LogFile", "ReplacedGroup"]


class LogFile(Struct, frozen=True, gc=False):
    """A log file of a slice.

    Attributes:
        path: Table-relative path.
        size: Its bytes.
        instant: The instant in its name: in table version 6 that of the slice, later that of the delta commit.
        version: The number in its name.
        write_token: Which attempt wrote it.
        commits: Completed commits of the active timeline that name the file as written by them.
        written: The bytes that these say they wrote, each as the first and the one after the last.
    """

    path: str
    size: int
    instant: str
    version: int
    write_token: str
    commits: tuple[str, ...] = ()
    written: tuple[tuple[int, int], ...] = ()

    @property
    def order(self) -> tuple[str, int, str]:
        """The order in which the logs of a slice are read."""
        return self.instant, self.version, self.write_token


class FileSlice(Struct, frozen=True, gc=False):
    """The state of a file group since one base instant: a base file, and the logs to be merged with it.

    Attributes:
        partition: Partition path; "" in a table without partitions.
        file_id: The file group.
        base_instant: The commit that wrote the base file; without one, the instant that the logs begin with.
        path: Table-relative path of the base file; None where the slice has logs only.
        size: Bytes of the base file; 0 without.
        logs: Log files in the order in which they are read.
        compaction: The instant of a compaction that is pending for the group; in table version 6 it names new logs.
    """

    partition: str
    file_id: str
    base_instant: str
    path: str | None
    size: int
    logs: tuple[LogFile, ...] = ()
    compaction: str | None = None

    @property
    def paths(self) -> tuple[str, ...]:
        """The table-relative paths of all files."""
        return (() if self.path is None else (self.path,)) + tuple(log.path for log in self.logs)

    @property
    def total_size(self) -> int:
        """Bytes of all files."""
        return self.size + sum(log.size for log in self.logs) if self.logs else self.size


class FileGroup(Struct, frozen=True, gc=False):
    """The slices of one file group, latest first; there is at least one.

    Attributes:
        partition: Partition path.
        file_id: The file group.
        slices: The slices. The first one stands for a compaction that has not been completed where it has its instant:
            it holds the logs that were written since.
        compaction: The instant of a pending compaction.
    """

    partition: str
    file_id: str
    slices: tuple[FileSlice, ...]
    compaction: str | None = None

    @property
    def latest(self) -> FileSlice:
        """The slice that counts now. What was written since a pending compaction is read with the slice before it."""
        newest = self.slices[0]
        if newest.path is not None or newest.base_instant != self.compaction or len(self.slices) == 1:
            return newest if self.compaction is None else replace(newest, compaction=self.compaction)
        before = self.slices[1]
        logs = tuple(sorted(before.logs + newest.logs, key=lambda log: log.order))
        return replace(before, logs=logs, compaction=self.compaction)

    @property
    def latest_base(self) -> FileSlice | None:
        """The latest base file alone: what a read-optimized query sees; None where there is none."""
        for file_slice in self.slices:
            if file_slice.path is not None:
                return replace(file_slice, logs=())
        return None


class ReplacedGroup(Struct, frozen=True, gc=False):
    """A file group that a replace commit hides, and that has not been cleaned.

    Attributes:
        partition: Partition path.
        file_id: The file group.
        replaced_at: The instant of the replace commit.
        paths: The table-relative paths of its files.
    """

    partition: str
    file_id: str
    replaced_at: str
    paths: tuple[str, ...]
