"""Inline services of a write, which run after the commit and whose failure does not undo it."""

from __future__ import annotations

from collections.abc import Callable

from hoodoo.caller import warn_caller
from hoodoo.errors import HoodooError
from hoodoo.options import ArchiveOptions, BloomOptions, CleanOptions, CompactionOptions, Options
from hoodoo.service.archiving import archive, is_archiving_due
from hoodoo.service.clean import clean, is_clean_due
from hoodoo.service.compaction import CompactionEngine, Progress, compact, is_due
from hoodoo.storage import Storage
from hoodoo.timeline import Timeline
from hoodoo.txn import Coordination

__all__ = ["ServiceFailed", "run_inline"]


class ServiceFailed(UserWarning):
    """Warning about a failed table service or catalog sync. The rows are committed; the next write runs it again."""


def run_inline(
    storage: Storage,
    known: Timeline,
    given: Options,
    engine: CompactionEngine,
    progress: Progress,
    coordination: Coordination,
) -> None:
    """Run the services that the options of a write enable, if they are due. A failure is a warning.

    Args:
        storage: The table's files.
        known: The timeline after the commit.
        given: The parsed options of the write, with those of each service.
        engine: The engine that runs the tasks of a compaction.
        progress: Function that returns a context manager, which is entered after a compaction has begun. Its value is a
            function that is called after each task.
        coordination: The clock and the locks of this writer.
    """
    compaction, cleaning, archiving = given[CompactionOptions], given[CleanOptions], given[ArchiveOptions]
    compacted: object = False
    if compaction.compact_inline:
        compacted = _warn_on_failure(
            "compaction",
            lambda: (
                is_due(known, compaction)
                and compact(storage, engine, progress, bloom=given[BloomOptions], coordination=coordination)
            ),
        )
    if cleaning.clean_automatic:
        _warn_on_failure(
            "cleaning",
            lambda: (
                is_clean_due(known if compacted is False else known.reloaded(), cleaning, coordination.clock())
                and clean(storage, cleaning, known=known, coordination=coordination)
            ),
        )
    if archiving.archive_automatic:
        _warn_on_failure(
            "archiving",
            lambda: (
                is_archiving_due(known, archiving)
                and archive(storage, archiving, cleaning, known=known, coordination=coordination)
            ),
        )


def _warn_on_failure(name: str, service: Callable[[], object]) -> object:
    try:
        return service()
    except Exception as error:  # noqa: BLE001 - the commit cannot be undone; the warning has the error
        kind = "" if isinstance(error, HoodooError) else f"{type(error).__name__}: "
        warn_caller(
            f"the rows are committed, and {name} failed (the next write runs it again): {kind}{error}", ServiceFailed
        )
        return None
