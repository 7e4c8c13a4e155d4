"""Listing of a timeline's folder."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import frozen

from hoodoo.errors import CorruptTableError
from hoodoo.storage import FileInfo, Storage, join, name_of
from hoodoo.timeline.instant import COMMIT_ACTIONS, Instant, State

__all__ = ["Listing", "list_instants"]

_MOST_LISTINGS = 10
_REPEATABLE = frozenset({"clean", "rollback"})
"""Actions that two writers may execute and complete at the same time with the same result."""

LatestStates = dict[tuple[str, str], tuple[Instant, FileInfo]]


@frozen
class Listing:
    """Instants in a listing.

    Attributes:
        latest: The latest state of each instant with its file, by time and action.
        requested: Creation time of each requested file, in milliseconds since 1970, by instant time.
        duplicates: Later completions of instants that are completed already.
    """

    latest: LatestStates
    requested: Mapping[str, int]
    duplicates: tuple[Instant, ...]


def list_instants(storage: Storage, layout: int, folder: str) -> Listing:
    """Return the instants of a timeline from a listing without gaps.

    A listing is not atomic: if instants are archived during it, it may show an instant and lack a later one, whose
    files would look uncommitted. Instants are archived in the order of their times, so nothing is missing as long as
    the first commit still exists; otherwise the folder is listed again, at most ten times in total.

    Raises:
        CorruptTableError: An instant other than a clean or rollback was completed twice.
    """
    for _ in range(_MOST_LISTINGS):
        listing = _list_once(storage, layout, folder)
        commits = [i for i, _ in listing.latest.values() if i.is_completed and i.action in COMMIT_ACTIONS]
        first = min(commits, key=lambda instant: instant.time, default=None)
        if first is None or len(commits) == 1 or storage.exists(join(folder, first.file_name)):
            break
    return listing


def _list_once(storage: Storage, layout: int, folder: str) -> Listing:
    latest: LatestStates = {}
    requested: dict[str, int] = {}
    duplicates: list[Instant] = []
    for info in storage.list(folder):
        instant = Instant.parse(name_of(info.path), layout)
        if instant is None:
            continue
        key = (instant.time, instant.completed_action)
        if instant.state is State.REQUESTED:
            requested[instant.time] = info.modified
        known = latest[key][0] if key in latest else None
        if known is None or known.state.rank < instant.state.rank:
            latest[key] = (instant, info)
        elif known.is_completed and instant.is_completed:
            _check_repeatable(known, instant, folder, info)
            first, later = sorted((known, instant), key=lambda one: one.completion_time or "")
            if first is instant:
                latest[key] = (instant, info)
            duplicates.append(later)
    return Listing(latest, requested, tuple(duplicates))


def _check_repeatable(known: Instant, instant: Instant, folder: str, info: FileInfo) -> None:
    if instant.action not in _REPEATABLE:
        raise CorruptTableError(
            f"instant {instant.time} was completed twice, by '{known.file_name}' and '{instant.file_name}' in "
            f"'{folder}'; remove the one whose data files are missing",
            file=info.path,
        )
