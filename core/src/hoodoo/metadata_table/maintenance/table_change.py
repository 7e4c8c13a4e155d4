"""Change of a table by one instant, and the resulting records of a partition of the metadata table."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

import pyarrow as pa
from attrs import field, frozen

from hoodoo.filegroup.located_log import LocatedLog
from hoodoo.timeline import WriteStat

__all__ = ["PresentKeys", "RecordChange", "TableChange"]

PresentKeys = Callable[[str, str, pa.Array], pa.Array]
"""Function of a partition path, a file id and keys (`large_binary`) that returns those of the keys that the rows of the
file slice have after the change."""


@frozen
class TableChange:
    """Files that an instant adds to the table and removes from it.

    Attributes:
        instant: The instant time.
        added: Sizes in bytes of the added files and of extended logs, by partition path and file name.
        removed: Names of the removed files, by partition path.
        stats: The write stats of a commit; () for a clean or a rollback.
        replaced: Ids of the file groups that a replacecommit replaces, by partition path.
        present: Function that returns the keys of a slice with logs after the change; None if the records of the logs
            are used.
        exact_counts: Whether the write stats of a base file count each key that it gains as inserted, and each key that
            it loses as deleted. Those of an SQL statement count a row that moves to another partition as an update.
        located: The logs whose keys the write found in the table, by path.
    """

    instant: str
    added: Mapping[str, Mapping[str, int]] = field(factory=dict)
    removed: Mapping[str, Collection[str]] = field(factory=dict)
    stats: tuple[WriteStat, ...] = ()
    replaced: Mapping[str, tuple[str, ...]] = field(factory=dict)
    present: PresentKeys | None = None
    exact_counts: bool = False
    located: Mapping[str, LocatedLog] = field(factory=dict)


@frozen
class RecordChange:
    """Records that a commit of the metadata table adds to a partition, in any order; each key occurs once.

    Attributes:
        keys: The keys (`large_binary`).
        values: The values (`large_binary`): Avro datums of `HoodieMetadataRecord`.
        deleted: Keys of removed records (`large_binary`).
    """

    keys: pa.Array
    values: pa.Array
    deleted: pa.Array = field(factory=lambda: pa.array([], pa.large_binary()))
