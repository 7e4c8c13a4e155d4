"""Check that the data files of a write exist before its commit."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor

from hoodoo.storage import Missing, Storage, parent_of
from hoodoo.timeline import WriteStat

__all__ = ["lost_file"]

_LISTED_FROM = 4
"""The number of files in one folder from which one listing costs less than a request for each file."""

_AT_ONCE = 8

_Sizes = dict[str, int]


def lost_file(storage: Storage, stats: Iterable[WriteStat]) -> str | None:
    """Return a description of the first written file that is missing or has another size, or None.

    Args:
        storage: The table's files.
        stats: The write stats of the files.

    Raises:
        StorageError: The store fails.
    """
    written: dict[str, _Sizes] = defaultdict(dict)
    for stat in stats:
        if stat.path:
            written[parent_of(stat.path)][stat.path] = stat.file_size_in_bytes
    for folder, stored in zip(written, _looked_up(storage, list(written.items())), strict=True):
        for path, size in written[folder].items():
            if path not in stored:
                return f"'{path}' is missing"
            if stored[path] != size:
                return f"'{path}' has {stored[path]} bytes in place of {size}"
    return None


def _looked_up(storage: Storage, folders: list[tuple[str, _Sizes]]) -> Iterator[_Sizes]:
    """Yield the sizes of the files that exist, folder by folder."""
    if len(folders) <= _AT_ONCE:
        yield from (_sizes(storage, *folder) for folder in folders)
        return
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        yield from pool.map(lambda folder: _sizes(storage, *folder), folders)


def _sizes(storage: Storage, folder: str, paths: _Sizes) -> _Sizes:
    if len(paths) >= _LISTED_FROM:
        return {info.path: info.size for info in storage.list(folder)}
    found = {}
    for path in paths:
        try:
            found[path] = storage.size(path)
        except Missing:
            continue
    return found
