"""Services that a write asks for: they run after its commit, and their failure does not undo it."""

from __future__ import annotations

import warnings
from collections.abc import Callable

from hoodoo.errors import HoodooError
from hoodoo.options import ArchiveOptions, BloomOptions, CleanOptions, CompactionOptions, Options
from hoodoo.service.archive import archive
from hoodoo.service.clean import clean, is_clean_due
from hoodoo.service.compaction import CompactionEngine, Progress, compact, is_due
from hoodoo.storage import Storage
from hoodoo.timeline import Timeline

__all__ = ["ServiceFailed", "run_inline"]


class ServiceFailed(UserWarning):
    """A table service that a write asked for failed. The commit stands; the next write tries the service again."""


def run_inline(
    storage: Storage, timeline: Timeline, given: Options, engine: CompactionEngine, progress: Progress
) -> None:
    """Run the services that the options of a write ask for, where they are due: what one leaves the next one finds.

    Args:
        storage: The table's files.
        timeline: As the write left it.
        given: What was asked for.
        engine: What runs the tasks of a compaction.
        progress: Entered once a compaction has begun.
    """
    compaction, cleaning, archiving = given[CompactionOptions], given[CleanOptions], given[ArchiveOptions]
    compacts = compaction.compact_inline and is_due(timeline, compaction)
    if compacts:
        _tried("compaction", lambda: compact(storage, engine, progress, bloom=given[BloomOptions]))
    if cleaning.clean_automatic:
        _tried(
            "cleaning",
            lambda: (
                is_clean_due(timeline.reloaded() if compacts else timeline, cleaning)
                and clean(storage, cleaning, known=timeline)
            ),
        )
    if archiving.archive_automatic:
        _tried("archiving", lambda: archive(storage, archiving, cleaning, known=timeline))


def _tried(name: str, service: Callable[[], object]) -> None:
    try:
        service()
    except HoodooError as error:
        warnings.warn(f"the rows are committed, and {name} failed: {error}", ServiceFailed, stacklevel=5)
