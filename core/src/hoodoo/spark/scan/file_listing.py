"""Folders and a name pattern that select files, for scans in which Spark lists the folders.

Spark looks up files one by one, which takes minutes for thousands of files, but lists their folders in a fraction of a
second. Spark applies the pattern once, to the listing, and not to rows.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cached_property

from attrs import frozen

from hoodoo.errors import CorruptTableError
from hoodoo.spark.scan.scan_source import escaped, names_in
from hoodoo.storage import Storage, join, name_of

__all__ = ["Folders"]


@frozen
class Folders:
    """Base files to read, and their folders, which may have other files.

    Attributes:
        names: The names of the files to read, by table-relative folder.
    """

    names: Mapping[str, frozenset[str]]

    @classmethod
    def of(cls, files: Iterable[str]) -> Folders:
        """Return the folders of files, which are given by table-relative paths."""
        names: dict[str, set[str]] = defaultdict(set)
        for path in files:
            folder, _, name = path.rpartition("/")
            names[folder].add(name)
        return cls({folder: frozenset(names[folder]) for folder in sorted(names)})

    def others(self, storage: Storage) -> frozenset[str]:
        """Return the paths of files that are now in the folders, but are not to be read.

        Only files that Spark lists, of the commits that wrote the files to read, are returned.

        Raises:
            CorruptTableError: A file to read is missing.
        """
        others: set[str] = set()
        for folder, names in self.names.items():
            found = names_in(storage, folder)
            if missing := names - found:
                path = join(folder, min(missing))
                raise CorruptTableError(
                    f"base file '{path}' is missing; if a cleaner removed it during the query, read again, or else "
                    "restore the file",
                    file=path,
                )
            added = (name for name in found - names if _is_listed(name) and _commit(name) in self._commits)
            others.update(join(folder, name) for name in added)
        return frozenset(others)

    def pattern(self, others: Iterable[str]) -> str | None:
        """Return a glob that matches the names of the files to read and none of the other files.

        Return None if the names alone do not distinguish these files.
        """
        mixed: dict[str, list[str]] = {}
        names = frozenset().union(*self.names.values())
        for path in others:
            if name_of(path) in names:
                return None
            mixed[_commit(path)] = []
        whole = self._commits - mixed.keys()
        alternatives = {f"*_{escaped(commit)}" for commit in whole}
        if mixed:
            for name in sorted(names):
                if (commit := _commit(name)) in mixed:
                    mixed[commit].append(escaped(name.rpartition("_")[0]))
        for commit, heads in mixed.items():
            alternatives.add(f"{{{','.join(heads)}}}_{escaped(commit)}")
        return f"{{{','.join(sorted(alternatives))}}}"

    @cached_property
    def _commits(self) -> set[str]:
        return {_commit(name) for names in self.names.values() for name in names}


def _commit(path: str) -> str:
    """Return the end of the name of a base file: the commit that wrote it, and the extension."""
    return path.rpartition("_")[2]


def _is_listed(name: str) -> bool:
    """Return whether Spark lists files with this name."""
    return name[:1] not in (".", "_")
