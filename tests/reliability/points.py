"""Points of an operation: its calls to the store, each of which fails, or kills the process, in each mode."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Sequence

from attrs import frozen

from hoodoo.errors import HoodooError

from .faults import MODES, Faulty, Mode
from .operations import KINDS, REMOTE_KINDS, Kind, Operation, Rows
from .store import Files

__all__ = ["ALL_KINDS", "EVERY", "Attempt", "Check", "Point", "all_points", "chosen_points", "fault_of"]

EVERY = int(os.environ.get("HOODOO_EVERY_CALL", "307"))
"""One of this number of points is tried; 1 tries all."""

ALL_KINDS = {**KINDS, **REMOTE_KINDS}

Point = tuple[int, Mode]


@frozen
class Attempt:
    """Result of an operation of which one call failed or killed the process.

    Attributes:
        operation: The operation that was tried.
        kind: The kind of the table.
        files: The files after the operation.
        before: The rows before it.
        failure: The error of the operation, or `Killed`; None if it succeeded.
        caught: The warnings of the operation.
    """

    operation: Operation
    kind: Kind
    files: Files
    before: Rows
    failure: BaseException | None
    caught: Sequence[warnings.WarningMessage]


Check = Callable[[Attempt], None]
"""Function that raises an error if the result of an attempt is wrong."""


def chosen_points(operation: Operation, kind: Kind, table: tuple[Files, Rows]) -> tuple[Files, list[Point]]:
    """Run an operation without a fault; return the files after it, and the points to try.

    The points to try are every `EVERY`-th of all, with another offset for each kind of table.
    """
    files, points = all_points(operation, kind, table)
    return files, points[list(ALL_KINDS).index(kind.name) % EVERY :: EVERY]


def all_points(operation: Operation, kind: Kind, table: tuple[Files, Rows]) -> tuple[Files, list[Point]]:
    """Run an operation without a fault; return the files after it, and all points."""
    files = table[0].copy()
    actor = Faulty(files, 0)
    assert (failure := actor.run(lambda: operation.run(files, kind))) is None, repr(failure)
    return files, [(number, mode) for number in range(1, actor.calls + 1) for mode in MODES]


def fault_of(operation: Operation, kind: Kind, table: tuple[Files, Rows], point: Point, check: Check) -> str | None:
    """Try one point, and return a description of what is wrong, or None."""
    number, mode = point
    files, before = table[0].copy(), table[1]
    actor = Faulty(files, number, mode)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        failure = actor.run(lambda: operation.run(files, kind))
    try:
        check(Attempt(operation, kind, files, before, failure, caught))
    except (AssertionError, HoodooError, Warning) as wrong:
        return f"call {number}, {mode}: {actor.hit}, {failure!r}\n  {wrong!r}"
    return None
