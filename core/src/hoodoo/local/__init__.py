"""Writes and compactions in this process, without Spark: threads run the same tasks."""

from hoodoo.local.accepted_rows import rows_of
from hoodoo.local.batch import ArrowBatch
from hoodoo.local.compaction_engine import LocalEngine

__all__ = ["ArrowBatch", "LocalEngine", "rows_of"]
