"""A commit is refused if it inserts, updates or deletes too few or too many rows, or removes too many stored rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import attrs
from attrs import frozen
from attrs.validators import and_, ge, le, optional

from hoodoo.errors import CommitRefused
from hoodoo.plugin import CommitSummary, hookimpl, option

__all__ = ["Options", "hoodoo_pre_commit"]

_count = optional(ge(0))


@frozen
class Options:
    """Limits of the hook, of which at least one is required; a limit that is not given does not apply."""

    fewest_inserted: int | None = option(default=None, validator=_count, help="Minimum number of rows with new keys.")
    most_inserted: int | None = option(default=None, validator=_count, help="Maximum number of rows with new keys.")
    fewest_updated: int | None = option(
        default=None, validator=_count, help="Minimum number of stored rows that change."
    )
    most_updated: int | None = option(default=None, validator=_count, help="Maximum number of stored rows that change.")
    fewest_deleted: int | None = option(default=None, validator=_count, help="Minimum number of rows deleted by key.")
    most_deleted: int | None = option(default=None, validator=_count, help="Maximum number of rows deleted by key.")
    most_lost_share: float | None = option(
        default=None,
        validator=optional(and_(ge(0), le(1))),
        help="Maximum share of the table's rows, from 0 to 1, that the commit may remove by any operation.",
    )

    def __attrs_post_init__(self) -> None:
        if all(value is None for value in attrs.astuple(self)):
            raise ValueError("no limit is given; set one of the limits that 'hoodoo plugins show row-counts' lists")


@hookimpl
def hoodoo_pre_commit(table: Any, summary: CommitSummary) -> None:
    """Raise `CommitRefused` if a limit is violated; the message has every violated limit."""
    broken = [*_counts(summary), *_share(table, summary)]
    if broken:
        raise CommitRefused("; ".join(broken))


def _counts(summary: CommitSummary) -> Iterator[str]:
    for what in ("inserted", "updated", "deleted"):
        rows = getattr(summary, f"rows_{what}")
        fewest, most = (getattr(summary.options, f"{bound}_{what}") for bound in ("fewest", "most"))
        found = "1 row is" if rows == 1 else f"{rows} rows are"
        if fewest is not None and rows < fewest:
            yield f"{found} {what}, and fewest_{what} is {fewest}"
        if most is not None and rows > most:
            yield f"{found} {what}, and most_{what} is {most}"


def _share(table: Any, summary: CommitSummary) -> Iterator[str]:
    share = summary.options.most_lost_share
    if share is None:
        return
    before, after = _rows(table), _rows(summary.after)
    if before - after > share * before:
        yield f"the table shrinks from {before} to {after} rows, and most_lost_share is {share}"


def _rows(table: Any) -> int:
    splits = table.splits(columns=["_hoodie_record_key"])
    return sum(batch.num_rows for split in splits for batch in split.read())
