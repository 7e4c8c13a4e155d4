"""Every call to the store of every operation fails, or the process is killed there.

Afterwards the table is as before or as after the operation, the result that the caller got is true, the next write
repairs the rest, and no file remains that could become visible later.
"""

from __future__ import annotations

import functools
import os
import warnings

import pytest

from hoodoo.errors import CommitConflict, CommitStateUnknown, HoodooError
from hoodoo.service.inline import ServiceFailed

from .faults import MODES, Faulty, Killed, Mode
from .leftovers import check_nothing_is_left
from .operations import KINDS, OPERATIONS, REMOTE_KINDS, SERVICES, Kind, Operation, Rows, read, write
from .store import Files

pytestmark = pytest.mark.slow

EVERY = int(os.environ.get("HOODOO_EVERY_CALL", "149"))
"""One of this number of calls is tried; 1 tries all."""

ALL_KINDS = {**KINDS, **REMOTE_KINDS}
LAST: Rows = {"a1": ("a", 99), "b1": ("b", 99), "z1": ("z", 99)}


@pytest.mark.scaled
# until the next write, a reader reports the log that a lost power supply left incomplete
@pytest.mark.filterwarnings("ignore::hoodoo.reading.slice.log_corruption.SkippedCorruption")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", OPERATIONS)
def test_every_call(name: str, kind: str) -> None:
    chosen = ALL_KINDS[kind]
    wrong = [text for point in points_of(name, chosen) if (text := try_point(name, chosen, *point))]
    assert not wrong, "\n\n".join([f"{len(wrong)} points", *wrong[:3]])


@pytest.mark.scaled
@pytest.mark.each_value
@pytest.mark.filterwarnings("ignore::hoodoo.reading.slice.log_corruption.SkippedCorruption")
@pytest.mark.parametrize("kind", REMOTE_KINDS)
@pytest.mark.parametrize("name", [name for name, operation in OPERATIONS.items() if operation.is_write])
def test_every_call_of_a_remote_store(name: str, kind: str) -> None:
    test_every_call(name, kind)


@functools.cache
def table_of(name: str, kind: Kind) -> tuple[Files, Rows]:
    return OPERATIONS[name].prepare(kind)


def points_of(name: str, kind: Kind) -> list[tuple[int, Mode]]:
    """List the calls and modes to try: a share of all, another one for each kind of table."""
    files = table_of(name, kind)[0].copy()
    actor = Faulty(files, 0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        failure = actor.run(lambda: OPERATIONS[name].run(files, kind))
    assert failure is None
    points: list[tuple[int, Mode]] = [(number, mode) for number in range(1, actor.calls + 1) for mode in MODES]
    return points[list(ALL_KINDS).index(kind.name) % EVERY :: EVERY]


def try_point(name: str, kind: Kind, number: int, mode: Mode) -> str | None:
    """Try one point; return what is wrong."""
    operation = OPERATIONS[name]
    files, before = table_of(name, kind)
    files = files.copy()
    actor = Faulty(files, number, mode)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        failure = actor.run(lambda: operation.run(files, kind))
    where = (
        f"{name} on {kind.name}, call {number}, {mode}: {actor.hit}, {failure!r}; replay: "
        f"python -m tests.reliability.replay {name!r} {kind.name} {number} {mode!r}"
    )
    try:
        judge(operation, kind, files, before, failure, caught)
    except (AssertionError, HoodooError, Warning) as wrong:
        return f"{where}\n  {wrong!r}"
    return None


def judge(
    operation: Operation,
    kind: Kind,
    files: Files,
    before: Rows,
    failure: BaseException | None,
    caught: list[warnings.WarningMessage],
) -> None:
    assert failure is None or isinstance(failure, (HoodooError, Killed)), "an error of another kind"
    odd = [str(w.message) for w in caught if not issubclass(w.category, ServiceFailed)]
    assert not odd
    after = operation.after(before)
    exists = any(path.endswith("hoodie.properties") or "properties.backup" in path for path in files.bodies)
    found = read(files) if exists else {}
    if failure is None:
        assert found == after, "reported as done"
    elif isinstance(failure, (CommitStateUnknown, Killed)):
        assert found in (before, after)
    elif operation.is_write:
        assert found == before, "reported as failed"
    assert not isinstance(failure, CommitConflict)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        write(files, kind, LAST, new=not exists, **SERVICES, **operation.later)
    assert read(files) == found | LAST, "after the next write"
    check_nothing_is_left(files)


def test_the_points_are_many() -> None:
    """The test would prove little if operations made few calls."""
    assert sum(len(points_of(name, kind)) for name in OPERATIONS for kind in KINDS.values()) * EVERY >= 1500
