"""From what a user calls a path to the storage that serves it."""

from __future__ import annotations

import os
import re
from urllib.parse import unquote, urlsplit

from hoodoo.errors import UnsupportedTable
from hoodoo.storage.base import Storage
from hoodoo.storage.local import LocalStorage

__all__ = ["storage_for"]

_SCHEME = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]+:")


def storage_for(uri: str | os.PathLike[str]) -> Storage:
    """The storage for a table's location: a plain path, a `pathlib.Path` or a `file:` URI.

    Raises `UnsupportedTable` for any other scheme, which it names.
    """
    text = os.fspath(uri)
    if not _SCHEME.match(text):
        return LocalStorage(os.path.abspath(text))
    parts = urlsplit(text)
    if parts.scheme.lower() != "file":
        raise UnsupportedTable(
            f"tables at '{parts.scheme}:' are not supported; use a local path or a file: URI (got {text!r})",
            code="storage_scheme",
        )
    if parts.netloc not in ("", "localhost"):
        raise UnsupportedTable(
            f"{text!r} names the host '{parts.netloc}'; a file: URI must be local", code="storage_scheme"
        )
    # urlsplit cuts at ? and #, which are ordinary characters in a local path
    path = text[len("file:") :]
    if path.startswith("//"):
        path = path[2 + len(parts.netloc) :]
    return LocalStorage(os.path.abspath(unquote(path)))
