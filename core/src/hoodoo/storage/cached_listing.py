"""Storage that lists the files of a table once per query."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import ClassVar

from attrs import frozen

from hoodoo.storage.base import FileInfo
from hoodoo.storage.read_only import ReadOnlyStorage

__all__ = ["CachedListingStorage"]


@frozen
class CachedListingStorage(ReadOnlyStorage):
    """Storage that caches the list of all files at the first `walk` of the table's root.

    Operations on single files are not cached. If a timeline is compared with the files, read the timeline before the
    first walk.
    """

    reason: ClassVar[str] = "a query must not change files"

    @cached_property
    def files(self) -> Mapping[str, FileInfo]:
        """Return the files by path, except those of the `.hoodie` folder."""
        return {info.path: info for info in self.base.walk()}

    def walk(self, folder: str = "") -> Iterator[FileInfo]:
        """Yield all files below a folder; for the table's root, from the cache and without those in `.hoodie`."""
        return self.base.walk(folder) if folder else iter(self.files.values())
