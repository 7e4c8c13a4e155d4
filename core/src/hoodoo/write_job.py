"""A user's write: the rows, the commit hooks, and the table services after the commit."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from hoodoo.commit_hooks import CommitHooks
from hoodoo.errors import UnknownOption
from hoodoo.options import HookOptions, parse
from hoodoo.plugin import Catalogue, default_catalogue
from hoodoo.service import CompactionEngine, run_inline
from hoodoo.storage import storage_for
from hoodoo.writing.commit import Commit
from hoodoo.writing.prepare.misplaced_options import with_place_of_option
from hoodoo.writing.prepare.prepare import GROUPS
from hoodoo.writing.task_engine import Batch
from hoodoo.writing.write import Progress, write_batch

__all__ = ["run_job"]


def run_job(
    batch: Batch,
    path: str | os.PathLike[str],
    options: Mapping[str, Any],
    mode: str,
    engine: CompactionEngine,
    progress: Progress,
    catalogue: Catalogue | None = None,
) -> Commit:
    """Write the rows of a batch, then run the table services that are due.

    Args:
        batch: The rows; they are evaluated once.
        path: The root folder of the table.
        options: The options of `hoodoo.write`.
        mode: `append`, `overwrite`, `errorifexists` or `ignore`.
        engine: The engine that runs the tasks of an inline compaction.
        progress: A context manager around a write or a compaction; it yields a function that is called at intervals.
        catalogue: The catalogue of plugins; None for the installed plugins.

    Raises:
        HoodooError: The write failed. The table reads as before, and no data file of this write remains.
    """
    catalogue = catalogue or default_catalogue()
    try:
        given = parse(options, GROUPS)
    except UnknownOption as error:
        raise with_place_of_option(error, options, path, catalogue) from error
    hooks = CommitHooks.from_options(given[HookOptions], catalogue)
    before_commit = hooks.run_before if hooks.before else None
    storage = storage_for(path, options)
    written = write_batch(
        batch, storage, given, mode, catalogue=catalogue, progress=progress, before_commit=before_commit
    )
    if written.commit.instant is not None:
        hooks.run_after(storage, written.commit)
    if written.timeline is not None:
        run_inline(storage, written.timeline, given, engine, progress, written.coordination)
    return written.commit
