"""Look-up of partitions by paths that contain `*`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches

from hoodoo.errors import OptionError

__all__ = ["matching_partitions"]


def matching_partitions(patterns: Iterable[str], partitions: Iterable[str]) -> set[str]:
    """Return the partition paths that match patterns; `*` matches any text, including `/`.

    Slashes at the beginning and at the end of a pattern are ignored.

    Raises:
        OptionError: A pattern matches no partition.
    """
    there, found = sorted(partitions), set[str]()
    for pattern in patterns:
        expression = re.compile(".*".join(map(re.escape, pattern.strip("/").split("*"))), re.DOTALL)
        matching = {partition for partition in there if expression.fullmatch(partition)}
        if not matching:
            near = get_close_matches(pattern, there, n=3)
            hint = f"; similar partitions: {', '.join(map(repr, near))}" if near else ""
            raise OptionError(
                f"'partitions_to_delete' names {pattern!r}, and the table has no such partition; "
                f"correct the path{hint}",
                code="unknown_partition",
            )
        found |= matching
    return found
