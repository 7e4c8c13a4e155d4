"""Table-relative paths: validation, composition, and the name of the `.hoodie` folder."""

from __future__ import annotations

from functools import lru_cache

from hoodoo.errors import StorageError

__all__ = ["HOODIE_FOLDER", "check_relative", "join", "name_of", "parent_of"]

HOODIE_FOLDER = ".hoodie"
"""Folder with the properties, the timeline and the metadata table of a table."""


@lru_cache(maxsize=16 * 1024)  # commits name the same files again and again
def check_relative(path: str, what: str = "path") -> str:
    """Return the path if it is inside the table; "" is the table's root.

    Absolute paths, `..`, `.` and empty segments, backslashes, NUL and a leading `C:/` are rejected.

    Args:
        path: A table-relative path.
        what: The name of the path in the message.

    Raises:
        StorageError: The path is rejected.
    """
    if path == "":
        return path
    reason = None
    if "\0" in path:
        reason = "it contains a NUL character"
    elif "\\" in path:
        reason = "it contains a backslash"
    elif path.startswith("/") or (len(path) > 2 and path[1:3] == ":/"):
        reason = "it is absolute"
    elif any(segment in ("", ".", "..") for segment in path.split("/")):
        reason = "it has an empty, '.' or '..' segment"
    if reason is not None:
        raise StorageError(f"{what} {path!r} is refused: {reason}; it must be inside the table's folder", code="path")
    return path


def join(*parts: str) -> str:
    """Return the non-empty parts joined with `/`."""
    return "/".join(part for part in parts if part)


def parent_of(path: str) -> str:
    """Return the folder that contains a path; "" if that is the table's root."""
    return path.rpartition("/")[0]


def name_of(path: str) -> str:
    """Return the last segment of a path."""
    return path.rpartition("/")[2]
