"""A commit is refused if a record key would be stored more than once in a partition, or in the table."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any, Literal

import pyarrow as pa
import pyarrow.compute as pc
from attrs import frozen

from hoodoo.errors import CommitRefused
from hoodoo.plugin import CommitSummary, hookimpl, option

__all__ = ["Options", "hoodoo_pre_commit"]

_KEY, _COUNT, _SHOWN = "_hoodie_record_key", "count", 3


@frozen
class Options:
    """Option of the hook: the part of the table in which each key must be unique."""

    scope: Literal["partition", "table"] = option(
        default="partition",
        help="Part of the table in which each key must be unique: `partition` is each partition that the commit "
        "touches, `table` the whole table.",
    )


@hookimpl
def hoodoo_pre_commit(summary: CommitSummary) -> None:
    """Raise `CommitRefused` if keys would be stored more than once within the part of the table that `scope` names.

    The message states the number of these keys in the table, or in the first such partition, and names some of them.
    The keys of one partition at a time are in memory; with the scope `table`, those of all partitions.
    """
    splits = summary.after.splits(columns=[_KEY])
    if summary.options.scope == "table":
        _check("the table", splits)
        return
    for partition, group in _of_partitions(splits, summary.partitions):
        _check(f"partition '{partition}'", group)


def _of_partitions(splits: list[Any], partitions: tuple[str, ...]) -> Iterator[tuple[str, list[Any]]]:
    touched = sorted((s for s in splits if s.partition in set(partitions)), key=lambda split: split.partition)
    for partition, group in groupby(touched, key=lambda split: split.partition):
        yield partition, list(group)


def _check(place: str, splits: list[Any]) -> None:
    keys = [split.read().read_all().column(_KEY) for split in splits]
    counted = pa.table({_KEY: pa.chunked_array([chunk for key in keys for chunk in key.chunks], pa.string())})
    counts = counted.group_by(_KEY).aggregate([([], "count_all")]).rename_columns({"count_all": _COUNT})
    twice = counts.filter(pc.field(_COUNT) > 1)
    if twice.num_rows:
        first = twice.sort_by(_KEY).slice(0, _SHOWN).to_pylist()
        some = ", ".join(f"'{row[_KEY]}' ({row[_COUNT]} times)" for row in first)
        more = ", ..." if twice.num_rows > _SHOWN else ""
        raise CommitRefused(
            f"{place} would store {twice.num_rows} record {'key' if twice.num_rows == 1 else 'keys'} more than once: "
            f"{some}{more}; remove the repeated rows"
        )
