"""Which files Spark's Parquet reader is told to read: a few by their paths, many by their folders and a name pattern.

Spark lists what it is given, one path after the other, or more than 32 by a job with one task each: thousands of
paths cost minutes, their folders a fraction of a second. A pattern is applied once, to the listing, and costs nothing
per row.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from attrs import frozen

from hoodoo.errors import CorruptTableError
from hoodoo.storage import LocalStorage, join, name_of, parent_of

__all__ = ["MOST_PATHS", "Folders", "as_path"]

MOST_PATHS = 32
"""So many paths Spark lists by itself, unless its settings say otherwise; for more it starts a job."""

_SPECIAL = re.compile(r"[\\*?\[\]{},^]")


def as_path(storage: LocalStorage, path: str) -> str:
    """A table-relative path as Spark takes it: characters that would make a pattern of it are escaped."""
    return "file://" + _SPECIAL.sub(_escaped, storage.local_path("") + (f"/{path}" if path else ""))


@frozen
class Folders:
    """The folders that base files lie in, other files among them.

    Attributes:
        files: Table-relative paths of the files that are meant.
    """

    files: frozenset[str]

    @property
    def folders(self) -> list[str]:
        """Table-relative, in order."""
        return sorted({parent_of(path) for path in self.files})

    def listed(self, storage: LocalStorage) -> frozenset[str]:
        """The base files that are there now, those alone that a commit wrote which wrote one of the files.

        Raises:
            CorruptTableError: one of the files is gone.
        """
        commits = {_commit(path) for path in self.files}
        listed = frozenset(
            join(folder, name)
            for folder in self.folders
            for name in storage.names(folder)
            if _commit(name) in commits and _is_shown(name)
        )
        if gone := self.files - listed:
            path = min(gone)
            raise CorruptTableError(
                f"base file '{path}' is gone; if a cleaner removed it meanwhile, read the table anew", file=path
            )
        return listed

    def pattern(self, listed: Iterable[str]) -> str | None:
        """The glob that the names of the files match, and none of the others that are listed.

        None where names alone cannot tell them apart.
        """
        mixed: dict[str, list[str]] = {}
        names = {name_of(path) for path in self.files}
        for path in set(listed) - self.files:
            if name_of(path) in names:
                return None
            mixed[_commit(path)] = []
        whole = {_commit(name) for name in names} - mixed.keys()
        alternatives = {f"*_{_SPECIAL.sub(_escaped, commit)}" for commit in whole}
        for name in sorted(names):
            if (commit := _commit(name)) in mixed:
                mixed[commit].append(_SPECIAL.sub(_escaped, name.rpartition("_")[0]))
        for commit, heads in mixed.items():
            alternatives.add(f"{{{','.join(heads)}}}_{_SPECIAL.sub(_escaped, commit)}")
        return f"{{{','.join(sorted(alternatives))}}}"


def _commit(path: str) -> str:
    """The end of a base file's name: the commit that wrote it, and the extension."""
    return path.rpartition("_")[2]


def _is_shown(name: str) -> bool:
    """Whether Spark lists a file at all."""
    return name[:1] not in (".", "_")


def _escaped(character: re.Match[str]) -> str:
    return f"\\{character[0]}"
