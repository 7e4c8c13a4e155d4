"""Location of a table for Spark's own readers, which use the Hadoop configuration of the session."""

from __future__ import annotations

import re
from collections.abc import Mapping

from attrs import field, frozen

from hoodoo.storage import CachedListingStorage, LocalStorage, Storage, name_of

__all__ = ["ScanSource", "as_path", "escaped", "local_root", "names_in"]

_SPECIAL = re.compile(r"[\\*?\[\]{},^]")


@frozen
class ScanSource:
    """Location of a table for Spark's own readers.

    Attributes:
        storage: The table's files.
        root: The URI of the table's folder, not encoded and without a slash at the end.
        options: Options of Spark's readers with which they access the store. They may contain secrets.
    """

    storage: CachedListingStorage
    root: str
    options: Mapping[str, str] = field(factory=dict, repr=False)

    @property
    def is_local(self) -> bool:
        """Return whether the files are on a local disk, where a look-up of a file takes almost no time."""
        return isinstance(self.storage.base, LocalStorage)

    def path(self, path: str) -> str:
        """Return the URI of a table-relative path, see `as_path`."""
        return as_path(self.root, path)


def as_path(root: str, path: str) -> str:
    """Return the URI of a path below a root for Spark, with the special characters of patterns escaped."""
    return escaped(root + (f"/{path}" if path else ""))


def escaped(text: str) -> str:
    """Return a pattern that matches only the text."""
    return _SPECIAL.sub(lambda character: f"\\{character[0]}", text)


def local_root(storage: LocalStorage) -> str:
    """Return the URI of the root folder of a table on a local disk."""
    return "file://" + storage.local_path("")


def names_in(storage: Storage, folder: str) -> frozenset[str]:
    """Return the names of the files in a folder; for a local folder, of all entries, which takes less time."""
    if isinstance(storage, LocalStorage):
        return frozenset(storage.names(folder))
    return frozenset(name_of(file.path) for file in storage.list(folder))
