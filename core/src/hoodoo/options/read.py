"""Options of a read."""

from __future__ import annotations

from attrs import frozen

from hoodoo.options.parsing.declare import option

__all__ = ["ReadOptions"]


@frozen
class ReadOptions:
    """Query type, time range and columns of a read."""

    query_type: str = option(
        "hoodie.datasource.query.type",
        "hoodie.datasource.view.type",
        default="snapshot",
        choices=("snapshot", "read_optimized", "incremental"),
        help="Query type: `snapshot` returns the rows of the table at one time, `read_optimized` the rows of the base "
        "files, `incremental` the rows that a range of commits wrote.",
    )
    incremental_format: str = option(
        "hoodie.datasource.query.incremental.format",
        default="latest_state",
        choices=("latest_state", "cdc"),
        help="Rows of an incremental query: `latest_state` returns changed rows in their newest state, `cdc` the "
        "changes themselves, with the rows before and after, of a table that records them.",
    )
    as_of: str | None = option(
        "as.of.instant",
        "hoodie.datasource.read.as.of.instant",
        shown_default="now",
        help="Instant of the snapshot to read.",
    )
    begin: str | None = option(
        "hoodie.datasource.read.begin.instanttime",
        shown_default="the first commit",
        help="Start of an incremental query, exclusive: an instant; from table version 8 on, a completion time.",
    )
    end: str | None = option(
        "hoodie.datasource.read.end.instanttime",
        shown_default="the last commit",
        help="End of an incremental query, inclusive: an instant; from table version 8 on, a completion time.",
    )
    full_scan: bool = option(
        "hoodie.datasource.read.incr.fallback.fulltablescan.enable",
        kind="flag",
        default=False,
        help="Scan all files for the rows of an incremental query whose start was archived.",
    )
    paths: tuple[str, ...] | None = option(
        "hoodie.datasource.read.paths",
        kind="names",
        shown_default="all",
        help="Paths of folders or files of the table to read; `*` matches any text between two slashes.",
    )
    incremental_paths: str | None = option(
        "hoodie.datasource.read.incr.path.glob",
        shown_default="all",
        help="Pattern for the end of a file's path, such as `/year=2016/*`; an incremental query reads only the files "
        "that match it.",
    )
    metadata_table: bool = option(
        "hoodie.metadata.enable",
        kind="flag",
        default=False,
        help="Take the list of files from the metadata table, and use its indexes to leave out files. If the metadata "
        "table is not current, the folders are listed.",
    )
    on_corrupt: str = option(
        default="fail",
        choices=("fail", "skip"),
        help="Reaction to corrupt log blocks: `fail` raises an error, `skip` leaves them out with a warning.",
    )
    columns: tuple[str, ...] | None = option(kind="names", shown_default="all", help="Columns to read, in this order.")
    meta_columns: bool = option(kind="flag", default=True, help="Include the five `_hoodie_*` columns.")
