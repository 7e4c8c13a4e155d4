"""Table services: what keeps a table in shape between writes."""

from hoodoo.service.compaction import CompactionEngine, compact
from hoodoo.service.engine import LocalEngine
from hoodoo.service.inline import run_inline

__all__ = ["CompactionEngine", "LocalEngine", "compact", "run_inline"]
