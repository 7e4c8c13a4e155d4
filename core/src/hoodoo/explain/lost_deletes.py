"""Search for lost deletes: a slice has the record or its tombstone, and the base file of the next slice has neither."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from hoodoo.explain.explanation import LostDelete, SliceTrace

__all__ = ["lost_deletes"]


def lost_deletes(traced: Sequence[Sequence[SliceTrace]]) -> tuple[LostDelete, ...]:
    """Return the lost deletes in the slices of file groups, in order of their commits.

    Args:
        traced: The slices of each file group, latest first.
    """
    return tuple(sorted((lost for slices in traced for lost in _of_group(slices)), key=lambda lost: lost.commit))


def _of_group(slices: Sequence[SliceTrace]) -> Iterator[LostDelete]:
    for newer, older in pairwise(slices):
        if not older.versions or any(version.place == "base" for version in newer.versions):
            continue
        place = newer.base_instant, newer.partition, newer.file_id
        if older.results:
            # the base file was written without the row, and no log has a tombstone
            yield LostDelete(newer.base_instant, None, *place)
            continue
        tombstone = _last_delete(older)
        if tombstone is not None and older.versions[tombstone - 1].commit:
            version = older.versions[tombstone - 1]
            yield LostDelete(version.commit or "", version, *place)


def _last_delete(trace: SliceTrace) -> int | None:
    """Return the number of the version that deleted the record in a slice without results, or None."""
    for decision in reversed(trace.decisions):
        won = decision.older if decision.choice == "keep" and decision.older is not None else decision.newer
        if decision.choice == "delete" or trace.versions[won - 1].delete is not None:
            return won
    return next((version.number for version in trace.versions if version.delete is not None), None)
