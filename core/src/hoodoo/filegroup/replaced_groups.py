"""Replaced file groups that are not there: removed by a cleaner since, or misspelt by a commit that was damaged."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping

from hoodoo.errors import CorruptTableError
from hoodoo.timeline import Instant, Timeline

__all__ = ["check_replaced"]

Group = tuple[str, str]
"""Partition path and file id."""

_UUID = 36
_PARTS = (slice(0, 18), slice(9, 23), slice(24, _UUID))
"""Parts of a UUID that are random enough alone: writers of bucketed tables put numbers into the first eight digits."""


def check_replaced(timeline: Timeline, replaced: Mapping[Group, Instant], found: Collection[Group]) -> None:
    """Refuse a replace commit that hides a group under a name that was damaged: its rows would be shown again.

    File ids are random. One that shares many of its digits with another, or stands in another partition, is no other
    group but the same one, misspelt. Groups that were written together differ in the number behind the digits alone:
    there the one that is missing may have been cleaned, unless no cleaner has run since.

    Args:
        timeline: Says which cleaners have run.
        replaced: The replaced groups, with the commit that says so.
        found: The groups whose files are there.

    Raises:
        CorruptTableError: A group that is replaced is not there, and one that is there looks like it.
    """
    missing = [group for group in replaced if group not in found]
    if not missing:
        return
    by_part = _by_part(found)
    last_clean = max((i.time for i in timeline.completed if i.action == "clean"), default="")
    for group in missing:
        instant = replaced[group]
        other = _same(group, by_part, is_cleaned=last_clean > instant.time)
        if other is not None and other not in replaced:
            file = timeline.path_of(instant)
            raise CorruptTableError(
                f"'{file}' replaces file group '{group[1]}' in partition '{group[0]}', which is not there; the group "
                f"'{other[1]}' in partition '{other[0]}' may be meant. Restore the file",
                file=file,
            )


def _by_part(groups: Iterable[Group]) -> Mapping[str, list[Group]]:
    found: dict[str, list[Group]] = defaultdict(list)
    for group in groups:
        for part in _parts(group[1]):
            found[part].append(group)
    return found


def _parts(file_id: str) -> tuple[str, ...]:
    """Parts of the random digits; none of an id that a writer did not draw."""
    digits = file_id[:_UUID]
    if len(digits) < _UUID or not digits[9:].strip("0-"):
        return ()
    return tuple(digits[part] for part in _PARTS)


def _same(group: Group, by_part: Mapping[str, list[Group]], *, is_cleaned: bool) -> Group | None:
    """The group that is there and is meant, if there is one."""
    partition, file_id = group
    for part in _parts(file_id):
        for other in by_part.get(part, ()):
            has_number = file_id[_UUID:] == other[1][_UUID:]
            is_neighbour = other[0] == partition and file_id[:_UUID] == other[1][:_UUID]
            if (not is_cleaned) if is_neighbour else has_number:
                return other
    return None
