"""The range of commits of a query."""

from __future__ import annotations

from hoodoo.caller import warn_caller
from hoodoo.options.parsing.parse import NoEffectWarning
from hoodoo.options.read import ReadOptions

__all__ = ["query_range"]


def query_range(given: ReadOptions) -> tuple[str | None, str | None]:
    """Return `begin` and `end`. A read-optimized query ignores them with a warning, as in Hudi: both are then None."""
    if given.query_type == "read_optimized" and (given.begin is not None or given.end is not None):
        warn_caller(
            "'begin' and 'end' have no effect on a query of type read_optimized, as in Hudi; set "
            "query_type='incremental' for the rows of a range of commits",
            NoEffectWarning,
        )
        return None, None
    return given.begin, given.end
