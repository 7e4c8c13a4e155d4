"""Change of a table by one instant, and the records of a partition of the metadata table that follow from it."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import pyarrow as pa
from attrs import field, frozen

from hoodoo.timeline import WriteStat

__all__ = ["RecordChange", "TableChange"]


@frozen
class TableChange:
    """Files that an instant adds to the table and removes from it.

    Attributes:
        instant: The instant time.
        added: Sizes in bytes of the added files and of extended logs, by partition path and file name.
        removed: Names of the removed files, by partition path.
        stats: The write stats of a commit; () for a clean or a rollback.
        replaced: The file groups that a replacecommit replaces, by partition path.
    """

    instant: str
    added: Mapping[str, Mapping[str, int]] = field(factory=dict)
    removed: Mapping[str, Collection[str]] = field(factory=dict)
    stats: tuple[WriteStat, ...] = ()
    replaced: Mapping[str, tuple[str, ...]] = field(factory=dict)


@frozen
class RecordChange:
    """Records that a commit of the metadata table adds to a partition, in any order; each key occurs once.

    Attributes:
        keys: The keys (`large_binary`).
        values: The values (`large_binary`): Avro datums of `HoodieMetadataRecord`.
        deleted: Keys of removed records (`large_binary`), for the record index and secondary indexes.
    """

    keys: pa.Array
    values: pa.Array
    deleted: pa.Array = field(factory=lambda: pa.array([], pa.large_binary()))
