"""Known differences between hoodoo and Hudi: table, query, reason. A difference that has disappeared fails its test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

__all__ = [
    "BURIED",
    "COMPARED",
    "DIFFERENT",
    "DROPPED",
    "ESCAPED",
    "GOLDEN_DIFFERENT",
    "LATE",
    "NULL_WRITABLE",
    "PLACEHOLDER",
]

LATE = (
    "an incremental query of a merge-on-read table merges only the files that the range wrote: a record that came late "
    "loses to a version from before the range, which Hudi does not open: Hudi returns the loser, a version that "
    "no snapshot ever showed, and hoodoo returns nothing"
)
"""Reason for incremental rows that only Hudi returns; the tests of tables that hoodoo writes name the records."""

ESCAPED = (
    "an incremental query of a table with url-encoded partition paths has the escaped path as the partition column in "
    "Hudi 1.2.0, whose snapshot has the value; hoodoo, and Hudi 0.15.0, have the value in both"
)
"""Reason to decode the partition column of incremental queries before they are compared."""

DROPPED = (
    "a snapshot of a merge-on-read table with url-encoded partition paths, whose files lack the partition column, has "
    "the escaped path as the value in Hudi 0.15.0, also in tables that it wrote; its read-optimized query, its "
    "snapshots of copy-on-write tables, Hudi 1.2.0 and hoodoo have the value"
)
"""Reason to decode the partition column of these snapshots before they are compared."""

NULL_WRITABLE = (
    "Hive's input formats of Hudi 1.2.0 fail on a file without a column that was added later (NullWritable cannot be "
    "cast), also in tables that Hudi wrote; 0.15.0, Hudi's data source and hoodoo return null"
)
"""Reason for the failure of a query by the input formats after a column was added."""

BURIED = (
    "up to 1.0 Hudi treats any record as newer than a delete in a log before it, whatever their ordering values; "
    "later releases, and hoodoo, compare them"
)
"""Reason for late records after a delete that only Hudi returns, in tables of version 6."""

PLACEHOLDER = (
    "Hudi 1.2.0 shows '__debezium_unavailable_value' in merge-on-read tables of version 6 where the stored row has the "
    "value; Hudi 0.15.0 shows the value in such a table, 1.2.0 in a copy-on-write one, and hoodoo in both"
)
"""Reason for rows of a PostgreSQL source that differ between Hudi and hoodoo."""

COMPARED = (
    "0.15.0 compares the ordering values of a delete in a log and of a record in an earlier log, but not those of a "
    "record in a base file; where a payload merges the table, 1.2.0 compares neither, and hoodoo does the same"
)
"""Reason for rows that only Hudi returns, although they were deleted later with a smaller ordering value."""

CLOSED = "Hudi 1.0 counts the commit that was completed at the beginning of a range; later releases, and hoodoo, do not"

UNREADABLE = "Hudi 1.0.2 fails on these logs of its own (ClassCastException); hoodoo, and Hudi 1.2.0, read them"

UNCOMPARED = (
    "0.15.0 applies a delete of a log to a base row whatever their ordering values, and treats any record as newer "
    "than a delete in a log before it; later releases, and hoodoo, compare them"
)

BASE_ALONE = "up to 1.0 a full scan for an incremental query reads base files and skips the logs; hoodoo merges them"

AHEAD = "Hudi refuses time travel past a commit that is not finished; hoodoo shows the rows committed by that time"

ARCHIVED = (
    "the files of archived commits are not distinguished any more: hoodoo refuses the query without a full scan; Hudi "
    "omits the rows of version 6, reads the archive of later versions, or shows no rows as of such a time"
)

EMPTY_META = "hoodoo shows the meta columns of a table without them, all null; Hudi omits them"

RENAMED = (
    "Hudi shows nulls for the values that files store under the old name of a renamed column, unless "
    "hoodie.schema.on.read.enable is set for the query; hoodoo always shows the values"
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
            *("mor9-consistent-bucket", "mor9-partitioned-record-index"),
            *("mor6-mysql-debezium-by-0.15.0", "mor6-postgres-debezium-by-0.15.0"),
        ),
    ),
    (UNDEFINED, (_FIRST,), _named(("mor8", "mor9"), "merge-into")),
    (LATE, (_MIDDLE,), ("mor9-changes", "mor9-lance")),
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
"""The reason of each difference, by table and query."""

GOLDEN_DIFFERENT = {
    **{name: known for name, known in DIFFERENT.items() if not name.endswith(("-by-0.15.0", "-by-1.0.2"))},
    **_by_table(_GOLDEN),
}
"""The reasons for golden tables: those that Hudi 1.2.0 wrote have the names and differences of their stories."""
