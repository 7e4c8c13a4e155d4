"""Every call to the store of every operation fails, or the process is killed there.

Afterwards the table is as before or as after the operation, the result that the caller got is true, the next write
repairs the rest, and no file remains that could become visible later. `HOODOO_EVERY_CALL=1` tries every call; by
default only a share is tried.
"""

from __future__ import annotations

import functools
import warnings

import pytest

from hoodoo.errors import CommitConflict, CommitStateUnknown, HoodooError
from hoodoo.reading.slice.log_corruption import SkippedCorruption
from hoodoo.service.inline import ServiceFailed

from .faults import Killed
from .leftovers import check_nothing_is_left
from .operations import KINDS, OPERATIONS, REMOTE_KINDS, SERVICES, Kind, Rows, read, write
from .points import ALL_KINDS, EVERY, Attempt, Point, chosen_points, fault_of
from .store import Files

pytestmark = pytest.mark.slow

LAST: Rows = {"a1": ("a", 99), "b1": ("b", 99), "z1": ("z", 99)}


@pytest.mark.scaled
# until the next write, a reader reports the log that a lost power supply left incomplete
@pytest.mark.filterwarnings("ignore::hoodoo.reading.slice.log_corruption.SkippedCorruption")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", OPERATIONS)
def test_every_call(name: str, kind: str) -> None:
    chosen = ALL_KINDS[kind]
    wrong = [text for point in points_of(name, chosen) if (text := try_point(name, chosen, point))]
    assert not wrong, "\n\n".join([f"{len(wrong)} points fail", *wrong[:3]])


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


def points_of(name: str, kind: Kind) -> list[Point]:
    """List the points to try; the operation without a fault gives no warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return chosen_points(OPERATIONS[name], kind, table_of(name, kind))[1]


def try_point(name: str, kind: Kind, point: Point) -> str | None:
    """Try one point, and return a description of what is wrong, or None."""
    wrong = fault_of(OPERATIONS[name], kind, table_of(name, kind), point, judge)
    number, mode = point
    replay = f"python -m tests.reliability.replay {name!r} {kind.name} {number} {mode!r}"
    return wrong and f"{name} on {kind.name}; replay: {replay}\n{wrong}"


def judge(attempt: Attempt) -> None:
    """Raise if the result of an operation, the rows or the next write are wrong, or if files are left."""
    operation, files, failure = attempt.operation, attempt.files, attempt.failure
    assert failure is None or isinstance(failure, (HoodooError, Killed)), "an unexpected kind of error"
    odd = [str(w.message) for w in attempt.caught if not issubclass(w.category, ServiceFailed)]
    assert not odd
    before, after = attempt.before, operation.after(attempt.before)
    exists = any(path.endswith("hoodie.properties") or "properties.backup" in path for path in files.bodies)
    found = read(files) if exists else {}
    if failure is None:
        assert found == after, "the operation succeeded, but its rows are not stored"
    elif isinstance(failure, (CommitStateUnknown, Killed)):
        assert found in (before, after)
    elif operation.is_write:
        assert found == before, "the operation failed, but the rows have changed"
    assert not isinstance(failure, CommitConflict)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        if isinstance(failure, Killed):  # the process may have ended inside a log file
            warnings.simplefilter("ignore", SkippedCorruption)
        write(files, attempt.kind, LAST, new=not exists, **SERVICES, **operation.later)
    assert read(files) == found | LAST, "the rows after the next write are wrong"
    check_nothing_is_left(files)


def test_the_points_are_many() -> None:
    """The test would prove little if operations made few calls."""
    assert sum(len(points_of(name, kind)) for name in OPERATIONS for kind in KINDS.values()) * EVERY >= 1500
