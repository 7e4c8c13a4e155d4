"""Carrying out the plan of a rollback on the data files; it may be done again from any point."""

from __future__ import annotations

from time import monotonic
from typing import Any

from hoodoo.errors import CorruptTableError
from hoodoo.format.file_names import NO_TASK_TOKEN, LogFileName
from hoodoo.format.log.block_writer import command_block
from hoodoo.storage import AlreadyExists, Storage, join, name_of, parent_of
from hoodoo.timeline import Timeline
from hoodoo.txn.markers import drop_markers
from hoodoo.txn.rollback.orphaned_files import claimed_by_others, holds_only, is_own_file
from hoodoo.txn.rollback.rollback_plan import RollbackPlan

__all__ = ["undo"]


def undo(timeline: Timeline, plan: RollbackPlan, rollback_time: str) -> dict[str, Any]:
    """Delete the files of a plan and take blocks back. Files that another instant names stay.

    Args:
        timeline: All instants; under the table's lock.
        plan: The files, and the logs with blocks.
        rollback_time: The instant of the rollback.

    Returns:
        The record of the completed rollback.

    Raises:
        CorruptTableError: The plan names what is not the failed instant's; nothing has been changed.
    """
    started = monotonic()
    storage = timeline.storage
    plan.check()
    shared = {path for path in plan.files if not is_own_file(path, plan.failed)}
    kept = shared & claimed_by_others(timeline, plan.time) if shared else frozenset()
    for path in sorted(shared - kept):
        if storage.exists(path) and not holds_only(storage, path, plan.time):
            raise CorruptTableError(
                f"the rollback of {plan.time} would delete '{path}', which others have written to", file=path
            )
    # a task that opens its file from here on finds that its marker is gone, see `check_marker`
    drop_markers(storage, plan.time)
    for path in plan.files:
        if path not in kept:
            storage.delete(path)
    for folder in {parent_of(path) for path in plan.files}:
        storage.sweep(folder)
    body = command_block(rollback_time, plan.time)
    commands = {_take_back(storage, slice_, version, body): len(body) for slice_, version in plan.slices()}
    return plan.to_metadata(storage.uri, rollback_time, round((monotonic() - started) * 1000), commands)


def _take_back(storage: Storage, slice_: tuple[str, str, str], version: int, body: bytes) -> str:
    """Write the command as the next log of a slice, unless an earlier attempt did; its path.

    Args:
        storage: The table's files.
        slice_: Partition, file id and instant.
        version: The command comes behind this log in any case, whether that is there or not: the task that announced it
            may still be writing.
        body: The command.
    """
    partition, file_id, instant = slice_
    for info in storage.list(partition):
        name = LogFileName.parse(name_of(info.path))
        if name is None or (name.file_id, name.instant) != (file_id, instant):
            continue
        if name.write_token == NO_TASK_TOKEN and info.size == len(body) and storage.read(info.path) == body:
            return info.path
        version = max(version, name.version)
    while True:
        version += 1
        path = join(partition, str(LogFileName(file_id, instant, version, NO_TASK_TOKEN, is_cdc=False)))
        try:
            storage.create(path, body)
            return path
        except AlreadyExists:
            # another writer's; or ours, and the answer got lost: a second command does no harm
            continue
