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
        choices=("snapshot",),
        help="What is read: the rows of a table at one time.",
    )
    as_of: str | None = option(
        "as.of.instant",
        "hoodie.datasource.read.as.of.instant",
        shown_default="now",
        help="Read the table as it was at this instant.",
    )
    columns: tuple[str, ...] | None = option(kind="names", shown_default="all", help="Columns to read, in this order.")
    meta_columns: bool = option(kind="flag", default=True, help="Whether the five `_hoodie_*` columns are shown.")
