"""Known differences between hoodoo and Hudi: table, query, reason. A row that is equal again fails its test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

__all__ = ["BURIED", "COMPARED", "DIFFERENT", "ESCAPED", "GOLDEN_DIFFERENT", "LATE", "PLACEHOLDER"]

LATE = (
    "an incremental query of a merge-on-read table merges only the files that the range wrote: a record that came late "
    "loses to a version from before the range, which Hudi does not open: Hudi returns the loser, a version that "
    "no snapshot ever showed, and hoodoo returns nothing"
)
"""Why incremental rows may be Hudi's alone; the tests of tables that hoodoo writes say of which records."""

ESCAPED = (
    "an incremental query of a table with url-encoded partition paths has the escaped path as the partition column in "
    "Hudi 1.2.0, whose snapshot has the value; hoodoo, and Hudi 0.15.0, have the value in both"
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

CLOSED = "Hudi 1.0 counts the commit that was completed at the begin of a range; later releases, and hoodoo, do not"

UNREADABLE = "Hudi 1.0.2 fails on these logs of its own (ClassCastException); hoodoo, and Hudi 1.2.0, read them"

UNCOMPARED = (
    "0.15.0 applies a delete of a log to a base row whatever their ordering values, and takes any record for newer "
    "than a delete in a log before it; later releases, and hoodoo, compare them"
)

BASE_ALONE = (
    "up to 1.0 a full scan for an incremental query reads base files and passes the logs over; hoodoo merges them"
)

AHEAD = "Hudi refuses to travel to a time behind a commit that is not finished; hoodoo shows what was committed by then"

ARCHIVED = (
    "what was archived cannot be told apart any more: hoodoo refuses unless a full scan is asked for, and Hudi leaves "
    "out the rows of version 6, reads the archive of later versions, or shows no rows as of such a time"
)

EMPTY_META = "of a table without meta columns hoodoo shows them, all null; Hudi leaves them out"

RENAMED = (
    "Hudi shows nulls for the values that files hold by the old name of a renamed column, unless "
    "hoodie.schema.on.read.enable is set for the query; hoodoo refuses the column"
)

ORDERED = (
    "0.15.0 compares two records of logs by their ordering values where the payload takes the latest; later releases, "
    "and hoodoo, take the one that was written later"
)

PATHS = (
    "0.15.0 shows the partition path in the partition column of a read-optimized query, and the stored value in other "
    "queries; later releases, and hoodoo, show the stored value in all"
)

UNDEFINED = (
    "an incremental query merges only the files that the range wrote: for a partial update of a row from before the "
    "range Hudi 1.2.0 returns undefined bytes in the columns that the update leaves out; hoodoo returns the row"
)

UNLOGGED = (
    "Hudi writes no change log for inserts into the base file of a small file group, and then fails to read changes of "
    "any range with such a commit; hoodoo compares the rows before and after the commit"
)

_FIRST, _MIDDLE, _LAST = "incremental_from_first", "incremental_middle", "incremental_last"
_VERSIONS = ("mor6", "mor8", "mor9")


def _named(versions: Sequence[str], *names: str) -> tuple[str, ...]:
    return tuple(f"{version}-{name}" for version in versions for name in names)


_KNOWN: Sequence[tuple[str, tuple[str, ...], tuple[str, ...]]] = (
    (
        LATE,
        (_FIRST, _MIDDLE),
        (
            *_named(("mor6", "mor9"), "parquet", "bucket", "log-only", "mysql-debezium", "postgres-debezium"),
            *("mor9-consistent-bucket", "mor6-mysql-debezium-by-0.15.0", "mor6-postgres-debezium-by-0.15.0"),
        ),
    ),
    (UNDEFINED, (_FIRST,), _named(("mor8", "mor9"), "merge-into")),
    (LATE, (_MIDDLE,), ("mor9-changes",)),
    (UNLOGGED, ("changes_all", "changes_from_first"), ("cow9-changes-unlogged",)),
    (LATE, (_LAST,), (*_named(_VERSIONS, "overwrite", "delete-marker"), "mor9-postgres-late")),
    (
        LATE,
        (_FIRST, _LAST),
        _named(("mor6", "mor9"), "double-ordering", "float-ordering", "double-ordering-parquet"),
    ),
    (LATE, (_FIRST, _MIDDLE, _LAST), _named(_VERSIONS, "delete-flag", "partial-update", "non-defaults")),
    (PLACEHOLDER, ("snapshot", "as_of_1", "as_of_2", "incremental_all"), ("mor6-postgres-debezium",)),
    (
        COMPARED,
        ("snapshot", "as_of_2", "as_of_3", "incremental_all", _FIRST),
        ("mor6-postgres-late-by-0.15.0",),
    ),
    (
        UNCOMPARED,
        ("snapshot", "as_of_3", "as_of_4", "as_of_5", "incremental_all", _FIRST, _MIDDLE, _LAST),
        ("mor6-delete-flag-by-0.15.0",),
    ),
    (
        UNCOMPARED,
        ("snapshot", "as_of_2", "as_of_3", "incremental_all", _FIRST, _LAST),
        ("mor6-delete-marker-by-0.15.0",),
    ),
    (CLOSED, (_FIRST, _MIDDLE), ("cow8-by-1.0.2",)),
    (CLOSED, (_MIDDLE,), ("mor8-by-1.0.2", "mor8-parquet-by-1.0.2")),
    (CLOSED, (_FIRST, _MIDDLE, _LAST), ("mor8-archived-by-1.0.2",)),
    (UNREADABLE, ("snapshot", "incremental_all", _FIRST, _LAST), ("mor8-by-1.0.2", "mor8-parquet-by-1.0.2")),
    (BASE_ALONE, ("full_scan",), ("mor6-archived-by-0.15.0", "mor8-archived-by-1.0.2")),
    (AHEAD, ("as_of_ahead",), ("cow6-unfinished", "cow9-unfinished", "mor6-unfinished", "mor9-unfinished")),
    (
        ARCHIVED,
        ("incremental_all",),
        (
            *("cow6-archived", "cow9-archived", "mor6-archived", "mor9-archived", "cow9-archived-overwrite"),
            *("mor6-archived-by-0.15.0", "mor8-archived-by-1.0.2", "cow-upgraded-6-to-9", "mor-upgraded-6-to-9"),
        ),
    ),
    (
        ARCHIVED,
        ("incremental_all", "as_of_before"),
        ("cow6-archived-overwrite-unclean", "cow9-archived-overwrite-unclean"),
    ),
    (RENAMED, ("snapshot", "incremental_all"), ("cow8-column-renamed-by-1.0.2",)),
    (
        RENAMED,
        ("snapshot", "read_optimized", "incremental_all"),
        ("mor6-column-renamed-by-0.15.0", "mor8-column-renamed-by-1.0.2"),
    ),
    (CLOSED, (_FIRST, _LAST), ("cow8-column-renamed-by-1.0.2", "mor8-column-renamed-by-1.0.2")),
    (ESCAPED, ("incremental_all", _FIRST, _LAST), ("mor6-url-encoded", "mor9-url-encoded")),
    (EMPTY_META, ("snapshot", "as_of_0"), ("cow6-no-meta-fields", "cow9-no-meta-fields")),
    (
        EMPTY_META,
        ("snapshot", "read_optimized", "as_of_0", "as_of_1"),
        ("mor6-no-meta-fields", "mor9-no-meta-fields"),
    ),
)


_GOLDEN: Sequence[tuple[str, tuple[str, ...], tuple[str, ...]]] = (
    (LATE, (_FIRST, _MIDDLE), ("mor6-postgres-debezium-by-0.15.0", "mor8-by-1.0.2")),
    (LATE, (_LAST,), ("mor8-overwrite-by-1.0.2",)),
    (LATE, (_FIRST, _MIDDLE, _LAST), ("mor6-partial-update-by-0.15.0", "mor8-delete-flag-by-1.0.2")),
    (ORDERED, ("snapshot", "incremental_all", _FIRST), ("mor6-overwrite-by-0.15.0",)),
    (PATHS, ("read_optimized",), ("mor6-timestamp-key-by-0.15.0",)),
    (UNDEFINED, (_FIRST,), ("mor8-merge-into-by-1.0.2",)),
    (BASE_ALONE, ("full_scan",), ("mor6-archived-by-0.15.0",)),
    (ARCHIVED, ("incremental_all",), ("mor8-archived-by-1.0.2",)),
)


def _by_table(listed: Sequence[tuple[str, tuple[str, ...], tuple[str, ...]]]) -> Mapping[str, Mapping[str, str]]:
    known: dict[str, dict[str, str]] = {}
    for reason, queries, tables in listed:
        for table in tables:
            known.setdefault(table, {}).update(dict.fromkeys(queries, reason))
    return known


DIFFERENT = _by_table(_KNOWN)
"""By table and query, why they differ."""

GOLDEN_DIFFERENT = {
    **{name: known for name, known in DIFFERENT.items() if not name.endswith(("-by-0.15.0", "-by-1.0.2"))},
    **_by_table(_GOLDEN),
}
"""The same of the golden tables: those that Hudi 1.2.0 wrote have the names and the differences of their stories."""
