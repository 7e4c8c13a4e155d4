"""Files and file groups of a commit; paths outside the table are rejected before use."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Protocol

from hoodoo.errors import CorruptTableError, StorageError
from hoodoo.storage import check_relative

__all__ = ["check_paths", "path_errors_as_corruption", "touched"]

_IS_NAME = re.compile(r"[^/\\\0]*").fullmatch


class _Written(Protocol):
    @property
    def file_id(self) -> str: ...

    @property
    def path(self) -> str | None: ...

    @property
    def partition_path(self) -> str | None: ...


def check_paths(
    written: Mapping[str, Iterable[_Written]], replaced: Mapping[str, Iterable[str]] | None, file: str
) -> None:
    """Check the paths and file ids of a commit.

    Args:
        written: Files written, by partition path.
        replaced: File ids replaced, by partition path.
        file: Table-relative path of the commit's own file, for errors.

    Raises:
        CorruptTableError: A path is outside the table, or a file id contains a path.
    """
    with path_errors_as_corruption(file):
        for partition in (*written, *(replaced or {})):
            check_relative(partition, "partition path")
        for partition, stats in written.items():
            for stat in stats:
                _check_file_id(stat.file_id)
                if stat.partition_path != partition:
                    check_relative(stat.partition_path or "", "partition path")
                check_relative(stat.path or "")
        for file_ids in (replaced or {}).values():
            for file_id in file_ids:
                _check_file_id(file_id)


def touched(
    written: Mapping[str, Iterable[_Written]], replaced: Mapping[str, Iterable[str]] | None
) -> frozenset[tuple[str, str]]:
    """Return (partition path, file id) of each file group that a commit wrote or replaced; see `check_paths`."""
    groups = {(partition, stat.file_id) for partition, stats in written.items() for stat in stats}
    for partition, file_ids in (replaced or {}).items():
        groups.update((partition, file_id) for file_id in file_ids)
    return frozenset(groups)


@contextmanager
def path_errors_as_corruption(file: str) -> Iterator[None]:
    """Turn the error about a rejected path into a `CorruptTableError` that names the file with the path."""
    try:
        yield
    except StorageError as error:
        raise CorruptTableError(f"'{file}': {error}; restore the file", file=file) from error


def _check_file_id(text: str) -> None:
    if not _IS_NAME(text):
        raise StorageError(f"file id {text!r} is refused: it contains a '/', a backslash or NUL", code="path")
