"""Files by their folders and a pattern of names, for a Spark that lists them itself.

It lists one path after the other: thousands of files cost minutes, their folders a fraction of a second. A pattern is
applied once, to the listing, and costs nothing per row.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cached_property

from attrs import frozen

from hoodoo.errors import CorruptTableError
from hoodoo.storage import LocalStorage, join, name_of

__all__ = ["Folders", "as_path"]

_SPECIAL = re.compile(r"[\\*?\[\]{},^]")


def as_path(storage: LocalStorage, path: str) -> str:
    """A table-relative path as Spark takes it: characters that would make a pattern of it are escaped."""
    return "file://" + _SPECIAL.sub(_escaped, storage.local_path("") + (f"/{path}" if path else ""))


@frozen
class Folders:
    """The folders that base files lie in, other files among them.

    Attributes:
        names: The names of the files that are meant, by folder, which is table-relative.
    """

    names: Mapping[str, frozenset[str]]

    @classmethod
    def of(cls, files: Iterable[str]) -> Folders:
        """The folders of files, by their table-relative paths."""
        names: dict[str, set[str]] = defaultdict(set)
        for path in files:
            folder, _, name = path.rpartition("/")
            names[folder].add(name)
        return cls({folder: frozenset(names[folder]) for folder in sorted(names)})

    def others(self, storage: LocalStorage) -> frozenset[str]:
        """The base files beside them that are there now, those alone that a commit wrote which wrote one of the files.

        Raises:
            CorruptTableError: one of the files is gone.
        """
        others: set[str] = set()
        for folder, names in self.names.items():
            found = frozenset(storage.names(folder))
            if gone := names - found:
                path = join(folder, min(gone))
                raise CorruptTableError(
                    f"base file '{path}' is gone; if a cleaner removed it meanwhile, read the table anew", file=path
                )
            beside = (name for name in found - names if _is_shown(name) and _commit(name) in self._commits)
            others.update(join(folder, name) for name in beside)
        return frozenset(others)

    def pattern(self, others: Iterable[str]) -> str | None:
        """The glob that the names of the files match, and none of the others that are there.

        None where names alone cannot tell them apart.
        """
        mixed: dict[str, list[str]] = {}
        names = frozenset().union(*self.names.values())
        for path in others:
            if name_of(path) in names:
                return None
            mixed[_commit(path)] = []
        whole = self._commits - mixed.keys()
        alternatives = {f"*_{_SPECIAL.sub(_escaped, commit)}" for commit in whole}
        if mixed:
            for name in sorted(names):
                if (commit := _commit(name)) in mixed:
                    mixed[commit].append(_SPECIAL.sub(_escaped, name.rpartition("_")[0]))
        for commit, heads in mixed.items():
            alternatives.add(f"{{{','.join(heads)}}}_{_SPECIAL.sub(_escaped, commit)}")
        return f"{{{','.join(sorted(alternatives))}}}"

    @cached_property
    def _commits(self) -> set[str]:
        return {_commit(name) for names in self.names.values() for name in names}


def _commit(path: str) -> str:
    """The end of a base file's name: the commit that wrote it, and the extension."""
    return path.rpartition("_")[2]


def _is_shown(name: str) -> bool:
    """Whether Spark lists a file at all."""
    return name[:1] not in (".", "_")


def _escaped(character: re.Match[str]) -> str:
    return f"\\{character[0]}"
