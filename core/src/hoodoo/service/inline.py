"""Services that a write asks for: they run after its commit, and their failure does not undo it."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

from hoodoo.errors import HoodooError
from hoodoo.options import NoEffectWarning, parse
from hoodoo.service.compaction import CompactionEngine, Progress, compact, is_due
from hoodoo.storage import Storage
from hoodoo.writing.prepare import GROUPS

__all__ = ["ServiceFailed", "run_inline"]


class ServiceFailed(UserWarning):
    """A table service that a write asked for failed. The commit stands; the next write tries the service again."""


def run_inline(storage: Storage, options: Mapping[str, Any], engine: CompactionEngine, progress: Progress) -> None:
    """Run the services that the options of a write ask for, where they are due."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NoEffectWarning)  # the write has said it
        *_, bloom, _, given = parse(options, GROUPS)
    if not given.compact_inline:
        return
    if not is_due(storage, given):
        return
    try:
        compact(storage, engine, progress, bloom=bloom)
    except HoodooError as error:
        warnings.warn(f"the rows are committed, and compaction failed: {error}", ServiceFailed, stacklevel=3)
