"""Laws as equations over versions; both sides are computed for many versions at once."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from functools import reduce

import numpy as np
import pyarrow as pa
from attrs import frozen
from numpy.typing import NDArray

from hoodoo.record import Law, Ordering, Records

__all__ = ["Counterexample", "differ", "first_counterexample"]

Mask = NDArray[np.bool_]
Merge = Callable[[Records, Records], Records]
Side = tuple[str, Records]
_NAMES = "abc"


@frozen
class Counterexample:
    """Counterexample to a law.

    Attributes:
        row: The position of the versions that break the law.
        left: The left side of the equation as a formula, and its result.
        right: The right side and its result, or a description of the required result.
        count: The number of counterexamples, and the number of combinations to which the law applies.
    """

    row: int
    left: Side
    right: Side | str
    count: tuple[int, int]


def first_counterexample(
    law: Law, merge: Merge, versions: Sequence[Records], batch: Merge | None = None
) -> Counterexample | None:
    """Return the first counterexample to a law, or None if the law holds.

    Args:
        law: The law to check.
        merge: The function m(older, newer), row by row.
        versions: The versions a, b and c; row i of each is a version of key i.
        batch: The function that merges two versions of one batch, if it differs from `merge`.
    """
    if law is Law.DEDUPE_IS_COMBINE:
        equations = _dedupe_is_combine(merge, batch or merge, list(versions))
    else:
        equations = _EQUATIONS[law](merge, list(versions))
    for concerned, wrong, left, right in equations:
        found = np.flatnonzero(wrong & concerned)
        if len(found):
            return Counterexample(int(found[0]), left, right, (len(found), int(concerned.sum())))
    return None


Equation = tuple[Mask, Mask, Side, Side | str]
"""A mask of the rows to which the law applies, a mask of the rows that break it, and both sides."""


def _associative(m: Merge, v: list[Records]) -> Iterator[Equation]:
    a, b, c = v
    yield _equal(_all(a), ("m(m(a, b), c)", m(m(a, b), c)), ("m(a, m(b, c))", m(a, m(b, c))))


def _order_independent(m: Merge, v: list[Records]) -> Iterator[Equation]:
    for count in (2, 3):
        some = v[:count]
        distinct = _all(some[0])
        for one, other in itertools.combinations(some, 2):
            distinct = distinct & (one.ordering.compare(other.ordering) != 0)
        first, *orders = itertools.permutations(range(count))
        for order in orders:
            yield _equal(distinct, _folded(m, v, first), _folded(m, v, order))


def _idempotent(m: Merge, v: list[Records]) -> Iterator[Equation]:
    a = v[0]
    yield _equal(_all(a), ("m(a, a)", m(a, a)), ("a", a))


def _replay_safe(m: Merge, v: list[Records]) -> Iterator[Equation]:
    a, b, _ = v
    once = m(a, b)
    yield _equal(_all(a), ("m(m(a, b), b)", m(once, b)), ("m(a, b)", once))


def _delete_sticky(m: Merge, v: list[Records]) -> Iterator[Equation]:
    for count in (2, 3):
        for order in itertools.permutations(range(count)):
            wanted = _all(v[0]) & False
            for place in range(count):
                others = [v[other] for other in range(count) if other != place]
                highest = v[place].is_delete & ~v[place].ordering.absent
                for other in others:
                    highest &= v[place].ordering.compare(other.ordering) > 0
                wanted |= highest
            name, result = _folded(m, v, order)
            yield wanted, ~result.is_delete, (name, result), "a delete: the highest-ordered version is one"


def _ordering_is_max(m: Merge, v: list[Records]) -> Iterator[Equation]:
    a, b, _ = v
    result = m(a, b)
    larger_is_b = b.ordering.compare(a.ordering) > 0
    wrong = np.where(larger_is_b, _other(result.ordering, b.ordering), _other(result.ordering, a.ordering))
    yield ~a.ordering.absent & ~b.ordering.absent, wrong, ("m(a, b)", result), "the larger ordering of both"


def _schema_local(m: Merge, v: list[Records]) -> Iterator[Equation]:
    a, b, _ = v
    result = m(a, b)
    lacking = [name for name in a.schema.names if _lacked(a, name) and _lacked(b, name)]
    for name in lacking:
        given = ~result.is_delete & result.column(name).is_valid().to_numpy(zero_copy_only=False)
        yield _all(a), given, ("m(a, b)", result), f"no column '{name}': neither version has it"


def _dedupe_is_combine(m: Merge, batch: Merge, v: list[Records]) -> Iterator[Equation]:
    a, b, c = v
    yield _equal(_all(a), ("m(a, batch(b, c))", m(a, batch(b, c))), ("m(m(a, b), c)", m(m(a, b), c)))


_EQUATIONS: dict[Law, Callable[[Merge, list[Records]], Iterator[Equation]]] = {
    Law.ASSOCIATIVE: _associative,
    Law.ORDER_INDEPENDENT: _order_independent,
    Law.IDEMPOTENT: _idempotent,
    Law.REPLAY_SAFE: _replay_safe,
    Law.DELETE_STICKY: _delete_sticky,
    Law.ORDERING_IS_MAX: _ordering_is_max,
    Law.SCHEMA_LOCAL: _schema_local,
}


def _same(left: Records, right: Records) -> Mask:
    """Return a mask of the rows in which both versions have equal ordering values, and equal columns unless deleted."""
    deletes = left.is_delete
    equal: Mask = (deletes == right.is_delete) & ~_other(left.ordering, right.ordering)
    for name in left.schema.names:
        rows = np.flatnonzero(equal & ~deletes)
        equal[rows] = ~differ(left.column(name).take(pa.array(rows)), right.column(name).take(pa.array(rows)))
    return equal


def _equal(concerned: Mask, left: Side, right: Side) -> Equation:
    return concerned, ~_same(left[1], right[1]), left, right


def _folded(m: Merge, v: list[Records], order: Sequence[int]) -> Side:
    name = reduce(lambda text, place: f"m({text}, {_NAMES[place]})", order[1:], _NAMES[order[0]])
    return name, reduce(m, [v[place] for place in order])


def _other(left: Ordering, right: Ordering) -> Mask:
    """Return a mask of the rows in which two orderings differ. A missing ordering value differs from every value."""
    differs: Mask = (left.compare(right) != 0) | (left.absent != right.absent)
    return differs


def differ(left: pa.Array, right: pa.Array) -> Mask:
    """Return a mask of the rows in which two arrays differ. Null equals null and NaN equals NaN in all types."""
    if pa.types.is_nested(left.type) or pa.types.is_floating(left.type):
        pairs = zip(left.to_pylist(), right.to_pylist(), strict=True)
        return np.array([repr(one) != repr(other) for one, other in pairs], dtype=bool)
    codes = pa.concat_arrays([left, right]).dictionary_encode("encode").indices.to_numpy(zero_copy_only=False)
    different: Mask = codes[: len(left)] != codes[len(left) :]
    return different


def _lacked(records: Records, name: str) -> bool:
    present = records.present(name)
    return present is not None and not present.any()


def _all(records: Records) -> Mask:
    return np.ones(len(records), dtype=bool)
