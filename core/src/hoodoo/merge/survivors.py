"""Surviving versions of pairs, by the decisions of a rule, as records for later merges."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hoodoo.record import Choice, Ordering, Outcome, Records

__all__ = ["apply", "choose", "concat"]

Mask = NDArray[np.bool_]


def choose(take: Mask, older: pa.Array, newer: pa.Array) -> pa.Array:
    """Return the newer value of each row where `take` is true, otherwise the older one. All types are supported."""
    if take.all():
        return newer
    if not take.any():
        return older
    length = len(take)
    if newer.type != older.type:
        newer = newer.cast(older.type)
    return pa.concat_arrays([older, newer]).take(
        pa.array(np.where(take, np.arange(length) + length, np.arange(length)))
    )


def apply(older: Records, newer: Records, outcome: Outcome) -> Records:
    """Return the survivors of n pairs of versions of one source, as records.

    KEEP and TAKE keep the operation, ordering value and data of the chosen version, except columns that the rule
    patches or that this version inherits (see `Source`). DELETE keeps the data of the newer version if it has any,
    otherwise that of the older one. The ordering value after DELETE is that of the newer version, or the larger of the
    two if neither version is a delete.
    """
    take, delete = outcome.choice == Choice.TAKE, outcome.choice == Choice.DELETE
    newer_side = take | (delete & (newer.has_data | ~older.has_data))
    rows = np.where(newer_side, newer.rows, older.rows)

    patches: dict[str, pa.Array] = {}
    for name in {**older.patches, **newer.patches, **outcome.patch}:
        values = choose(newer_side, older.column(name), newer.column(name))
        if name in outcome.patch:
            patched = np.ones(len(rows), dtype=bool) if outcome.patched is None else outcome.patched
            values = choose(patched & ~delete, values, outcome.patch[name])
        patches[name] = values

    presence = _fill(older, newer, outcome, newer_side, patches)

    deleted: Mask | None = None
    if delete.any() or older.deleted is not None or newer.deleted is not None:
        deleted = delete | np.where(newer_side, _or_false(newer), _or_false(older))

    override: Ordering | None = None
    if delete.any() or older.ordering_override is not None or newer.ordering_override is not None:
        override = _choose_ordering(_ordering_side(older, newer, take, delete), older.ordering, newer.ordering)
    return Records(older.source, rows, patches, deleted, override, presence)


def _fill(
    older: Records, newer: Records, outcome: Outcome, newer_side: Mask, patches: dict[str, pa.Array]
) -> dict[str, Mask]:
    """Fill columns that the winner lacks from the loser, as `Source` states; return masks of the rows with each column.

    The columns of a delete are not filled, and a delete does not fill columns of other versions.
    """
    presence = {}
    live = ~older.is_delete & ~newer.is_delete & (outcome.choice != Choice.DELETE)
    partial = older.source.partial
    for name in older.source.present:
        old, new = _present(older, name), _present(newer, name)
        chosen = np.where(newer_side, new, old)
        if name in outcome.patch:
            # a rule patches whole columns: if neither version has the column, a null is not a value
            said = old | new | outcome.patch[name].is_valid().to_numpy(zero_copy_only=False)
            chosen |= said if outcome.patched is None else said & outcome.patched
        late = new if partial is None else new & partial[older.rows]
        fill = live & ~chosen & np.where(newer_side, old, late)
        if fill.any():
            values = patches.get(name)
            if values is None:
                values = choose(newer_side, older.column(name), newer.column(name))
            other = choose(~newer_side, older.column(name), newer.column(name))
            patches[name] = choose(fill, values, other)
        presence[name] = chosen | fill
    return presence


def _present(records: Records, name: str) -> Mask:
    present = records.present(name)
    return np.ones(len(records), dtype=bool) if present is None else present


def concat(parts: list[Records]) -> Records:
    """Return the records of all parts, one part after the other; the parts are views of one source."""
    if len(parts) == 1:
        return parts[0]
    names = {name for part in parts for name in part.patches}
    has_deleted = any(part.deleted is not None for part in parts)
    has_override = any(part.ordering_override is not None for part in parts)
    return Records(
        parts[0].source,
        np.concatenate([part.rows for part in parts]),
        {name: pa.concat_arrays([part.column(name) for part in parts]) for name in names},
        np.concatenate([_or_false(part) for part in parts]) if has_deleted else None,
        _concat_orderings([part.ordering for part in parts]) if has_override else None,
        {name: np.concatenate([_present(part, name) for part in parts]) for name in parts[0].source.present},
    )


def _or_false(records: Records) -> Mask:
    return np.zeros(len(records), dtype=bool) if records.deleted is None else records.deleted


def _ordering_side(older: Records, newer: Records, take: Mask, delete: Mask) -> Mask:
    """Return a mask of the pairs whose result has the ordering value of the newer version."""
    both_live = ~older.is_delete & ~newer.is_delete
    larger_is_newer = newer.ordering.compare(older.ordering) >= 0
    return take | (delete & np.where(both_live, larger_is_newer, True))


def _choose_ordering(take: Mask, older: Ordering, newer: Ordering) -> Ordering:
    values = tuple(choose(take, o, n) for o, n in zip(older.values, newer.values, strict=True))
    return Ordering(older.fields, values, np.where(take, newer.absent, older.absent))


def _concat_orderings(parts: list[Ordering]) -> Ordering:
    columns = zip(*(part.values for part in parts), strict=True)
    values = tuple(pa.concat_arrays(list(column)) for column in columns)
    return Ordering(parts[0].fields, values, np.concatenate([part.absent for part in parts]))
