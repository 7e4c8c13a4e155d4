"""Search for the archived commit with a value in its extra metadata, such as the id of a write.

A complete archive file never changes, so its values of a key are kept in memory, up to a number of files. A writer that
commits often, such as a streaming query, reads the whole archive in its first search, and then only new files.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping

from hoodoo.archived_timeline.layout1_reader import extra_values_of_log_file, log_files
from hoodoo.archived_timeline.layout2_reader import extra_values_of_history_file, manifest_files
from hoodoo.storage import FileInfo, Storage, join
from hoodoo.timeline import Instant

__all__ = ["find_by_extra"]

_File = tuple[str, str, int, int, str]
"""URI of the table, path, size and modification time of a file, and the key."""

_FILES = 4096
"""Maximum number of archive files whose values stay in memory; a file of layout 1 has a few dozen instants."""

_known: dict[_File, Mapping[str, Instant]] = {}
_lock = threading.Lock()


def find_by_extra(storage: Storage, layout: int, folder: str, key: str, value: str) -> Instant | None:
    """Return an archived commit whose extra metadata has `value` under `key`; None if there is none.

    Args:
        storage: The table's files.
        layout: The timeline's layout version.
        folder: Table-relative folder of the archive.
        key: The key of the entry.
        value: Its value.

    Raises:
        CorruptTableError: The archive is corrupt.
        UnsupportedTable: The archive has an unknown form.
    """
    read = extra_values_of_log_file if layout == 1 else extra_values_of_history_file
    for info in _files(storage, layout, folder):
        file = (storage.uri, info.path, info.size, info.modified, key)
        values = _known.get(file)
        if values is None:
            values = dict(read(storage, info.path, key))
            # an address in memory may belong to another table later
            if not storage.uri.startswith("memory:"):
                _keep(file, values)
        if value in values:
            return values[value]
    return None


def _files(storage: Storage, layout: int, folder: str) -> list[FileInfo]:
    """Return the files of the archive, those with the newest instants first."""
    if layout == 1:
        return sorted(log_files(storage, folder), key=lambda info: info.modified, reverse=True)
    listed = {info.path: info for info in storage.list(folder)}
    names = [name for name, _ in manifest_files(storage, folder)]
    # the reader names a missing file in its error
    return [listed.get(join(folder, name), FileInfo(join(folder, name), 0, 0)) for name in sorted(names, reverse=True)]


def _keep(file: _File, values: Mapping[str, Instant]) -> None:
    with _lock:
        while len(_known) >= _FILES:
            del _known[next(iter(_known))]
        _known[file] = values
