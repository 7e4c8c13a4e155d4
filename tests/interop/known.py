"""Where hoodoo and Hudi are known to differ: table, query, why. A row that is equal again fails its test."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["BURIED", "COMPARED", "DIFFERENT", "ESCAPED", "LATE", "PLACEHOLDER"]

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

PLACEHOLDER = (
    "Hudi 1.2.0 shows '__debezium_unavailable_value' in merge-on-read tables of version 6 where the stored row has the "
    "value; Hudi 0.15.0 shows the value in such a table, 1.2.0 in a copy-on-write one, and hoodoo in both"
)
"""Why rows of a PostgreSQL source may be Hudi's alone."""

COMPARED = (
    "0.15.0 compares a delete in a log with a record in a log before it, and with nothing in a base file; "
    "1.2.0 compares it with neither where a payload merges the table, and so does hoodoo"
)
"""Why a row may be Hudi's alone that a delete of a smaller ordering value came after."""

_RANGES = {"incremental_from_first": LATE, "incremental_middle": LATE}

DIFFERENT: Mapping[str, Mapping[str, str]] = {
    "mor6-postgres-debezium": {
        **dict.fromkeys(("snapshot", "as_of_1", "as_of_2", "incremental_all"), PLACEHOLDER),
        **_RANGES,
    },
    "mor6-postgres-debezium-by-0.15.0": _RANGES,
    "mor9-postgres-debezium": _RANGES,
    "mor6-postgres-late-by-0.15.0": dict.fromkeys(
        ("snapshot", "as_of_2", "as_of_3", "incremental_all", "incremental_from_first"), COMPARED
    ),
    "mor9-postgres-late": {"incremental_last": LATE},
    "mor6-mysql-debezium": _RANGES,
    "mor6-mysql-debezium-by-0.15.0": _RANGES,
    "mor9-mysql-debezium": _RANGES,
}
