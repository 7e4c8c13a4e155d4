"""Fold of all versions of each key, in arrival order, into one.

`older` and `newer` always refer to the order of arrival. If the rule claims associativity and the versions are alike
(see `_may_regroup`), they are folded as a tree, so that a key with n versions takes log n rounds; otherwise they are
folded one after the other. The rule is not called for keys with one version.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hoodoo.caller import warn_caller
from hoodoo.merge.survivors import apply, concat
from hoodoo.plugin.interface import RecordMerger
from hoodoo.record import Law, MergerConfig, RecordContext, Records, Source

__all__ = ["HotKeyWarning", "fold"]

HOT_KEY_VERSIONS = 1000

Rows = NDArray[np.int64]


class HotKeyWarning(UserWarning):
    """Warning about a key with so many versions that folding them one by one is slow."""


def fold(
    source: Source,
    arrival: NDArray[np.int64] | None,
    merger: RecordMerger,
    context: RecordContext,
    config: MergerConfig,
) -> Records:
    """Return one record per key, in order of each key's first row in the source.

    Warn with `HotKeyWarning` of a key with more than 1,000 versions that are folded one by one.

    Args:
        source: n versions of at most n keys.
        arrival: The arrival number of each version; None if row order is arrival order. Equal numbers keep row order.
        merger: The rule for two versions of a batch or of the logs of a file slice.
        context: Context for the rule.
        config: Settings of the table, for the rule.
    """
    encoded = source.keys.dictionary_encode()
    codes = encoded.indices.to_numpy(zero_copy_only=False)
    counts = np.bincount(codes, minlength=len(encoded.dictionary))
    if len(counts) == len(codes):
        return source.records()

    repeated = np.flatnonzero(counts[codes] > 1).astype(np.int64)
    keys = (codes[repeated],) if arrival is None else (arrival[repeated], codes[repeated])
    ordered = repeated[np.lexsort(keys)]
    segment = codes[ordered]
    starts = np.flatnonzero(np.r_[True, segment[1:] != segment[:-1]]).astype(np.int64)
    lengths = np.diff(np.r_[starts, len(ordered)])

    if _may_regroup(merger, source, ordered, config):
        folded = _tree(source, ordered, starts, lengths, merger, context, config)
    else:
        folded = _one_by_one(source, ordered, starts, lengths, merger, context, config)

    # singles and folded keys together, in the order in which the keys first appear
    singles = np.flatnonzero(counts[codes] == 1).astype(np.int64)
    first_seen = np.full(len(counts), -1, dtype=np.int64)
    first_seen[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
    position = np.concatenate([singles, first_seen[segment[starts]]])
    return concat([source.records(singles), folded]).take(np.argsort(position, kind="stable"))


def _may_regroup(merger: RecordMerger, source: Source, rows: Rows, config: MergerConfig) -> bool:
    """Return whether versions may be folded as a tree.

    The rule must claim associativity. All versions must be whole, have an ordering value if the table has ordering
    columns, and be of one kind: either all of them have data, or none has.
    """
    if Law.ASSOCIATIVE not in merger.laws or source.present:
        return False
    if config.ordering and source.ordering.absent[rows].any():
        return False
    has_data = source.has_data[rows]
    return bool(has_data.all() or not has_data.any())


def _tree(
    source: Source,
    ordered: Rows,
    starts: Rows,
    lengths: Rows,
    merger: RecordMerger,
    context: RecordContext,
    config: MergerConfig,
) -> Records:
    state = source.records(ordered)
    segment = np.repeat(np.arange(len(starts)), lengths)
    while len(segment) > len(starts):
        first = np.flatnonzero(np.r_[True, segment[1:] != segment[:-1]])
        within = np.arange(len(segment)) - np.repeat(first, np.diff(np.r_[first, len(segment)]))
        has_next = np.r_[segment[1:] == segment[:-1], False]
        older = np.flatnonzero((within % 2 == 0) & has_next)
        alone = np.flatnonzero((within % 2 == 0) & ~has_next)
        left, right = state.take(older), state.take(older + 1)
        merged = apply(left, right, merger.merge(left, right, context, config))
        position = np.concatenate([older, alone])
        order = np.argsort(position, kind="stable")
        state = concat([merged, state.take(alone)]).take(order)
        segment = segment[position[order]]
    return state


def _one_by_one(
    source: Source,
    ordered: Rows,
    starts: Rows,
    lengths: Rows,
    merger: RecordMerger,
    context: RecordContext,
    config: MergerConfig,
) -> Records:
    by_length = np.argsort(-lengths, kind="stable")
    starts, lengths = starts[by_length], lengths[by_length]
    if lengths[0] > HOT_KEY_VERSIONS:
        key = source.keys[int(ordered[starts[0]])].as_py()
        warn_caller(
            f"key '{key}' has {lengths[0]} versions, which are merged slowly, one after the other: the rule does not "
            "claim associativity, or some versions are partial, lack an ordering value or are key-only deletes; choose "
            "an associative rule, or write fewer versions of the key",
            HotKeyWarning,
        )
    state, finished = source.records(ordered[starts]), []
    for depth in range(1, int(lengths[0])):
        active = int(np.searchsorted(-lengths, -depth, side="left"))
        if active < len(state):
            finished.append(state.take(np.arange(active, len(state))))
            state = state.take(np.arange(active))
        newer = source.records(ordered[starts[:active] + depth])
        state = apply(state, newer, merger.merge(state, newer, context, config))
    survivors = concat([state, *reversed(finished)])
    return survivors.take(np.argsort(by_length, kind="stable"))
