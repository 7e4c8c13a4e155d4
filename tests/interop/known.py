"""Where hoodoo and Hudi are known to differ: table, query, why. A row that is equal again fails its test."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["BURIED", "DIFFERENT", "ESCAPED", "LATE"]

DIFFERENT: Mapping[str, Mapping[str, str]] = {}

LATE = (
    "an incremental query of a merge-on-read table merges only the files that the range wrote: a record that came late "
    "loses to a version from before the range, which Hudi does not open: Hudi returns the loser, a version that "
    "no snapshot ever showed, and hoodoo returns nothing"
)
"""Why incremental rows may be Hudi's alone; the tests of tables that hoodoo writes say of which records."""

ESCAPED = (
    "an incremental query of a table with url-encoded partition paths has the escaped path as the partition column in "
    "Hudi, whose snapshot has the value, as hoodoo has it in both"
)
"""Why the partition column of incremental queries is compared by what it stands for."""

BURIED = (
    "up to 1.0 Hudi takes any record for newer than a delete in a log before it, whatever their ordering values; "
    "later releases, and hoodoo, compare them"
)
"""Why a record that came after a delete, and late, may be Hudi's alone in tables of version 6."""
