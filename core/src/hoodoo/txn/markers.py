"""Markers: before a task writes a data file it leaves a note of the file's name.

What an attempt that failed left behind is found by them, before the commit and in a rollback. A writer opens the
markers of its instant by a file of its own in their folder; once that file is gone, no task may begin a data file.
"""

from __future__ import annotations

import re
from typing import Literal

from hoodoo.errors import CommitError
from hoodoo.storage import Storage, join
from hoodoo.txn.instant_creation import create_early_file, ensure_file

__all__ = [
    "MarkerKind",
    "are_markers_open",
    "check_marker",
    "close_markers",
    "create_marker",
    "delete_markers",
    "drop_markers",
    "list_markers",
    "marker_exists",
    "open_markers",
]

MarkerKind = Literal["CREATE", "MERGE", "APPEND"]

_TEMPORARY = ".hoodie/.temp"
_MARKER = re.compile(r"^(.+)\.marker\.(CREATE|MERGE|APPEND)$")


def open_markers(storage: Storage, instant: str, token: str) -> None:
    """Let the tasks of an instant begin; `token` says which writer it is."""
    create_early_file(storage, _sentinel(instant), token.encode())


def are_markers_open(storage: Storage, instant: str) -> bool:
    """Whether tasks of the instant may begin data files."""
    return storage.exists(_sentinel(instant))


def close_markers(storage: Storage, instant: str) -> None:
    """Let no task of the instant begin another data file; the markers stay."""
    storage.delete(_sentinel(instant))


def create_marker(storage: Storage, instant: str, path: str, kind: MarkerKind) -> None:
    """Announce a data file. Call it before the file is opened.

    Args:
        storage: The table's files.
        instant: The commit that is being written.
        path: Table-relative path of the data file.
        kind: CREATE for the first base file of a file group, MERGE for the next one, APPEND for a log file.

    Raises:
        CommitError: The commit is finished or rolled back, so that nothing may be written for it any more.
    """
    marker = _marker(instant, path, kind)
    if are_markers_open(storage, instant):
        # one that is there is this attempt's own, whose answer got lost: no other has this name
        ensure_file(storage, marker, b"")
        # a rollback that began meanwhile may have listed the markers before this one
        if are_markers_open(storage, instant):
            return
        storage.delete(marker)
    raise CommitError(f"commit {instant} is finished or was rolled back; '{path}' may not be written for it")


def marker_exists(storage: Storage, instant: str, path: str, kind: MarkerKind) -> bool:
    """Whether a data file is still announced; where not, the commit gave it up and the file must go."""
    return storage.exists(_marker(instant, path, kind))


def check_marker(storage: Storage, instant: str, path: str, kind: MarkerKind) -> None:
    """Delete a data file that the commit gave up. Call it once the file is open, and again once it is closed.

    Whoever gives a file up removes the marker first and the file then. So a task that finds the marker after it opened
    the file will have the file removed for it, whatever becomes of the task; one that does not find the marker removes
    the file.

    Raises:
        CommitError: The commit gave the file up.
    """
    if not marker_exists(storage, instant, path, kind):
        storage.delete(path)
        raise CommitError(f"commit {instant} was rolled back while '{path}' was being written")


def list_markers(storage: Storage, instant: str) -> list[tuple[str, str]]:
    """(table-relative path of the data file, kind) of every marker of an instant."""
    folder = f"{_TEMPORARY}/{instant}"
    found = []
    for info in storage.walk(folder):
        match = _MARKER.match(info.path[len(folder) + 1 :])
        if match is not None:
            found.append((match.group(1), match.group(2)))
    return sorted(found)


def delete_markers(storage: Storage, instant: str, path: str) -> None:
    """Take back the announcement of one data file, of whatever kind."""
    for kind in ("CREATE", "MERGE", "APPEND"):
        storage.delete(join(_TEMPORARY, instant, f"{path}.marker.{kind}"))


def drop_markers(storage: Storage, instant: str) -> None:
    """Remove all markers of an instant."""
    storage.delete_tree(f"{_TEMPORARY}/{instant}")


def _marker(instant: str, path: str, kind: str) -> str:
    return join(_TEMPORARY, instant, f"{path}.marker.{kind}")


def _sentinel(instant: str) -> str:
    return f"{_TEMPORARY}/{instant}/writer"
