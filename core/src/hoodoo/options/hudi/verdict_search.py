"""All verdicts, in the order in which they are searched."""

from __future__ import annotations

import functools

from hoodoo.options.hudi.index_verdicts import INDEX_VERDICTS
from hoodoo.options.hudi.read_verdicts import READ_VERDICTS
from hoodoo.options.hudi.service_verdicts import SERVICE_VERDICTS
from hoodoo.options.hudi.table_verdicts import TABLE_VERDICTS
from hoodoo.options.hudi.tuning_verdicts import TUNING_VERDICTS
from hoodoo.options.hudi.verdict import Verdict
from hoodoo.options.hudi.write_verdicts import WRITE_VERDICTS

__all__ = ["VERDICTS", "verdict_of"]

VERDICTS: tuple[Verdict, ...] = (
    *TABLE_VERDICTS,
    *WRITE_VERDICTS,
    *READ_VERDICTS,
    *INDEX_VERDICTS,
    *SERVICE_VERDICTS,
    *TUNING_VERDICTS,
)


@functools.cache
def verdict_of(key: str) -> Verdict | None:
    """Return the first verdict that applies to a key, which may have upper-case letters; None if none applies."""
    return next((verdict for verdict in VERDICTS if verdict.matches(key.lower())), None)
