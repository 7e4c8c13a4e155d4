"""Check of replaced file groups that have no files: they were cleaned, or a corrupt replace commit misspells them."""

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
"""Parts of a UUID that are random: the first eight digits are a number in file ids of a bucket index."""


def check_replaced(timeline: Timeline, replaced: Mapping[Group, Instant], found: Collection[Group]) -> None:
    """Raise if a replace commit misspells a file group, whose rows would become visible again.

    File ids are random. An id that shares many digits with another one, or occurs in another partition, is the same id
    misspelt. File groups that were written together differ only in the number after the digits: of these, a missing one
    may have been cleaned, unless no cleaner has run since the replace commit.

    Args:
        timeline: The timeline, with its cleans.
        replaced: The replaced groups, each with its replace commit.
        found: The groups that have files.

    Raises:
        CorruptTableError: A replaced group has no files, and a group with files that is not replaced has a similar id.
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
                f"'{file}' replaces file group '{group[1]}' in partition '{group[0]}', but this file group does not "
                f"exist; '{other[1]}' in partition '{other[0]}' may be meant; restore the file",
                file=file,
            )


def _by_part(groups: Iterable[Group]) -> Mapping[str, list[Group]]:
    found: dict[str, list[Group]] = defaultdict(list)
    for group in groups:
        for part in _parts(group[1]):
            found[part].append(group)
    return found


def _parts(file_id: str) -> tuple[str, ...]:
    """Return parts of the random digits; () for an id that is not random."""
    digits = file_id[:_UUID]
    if len(digits) < _UUID or not digits[9:].strip("0-"):
        return ()
    return tuple(digits[part] for part in _PARTS)


def _same(group: Group, by_part: Mapping[str, list[Group]], *, is_cleaned: bool) -> Group | None:
    """Return a group with files and a similar id; None if there is none.

    With `is_cleaned`, a group with the same UUID in the same partition does not count.
    """
    partition, file_id = group
    for part in _parts(file_id):
        for other in by_part.get(part, ()):
            has_number = file_id[_UUID:] == other[1][_UUID:]
            is_neighbour = other[0] == partition and file_id[:_UUID] == other[1][:_UUID]
            if (not is_cleaned) if is_neighbour else has_number:
                return other
    return None
