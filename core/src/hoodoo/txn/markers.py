"""Markers: empty files that announce data files before tasks write them.

Markers identify the files of failed attempts, before the commit and in a rollback. A writer opens the markers of its
instant by a sentinel file in their folder. Without that file, no task may begin a data file. A write that keeps the
table lock needs neither a sentinel file nor checks, because no other writer can roll it back in that time.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable
from typing import Literal

from hoodoo.errors import CommitError
from hoodoo.storage import HOODIE_FOLDER, RemoteStore, Storage, join
from hoodoo.txn.held_write import held_write
from hoodoo.txn.instant_creation import create_early_file, ensure_file

__all__ = [
    "MarkerKind",
    "are_markers_open",
    "check_marker",
    "close_markers",
    "create_marker",
    "delete_files_with_markers",
    "delete_markers",
    "drop_markers",
    "forget_markers",
    "instants_with_markers",
    "is_announced",
    "list_markers",
    "marker_exists",
    "open_markers",
    "wait_for_markers",
]

MarkerKind = Literal["CREATE", "MERGE", "APPEND"]

LONGEST_WAIT = 60.0
"""Seconds for which a task waits for the markers of its instant."""

_TEMPORARY = f"{HOODIE_FOLDER}/.temp"
_MARKER = re.compile(r"^(.+)\.marker\.(CREATE|MERGE|APPEND)$")


def open_markers(storage: Storage, instant: str, token: str) -> None:
    """Open the markers of an instant, so that its tasks may begin; `token` identifies the writer.

    Raises:
        AlreadyExists: Another writer has opened the markers.
        StorageError: The store failed.
    """
    create_early_file(storage, _sentinel(instant), token.encode())


def are_markers_open(storage: Storage, instant: str) -> bool:
    """Return whether an instant has a sentinel file, so that its tasks may begin data files."""
    return storage.exists(_sentinel(instant))


def wait_for_markers(storage: Storage, instant: str, path: str, timeout: float = LONGEST_WAIT) -> None:
    """Wait until the markers of an instant are open, about `LONGEST_HOLD` seconds after its writer began.

    Args:
        storage: The table's files.
        instant: The instant time of the commit.
        path: Table-relative path of the data file that a task is about to write, for messages.
        timeout: The longest wait, in seconds.

    Raises:
        CommitError: The markers were not opened: the commit was completed or rolled back, its writer has ended, or its
            store fails.
    """
    end, pause = time.monotonic() + timeout, 0.05
    while not are_markers_open(storage, instant):
        if time.monotonic() >= end:
            raise CommitError(
                f"'{path}' was not written: the writer of commit {instant} did not open its markers within {timeout:g} "
                "seconds, because the commit is completed or rolled back, or the writer has ended; run the write again "
                "if it failed"
            )
        time.sleep(pause)
        pause = min(2 * pause, 1.0)


def close_markers(storage: Storage, instant: str) -> None:
    """Prevent tasks of the instant from beginning another data file; the markers remain."""
    storage.delete(_sentinel(instant))


def create_marker(storage: Storage, instant: str, path: str, kind: MarkerKind) -> None:
    """Create the marker of a data file. Call it before the file is opened.

    Args:
        storage: The table's files.
        instant: The instant time of the commit.
        path: Table-relative path of the data file.
        kind: CREATE for the first base file of a file group, MERGE for a later one. For a log file APPEND in timeline
            layout 1, in which logs are named by their slice, and CREATE in later layouts.

    Raises:
        CommitError: The markers are closed: `reconcile` has begun, or the commit was completed or rolled back.
    """
    marker = _marker(instant, path, kind)
    held = held_write(storage, instant)
    if held is not None:
        # Hudi needs the marker to roll back a write whose process died
        held.files[path] = kind
    elif not isinstance(storage, RemoteStore) and not are_markers_open(storage, instant):
        raise _closed(instant, path)
    # an existing marker is that of this attempt, after a lost response: no other attempt uses this name
    ensure_file(storage, marker, b"")
    # a rollback that closed the markers before this line may have listed them before this one existed
    if held_write(storage, instant) is None and not are_markers_open(storage, instant):
        storage.delete(marker)
        raise _closed(instant, path)


def marker_exists(storage: Storage, instant: str, path: str, kind: MarkerKind) -> bool:
    """Return whether a data file has its marker. Without a marker the file was discarded: delete it."""
    return storage.exists(_marker(instant, path, kind))


def check_marker(storage: Storage, instant: str, path: str, kind: MarkerKind) -> None:
    """If a data file was discarded, delete it and raise `CommitError`. Call this function after the file is closed.

    `is_announced` is the check after the file is opened.

    A commit or rollback that discards a file deletes the marker first and the file after it. If a task finds the marker
    after it opened the file, that deletion includes the file, even if the task dies. A task that does not find the
    marker deletes the file itself.

    Raises:
        CommitError: The commit or a rollback discarded the file.
    """
    if held_write(storage, instant) is None and not marker_exists(storage, instant, path, kind):
        storage.delete(path)
        raise CommitError(
            f"commit {instant} discarded '{path}' while it was being written: the commit was rolled back, or another "
            "attempt of the task wrote the rows; run the write again if it failed"
        )


def is_announced(storage: Storage, instant: str, path: str, kind: MarkerKind) -> bool:
    """Return whether a data file that was just opened has its marker; always true in a remote store.

    There, a file does not exist before it is closed, and only `check_marker` after that can discard it.
    """
    return isinstance(storage, RemoteStore) or marker_exists(storage, instant, path, kind)


def list_markers(storage: Storage, instant: str) -> list[tuple[str, str]]:
    """Return the table-relative path of the data file, and the kind, of each marker of an instant."""
    folder = f"{_TEMPORARY}/{instant}"
    found = []
    for info in storage.walk(folder):
        match = _MARKER.match(info.path[len(folder) + 1 :])
        if match is not None:
            found.append((match.group(1), match.group(2)))
    return sorted(found)


def delete_markers(storage: Storage, instant: str, path: str) -> None:
    """Delete the markers of one data file, of each kind."""
    for kind in ("CREATE", "MERGE", "APPEND"):
        storage.delete(join(_TEMPORARY, instant, f"{path}.marker.{kind}"))


def delete_files_with_markers(storage: Storage, instant: str, files: Iterable[tuple[str, str]]) -> None:
    """Delete data files and their markers; each marker is deleted before its file.

    Args:
        storage: The table's files.
        instant: The instant time.
        files: Path and marker kind of each file.
    """
    for path, kind in files:
        storage.delete(_marker(instant, path, kind))
        storage.delete(path)


def forget_markers(storage: Storage, instant: str, files: Iterable[tuple[str, str]]) -> None:
    """Delete all markers of a committed instant, whose files are known.

    Args:
        storage: The table's files.
        instant: The instant time.
        files: Path and marker kind of each data file.
    """
    markers = [_marker(instant, path, kind) for path, kind in files]
    if isinstance(storage, RemoteStore):
        storage.delete_files(markers)
    else:
        for marker in markers:
            storage.delete(marker)


def instants_with_markers(storage: Storage) -> set[str]:
    """Return the times of the instants that have markers or a sentinel file."""
    return {info.path[len(_TEMPORARY) + 1 :].partition("/")[0] for info in storage.walk(_TEMPORARY)}


def drop_markers(storage: Storage, instant: str) -> None:
    """Delete all markers of an instant, and the sentinel file."""
    storage.delete_tree(f"{_TEMPORARY}/{instant}")


def _marker(instant: str, path: str, kind: str) -> str:
    return join(_TEMPORARY, instant, f"{path}.marker.{kind}")


def _sentinel(instant: str) -> str:
    return f"{_TEMPORARY}/{instant}/writer"


def _closed(instant: str, path: str) -> CommitError:
    return CommitError(
        f"commit {instant} is completed, is being completed or was rolled back, and '{path}' may not be written for "
        "it; run the write again if it failed"
    )
