"""Table-relative paths: what is allowed, and how they are put together."""

from __future__ import annotations

from functools import lru_cache

from hoodoo.errors import StorageError

__all__ = ["check_relative", "join", "name_of", "parent_of"]


@lru_cache(maxsize=16 * 1024)  # commits name the same files again and again
def check_relative(path: str, what: str = "path") -> str:
    """Return the path if it stays inside the table by its text alone, else raise `StorageError`.

    Refused are absolute paths, `..`, `.` and empty segments, backslashes, NUL and drive letters.
    "" is the table itself.
    """
    if path == "":
        return path
    reason = None
    if "\0" in path:
        reason = "it holds a NUL character"
    elif "\\" in path:
        reason = "it holds a backslash"
    elif path.startswith("/") or (len(path) > 2 and path[1:3] == ":/"):
        reason = "it is absolute"
    elif any(segment in ("", ".", "..") for segment in path.split("/")):
        reason = "it has an empty, '.' or '..' segment"
    if reason is not None:
        raise StorageError(f"{what} {path!r} is refused: {reason}; it must stay inside the table's folder", code="path")
    return path


def join(*parts: str) -> str:
    """Put the non-empty parts together with `/`."""
    return "/".join(part for part in parts if part)


def parent_of(path: str) -> str:
    """The folder that a path lies in; "" for the table's root."""
    return path.rpartition("/")[0]


def name_of(path: str) -> str:
    """The last segment of a path."""
    return path.rpartition("/")[2]
