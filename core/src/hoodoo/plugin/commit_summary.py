"""Summary of a commit for pre-commit hooks."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

from attrs import field, frozen

__all__ = ["CommitSummary"]


@frozen(slots=False, eq=False)
class CommitSummary:
    """Summary of a commit that is about to be completed. Its files are written; no reader uses them yet.

    Attributes:
        operation: `upsert`, `insert`, ...
        instant: Time of the commit, `yyyyMMddHHmmssSSS` in the time zone of the timeline.
        rows_incoming: Number of incoming rows.
        rows_inserted: Number of rows whose key was not stored, and of all rows of an operation that looks no keys up.
        rows_updated: Number of stored rows that changed; a log may also count rows with new keys.
        rows_deleted: Number of stored rows that were removed one by one, without the rows of replaced files; a log may
            also count deletes of keys that are not stored.
        rows_ignored: Number of records that change nothing, for example late records.
        files: Number of base files and log files written.
        bytes: Total size of these files in bytes.
        partitions: Paths of the partitions with written or replaced files, sorted.
        options: The hook's own options: an instance of its module's class `Options`; None without one.
    """

    operation: str
    instant: str
    rows_incoming: int
    rows_inserted: int
    rows_updated: int
    rows_deleted: int
    rows_ignored: int
    files: int
    bytes: int
    partitions: tuple[str, ...]
    options: Any = None
    _open: Callable[[], Any] = field(kw_only=True, repr=False)

    @cached_property
    def after(self) -> Any:
        """Return the `hoodoo.Table` as it would be after the commit, for reading only.

        It lacks the commits that other writers complete in the meantime.
        """
        return self._open()
