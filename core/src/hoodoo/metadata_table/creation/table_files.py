"""Files of a table from which a partition of its metadata table is built."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from attrs import frozen

from hoodoo.filegroup import FileSlice, file_slices
from hoodoo.format.file_names import BaseFileName, LogFileName
from hoodoo.storage import CachedListingStorage, Storage, join, name_of, parent_of
from hoodoo.timeline import Timeline

__all__ = ["TableFiles"]


@frozen
class TableFiles:
    """Files of the completed instants of a table.

    Attributes:
        sizes: Sizes in bytes by partition path and file name, including files of earlier slices and of replaced file
            groups.
        slices: The current file slices.
    """

    sizes: Mapping[str, Mapping[str, int]]
    slices: tuple[FileSlice, ...] = ()

    @classmethod
    def of(cls, storage: Storage, timeline: Timeline) -> TableFiles:
        """Return the files of a table, which must have no pending instants; the store is listed once.

        Raises:
            CorruptTableError: A file of a completed commit is missing.
            UnsupportedTable: A base file cannot be read.
        """
        if not timeline.completed:
            return cls({})
        listed = CachedListingStorage(storage)
        slices = tuple(file_slices(listed, timeline))
        sizes: dict[str, dict[str, int]] = {}
        for info in listed.walk():
            name = name_of(info.path)
            if _is_committed(name, timeline):
                sizes.setdefault(parent_of(info.path), {})[name] = info.size
        return cls(sizes, slices)

    def paths(self) -> Iterator[tuple[str, str]]:
        """Yield partition path and name of each file, except change logs (CDC)."""
        for partition, names in self.sizes.items():
            for name in names:
                log = LogFileName.parse(name)
                if log is None or not log.is_cdc:
                    yield partition, name

    def base_files(self) -> Iterator[tuple[str, str]]:
        """Yield partition path and name of each base file."""
        return ((partition, name) for partition, name in self.paths() if BaseFileName.parse(name) is not None)

    def current(self) -> Mapping[str, list[str]]:
        """Return the table-relative paths of the current files of each partition path."""
        found: dict[str, list[str]] = {}
        for file_slice in self.slices:
            found.setdefault(file_slice.partition, []).extend(file_slice.paths)
        return found

    def path_of(self, item: tuple[str, str]) -> str:
        """Return the table-relative path of a file, which is given as partition path and name."""
        return join(*item)


def _is_committed(name: str, timeline: Timeline) -> bool:
    base = BaseFileName.parse(name)
    if base is not None:
        return timeline.is_visible(base.instant)
    log = LogFileName.parse(name)
    # in layout 1 the name has the instant of the slice, and readers ignore the blocks of failed commits
    return log is not None and (timeline.layout == 1 or timeline.is_visible(log.instant))
