"""Selection of the splits of a query by patterns of their paths."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Sequence

from attrs import evolve

from hoodoo.errors import OptionError
from hoodoo.options.parsing.given_path import plain_path
from hoodoo.reading.planner import Plan

__all__ = ["ending_with", "under"]


def under(plan: Plan, uri: str, patterns: Sequence[str]) -> Plan:
    """Return a plan with only the splits that have a file which matches a pattern, or is in a folder that matches.

    Args:
        plan: The plan of the query.
        uri: The URI or path of the table.
        patterns: Whole paths, with `*`, `?` and `[...]` for text without a slash.

    Raises:
        OptionError: A pattern is not a path in the table's folder, or contains `{`.
    """
    root = plain_path(uri).split("/")
    relative = [_below(pattern, root, uri) for pattern in patterns]
    kept = [split for split in plan.splits if any(_lies_under(path, relative) for path in split.file_slice.paths)]
    return evolve(plan, splits=tuple(kept))


def _below(pattern: str, root: Sequence[str], uri: str) -> list[str]:
    """Return the parts of a pattern below the folder of the table."""
    parts = plain_path(pattern).split("/")
    fits = len(parts) >= len(root) and all(map(fnmatch.fnmatchcase, root, parts))
    if not fits or "{" in pattern:
        raise OptionError(
            f"option 'paths' has '{pattern}', which contains a brace or is not a path in the table at {uri}; give "
            "paths of its folders or files, with * for any text between two slashes, and without alternatives in braces"
        )
    return parts[len(root) :]


def _lies_under(path: str, patterns: Sequence[Sequence[str]]) -> bool:
    parts = path.split("/")
    return any(len(parts) >= len(pattern) and all(map(fnmatch.fnmatchcase, parts, pattern)) for pattern in patterns)


def ending_with(plan: Plan, uri: str, pattern: str) -> Plan:
    """Return a plan with the splits that have a file whose whole path ends with a pattern; `*` stands for any text."""
    wanted = re.compile(fnmatch.translate(f"*{pattern}"))
    root = plain_path(uri)
    kept = [s for s in plan.splits if any(wanted.match(f"{root}/{path}") for path in s.file_slice.paths)]
    return evolve(plan, splits=tuple(kept))
