"""Rollback of a failed instant of the table in its metadata table, before the rollback of the table is completed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from hoodoo.metadata_table.maintenance.table_change import TableChange
from hoodoo.properties import load_properties
from hoodoo.storage import Storage, name_of
from hoodoo.timeline import Timeline
from hoodoo.txn.locking.coordination import Coordination
from hoodoo.txn.metadata.delta_commit import keep_current, opened
from hoodoo.txn.metadata.rollbacks import repaired, roll_back_delta

__all__ = ["roll_back_in_metadata"]

_WRITES = frozenset({"commit", "deltacommit"})


def roll_back_in_metadata(
    storage: Storage,
    timeline: Timeline,
    failed: str,
    rollback_time: str,
    record: Mapping[str, Any],
    clock: Callable[[], datetime],
) -> None:
    """Remove the changes of a failed instant from the metadata table; repeated calls have no further effect.

    A table without a metadata table is not changed.

    In timeline layout 1 a rollback leaves the logs of the instant and adds logs with command blocks: a delta commit of
    the metadata table with the time of the rollback adds both to the list of files.

    Args:
        storage: The table's files.
        timeline: The timeline of the table, listed under the lock that the caller holds; the rollback is pending.
        failed: The time of the failed instant.
        rollback_time: The instant time of the table's rollback.
        record: The record of the rollback, as the timeline stores it.
        clock: The writer's clock.

    Raises:
        CorruptTableError: The metadata table is damaged, or was compacted since the instant failed.
        UnsupportedTable: The metadata table is missing or of an unsupported version.
    """
    properties = load_properties(storage)
    if not properties.metadata_partitions:
        return
    metadata = opened(storage, properties, timeline)
    if metadata.metadata.layout == 1 and not metadata.metadata.has_commit(rollback_time):
        change = TableChange(rollback_time, _logs(record))
        keep_current(storage, properties, timeline, change, Coordination(clock), only_files=True)
    metadata = opened(storage, properties, timeline)
    if any(instant.action == "rollback" for instant in metadata.metadata.pending):
        own = "" if metadata.metadata.layout == 1 else rollback_time
        metadata = repaired(metadata, own, clock)
    for instant in metadata.metadata.instants:
        if instant.time == failed and instant.action in _WRITES:
            roll_back_delta(metadata, instant, rollback_time, clock)
            return


def _logs(record: Mapping[str, Any]) -> dict[str, dict[str, int]]:
    """Return the sizes of the logs of a failed instant and of those with command blocks, by partition and name."""
    found: dict[str, dict[str, int]] = {}
    for partition, entry in record["partitionMetadata"].items():
        for part in ("logFilesFromFailedCommit", "rollbackLogFiles"):
            for uri, size in (entry[part] or {}).items():
                # an announced log that no task wrote has no size
                if size > 0:
                    found.setdefault(partition, {})[name_of(uri)] = size
    return found
