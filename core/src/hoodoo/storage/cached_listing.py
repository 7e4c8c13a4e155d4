"""A table on a local disk whose files are walked once for a whole query."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

from attrs import frozen

from hoodoo.storage.base import FileInfo
from hoodoo.storage.local import LocalStorage

__all__ = ["WalkedStorage"]


@frozen
class WalkedStorage(LocalStorage):
    """Files as they were when somebody first walked the whole table; whatever is asked of one of them, it is asked now.

    A timeline that counts for them must have been read before.
    """

    @cached_property
    def files(self) -> Mapping[str, FileInfo]:
        """The files by path, without those of the `.hoodie` folder."""
        return {info.path: info for info in super().walk()}

    def walk(self, folder: str = "") -> Iterator[FileInfo]:
        """All files below a folder, as they were where it is the table's own."""
        return super().walk(folder) if folder else iter(self.files.values())
