"""The range of commits of a query."""

from __future__ import annotations

import warnings

from hoodoo.options.parsing.parse import NoEffectWarning
from hoodoo.options.read import ReadOptions

__all__ = ["query_range"]


def query_range(given: ReadOptions) -> tuple[str | None, str | None]:
    """Return `begin` and `end`; none for a read-optimized query, which ignores them in Hudi, with a notice."""
    if given.query_type == "read_optimized" and (given.begin is not None or given.end is not None):
        warnings.warn(
            "'begin' and 'end' have no effect on a query of type read_optimized, as in Hudi; set "
            "query_type='incremental' for the rows of a range of commits",
            NoEffectWarning,
            stacklevel=2,
        )
        return None, None
    return given.begin, given.end
