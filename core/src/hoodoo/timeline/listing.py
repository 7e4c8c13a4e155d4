"""The listing of a timeline's folder."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import frozen

from hoodoo.errors import CorruptTableError
from hoodoo.storage import FileInfo, Storage, join, name_of
from hoodoo.timeline.instant import COMMIT_ACTIONS, Instant, State

__all__ = ["Listing", "list_instants"]

_MOST_LISTINGS = 10
_REPEATABLE = frozenset({"clean", "rollback"})
"""Actions that two writers may carry out and complete at the same time, to the same effect."""

Reached = dict[tuple[str, str], tuple[Instant, FileInfo]]


@frozen
class Listing:
    """The instants in a listing.

    Attributes:
        reached: The furthest state of each instant with its file, by time and action.
        requested: When the requested file of each instant was created, in milliseconds since 1970, by time.
        twins: Later completions of instants that are completed already.
    """

    reached: Reached
    requested: Mapping[str, int]
    twins: tuple[Instant, ...]


def list_instants(storage: Storage, layout: int, folder: str) -> Listing:
    """List instants without a gap.

    A listing is no snapshot: where instants are archived meanwhile it may show one of them and lack a younger one,
    whose files would pass for uncommitted. They leave in the order of their times, so that nothing is lacking as long
    as the first is still there.

    Raises:
        CorruptTableError: An instant was completed twice, and is not a clean or a rollback.
    """
    for _ in range(_MOST_LISTINGS):
        listing = _list_once(storage, layout, folder)
        commits = [i for i, _ in listing.reached.values() if i.is_completed and i.action in COMMIT_ACTIONS]
        first = min(commits, key=lambda instant: instant.time, default=None)
        if first is None or len(commits) == 1 or storage.exists(join(folder, first.file_name)):
            break
    return listing


def _list_once(storage: Storage, layout: int, folder: str) -> Listing:
    reached: Reached = {}
    requested: dict[str, int] = {}
    twins: list[Instant] = []
    for info in storage.list(folder):
        instant = Instant.parse(name_of(info.path), layout)
        if instant is None:
            continue
        key = (instant.time, instant.completed_action)
        if instant.state is State.REQUESTED:
            requested[instant.time] = info.modified
        known = reached[key][0] if key in reached else None
        if known is None or known.state.rank < instant.state.rank:
            reached[key] = (instant, info)
        elif known.is_completed and instant.is_completed:
            _check_repeatable(known, instant, folder, info)
            first, later = sorted((known, instant), key=lambda one: one.completion_time or "")
            if first is instant:
                reached[key] = (instant, info)
            twins.append(later)
    return Listing(reached, requested, tuple(twins))


def _check_repeatable(known: Instant, instant: Instant, folder: str, info: FileInfo) -> None:
    if instant.action not in _REPEATABLE:
        raise CorruptTableError(
            f"instant {instant.time} was completed twice, by '{known.file_name}' and '{instant.file_name}' in "
            f"'{folder}'; remove the one whose data files are not there",
            file=info.path,
        )
