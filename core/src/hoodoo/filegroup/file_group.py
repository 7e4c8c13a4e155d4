"""File groups, file slices and their files, as msgspec structs, because a table has thousands of them."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

__all__ = ["FileGroup", "FileSlice", "LogFile", "ReplacedGroup"]


class LogFile(Struct, frozen=True, gc=False):
    """Log file of a slice.

    Attributes:
        path: Table-relative path.
        size: Size in bytes.
        instant: The instant in its name: in table version 6 that of the slice, in later versions that of the delta
            commit.
        version: The number in its name, which counts the log files of one instant from 1.
        write_token: The write token, which identifies the attempt that wrote the file.
        commits: Completed commits of the active timeline that wrote to the file.
        written: The byte ranges that these commits wrote, as start and end offsets; a start that a commit does not
            record is 0.
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
        """Return the key by which the log files of a slice are sorted for reading."""
        return self.instant, self.version, self.write_token


class FileSlice(Struct, frozen=True, gc=False):
    """State of a file group since one base instant: a base file, and the log files to merge with it.

    Attributes:
        partition: Partition path; "" in a table without partitions.
        file_id: The id of the file group.
        base_instant: The commit that wrote the base file; without a base file, the instant of the first log file, or of
            a pending compaction.
        path: Table-relative path of the base file; None for a slice of log files only.
        size: Size of the base file in bytes; 0 without one.
        logs: Log files in the order of reading.
        compaction: The instant of a pending compaction of the group; None without one. In table version 6 new log files
            are named after it.
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
        """Return the table-relative paths of all files."""
        return (() if self.path is None else (self.path,)) + tuple(log.path for log in self.logs)

    @property
    def total_size(self) -> int:
        """Return the total size of all files in bytes."""
        return self.size + sum(log.size for log in self.logs) if self.logs else self.size


class FileGroup(Struct, frozen=True, gc=False):
    """Slices of one file group, latest first; at least one.

    Attributes:
        partition: Partition path.
        file_id: The id of the file group.
        slices: The slices. If the base instant of the first one is a pending compaction, it contains the log files
            written since the compaction was scheduled.
        compaction: The instant of a pending compaction; None without one.
    """

    partition: str
    file_id: str
    slices: tuple[FileSlice, ...]
    compaction: str | None = None

    @property
    def latest(self) -> FileSlice:
        """Return the current slice.

        The log files since a pending compaction are added to the slice before the compaction, if there is one.
        """
        newest = self.slices[0]
        if newest.path is not None or newest.base_instant != self.compaction or len(self.slices) == 1:
            return newest if self.compaction is None else replace(newest, compaction=self.compaction)
        before = self.slices[1]
        logs = tuple(sorted(before.logs + newest.logs, key=lambda log: log.order))
        return replace(before, logs=logs, compaction=self.compaction)

    @property
    def latest_base(self) -> FileSlice | None:
        """Return the latest slice with a base file, without logs, for read-optimized queries; None if there is none."""
        for file_slice in self.slices:
            if file_slice.path is not None:
                return replace(file_slice, logs=())
        return None


class ReplacedGroup(Struct, frozen=True, gc=False):
    """Replaced file group that has not been cleaned.

    Attributes:
        partition: Partition path.
        file_id: The id of the file group.
        replaced_at: The instant of the replace commit.
        paths: Table-relative paths of its files.
    """

    partition: str
    file_id: str
    replaced_at: str
    paths: tuple[str, ...]
