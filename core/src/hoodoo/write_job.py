"""One write as a user asks for it: the rows, the hooks around their commit, the services after it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from hoodoo.commit_hooks import CommitHooks
from hoodoo.options import HookOptions, parse
from hoodoo.plugin import Catalogue, default_catalogue
from hoodoo.service import CompactionEngine, run_inline
from hoodoo.storage import storage_for
from hoodoo.writing.commit import Commit
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
    """Write the rows of a batch, then run the services that are due.

    Args:
        batch: The rows; they are evaluated once.
        path: The table's root folder.
        options: As `hoodoo.write` takes them.
        mode: append, overwrite, errorifexists or ignore.
        engine: What runs the tasks of an inline compaction.
        progress: Entered once a write or a compaction has begun; what it gives is called now and then.
        catalogue: Where plugins are looked up.

    Raises:
        HoodooError: what was wrong. The table reads as before, and no data file of this write is left.
    """
    catalogue = catalogue or default_catalogue()
    given = parse(options, GROUPS)
    hooks = CommitHooks.named_by(given[HookOptions], catalogue)
    judge = hooks.judge if hooks.before else None
    storage = storage_for(path, options)
    written = write_batch(batch, storage, given, mode, catalogue=catalogue, progress=progress, before_commit=judge)
    if written.commit.instant is not None:
        hooks.tell(storage, written.commit)
    if written.timeline is not None:
        run_inline(storage, written.timeline, given, engine, progress, written.coordination)
    return written.commit
