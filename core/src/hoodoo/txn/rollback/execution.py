"""Execution of a rollback plan on the data files; it can be repeated after an interruption at any point."""

from __future__ import annotations

from time import monotonic
from typing import Any

from hoodoo.errors import CorruptTableError
from hoodoo.format.file_names import NO_TASK_TOKEN, LogFileName
from hoodoo.format.log.block_writer import command_block
from hoodoo.storage import AlreadyExists, Storage, join, name_of, parent_of
from hoodoo.timeline import Timeline
from hoodoo.txn.markers import drop_markers
from hoodoo.txn.rollback.orphaned_files import claimed_by_others, has_only_blocks_of, is_own_file
from hoodoo.txn.rollback.rollback_plan import RollbackPlan

__all__ = ["undo"]


def undo(timeline: Timeline, plan: RollbackPlan, rollback_time: str) -> dict[str, Any]:
    """Delete the files of a plan and write command blocks for its logs. Files that another instant names are kept.

    Args:
        timeline: The complete timeline; the caller holds the table lock.
        plan: The files and logs of the failed instant.
        rollback_time: The instant time of the rollback.

    Returns:
        The record of the completed rollback.

    Raises:
        CorruptTableError: The plan names a file that is outside the table or does not belong to the failed instant;
            nothing has been changed.
    """
    started = monotonic()
    storage = timeline.storage
    plan.check(rollback_time)
    shared = {path for path in plan.files if not is_own_file(path, plan.failed)}
    kept = shared & claimed_by_others(timeline, plan.time) if shared else frozenset()
    for path in sorted(shared - kept):
        if storage.exists(path) and not has_only_blocks_of(storage, path, plan.time):
            raise CorruptTableError(
                f"rollback {rollback_time} of {plan.time} would delete '{path}', which has blocks of other instants; "
                "nothing was deleted; correct or remove the plan of the rollback, "
                f"'{rollback_time}.rollback.requested'",
                file=path,
            )
    # a task that opens its file after this line finds that its marker is missing, see `check_marker`
    drop_markers(storage, plan.time)
    for path in plan.files:
        if path not in kept:
            storage.delete(path)
    for folder in {parent_of(path) for path in plan.files}:
        storage.sweep(folder)
    body = command_block(rollback_time, plan.time)
    commands = {_write_command_block(storage, slice_, version, body): len(body) for slice_, version in plan.slices()}
    return plan.to_metadata(storage.uri, rollback_time, round((monotonic() - started) * 1000), commands)


def _write_command_block(storage: Storage, slice_: tuple[str, str, str], version: int, body: bytes) -> str:
    """Write a command block as the next log of a slice, unless an earlier attempt did. Return the path of the log.

    Args:
        storage: The table's files.
        slice_: Partition, file id and instant.
        version: A log version that the command follows, even if that log does not exist: the task that announced it may
            still write it.
        body: The bytes of the command block.
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
            # another writer created this log; or this writer did, and the response was lost: a second command block is
            # harmless
            continue
