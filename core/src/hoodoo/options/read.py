"""Options of a read."""

from __future__ import annotations

from attrs import frozen

from hoodoo.options.declare import option

__all__ = ["ReadOptions"]


@frozen
class ReadOptions:
    """What is read."""

    query_type: str = option(
        "hoodie.datasource.query.type",
        default="snapshot",
        choices=("snapshot", "read_optimized", "incremental"),
        help="What is read: the rows of a table at one time, its base files alone, or what commits wrote.",
    )
    as_of: str | None = option(
        "as.of.instant",
        "hoodie.datasource.read.as.of.instant",
        shown_default="now",
        help="Read the table as it was at this instant.",
    )
    begin: str | None = option(
        "hoodie.datasource.read.begin.instanttime",
        shown_default="the first commit",
        help="An incremental query begins after this instant; from table version 8 on, a completion time.",
    )
    end: str | None = option(
        "hoodie.datasource.read.end.instanttime",
        shown_default="the last commit",
        help="An incremental query ends with this instant; from table version 8 on, a completion time.",
    )
    full_scan: bool = option(
        "hoodie.datasource.read.incr.fallback.fulltablescan.enable",
        kind="flag",
        default=False,
        help="Let an incremental query whose begin was archived look for its rows in all files.",
    )
    on_corrupt: str = option(
        default="fail",
        choices=("fail", "skip"),
        help="Whether damaged bytes in log files fail the query or are left out with a warning.",
    )
    columns: tuple[str, ...] | None = option(kind="names", shown_default="all", help="Columns to read, in this order.")
    meta_columns: bool = option(kind="flag", default=True, help="Whether the five `_hoodie_*` columns are shown.")
