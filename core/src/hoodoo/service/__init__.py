"""Table services: compaction, cleaning and archiving."""

from hoodoo.service.archiving import archive
from hoodoo.service.clean import Clean, clean
from hoodoo.service.compaction import CompactionEngine, compact
from hoodoo.service.inline import run_inline

__all__ = ["Clean", "CompactionEngine", "archive", "clean", "compact", "run_inline"]
