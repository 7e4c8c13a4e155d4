"""Table services: compaction, cleaning, archiving, and the creation and removal of indexes."""

from hoodoo.service.archiving import archive
from hoodoo.service.clean import Clean, clean
from hoodoo.service.compaction import CompactionEngine, compact
from hoodoo.service.inline import run_inline

__all__ = ["Clean", "CompactionEngine", "archive", "clean", "compact", "run_inline"]
