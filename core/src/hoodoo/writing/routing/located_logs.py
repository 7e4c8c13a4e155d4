"""Logs whose keys a write found before it wrote them: the upkeep of the record index does not read their keys again."""

from __future__ import annotations

from collections.abc import Iterable

from hoodoo.filegroup.located_log import LocatedLog
from hoodoo.storage import name_of
from hoodoo.writing.file_status import FileStatus
from hoodoo.writing.routing.task_plan import TaskPlan

__all__ = ["located_logs"]


def located_logs(plan: TaskPlan, statuses: Iterable[FileStatus]) -> dict[str, LocatedLog]:
    """Return the logs of a write whose keys the look-up found in their file slices, by path.

    Args:
        plan: The plan of the write.
        statuses: The files that tasks wrote.
    """
    by_index = plan.index.has_locations
    bases = {
        (partition, ref.file_id): name_of(ref.path)
        for partition, slots in plan.slices.items()
        for ref in slots.values()
        if ref.path
    }
    found = {}
    for status in statuses:
        base = bases.get((status.partition, status.file_id))
        if status.located and (by_index or base is not None):
            found[status.path] = LocatedLog(None if by_index else base, status.deletes)
    return found
