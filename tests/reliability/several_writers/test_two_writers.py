"""Two writes, of which one runs completely while the other writes its files."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
from attrs import define

from hoodoo.errors import CommitConflict
from tests.reliability.actors import acting_as
from tests.reliability.operations import KINDS, NO_SERVICES, Kind, Rows, _clean, _compact, prepared, read, write
from tests.reliability.store import Files

pytestmark = pytest.mark.slow


@define(eq=False)
class Overtaken:
    """A writer that another one overtakes when it creates its first data file, after its look-up of keys."""

    other: Callable[[], object]
    was_overtaken: bool = False

    def before(self, operation: str, path: str) -> None:
        if operation in ("create", "open_output") and not path.startswith(".hoodie/") and not self.was_overtaken:
            self.was_overtaken = True
            with acting_as(Silent()):
                self.other()

    def after(self, operation: str, path: str) -> None:
        pass


@define(eq=False)
class Silent:
    """A writer without interference."""

    def before(self, operation: str, path: str) -> None:
        pass

    def after(self, operation: str, path: str) -> None:
        pass


def overtaken(work: Callable[[], object], other: Callable[[], object]) -> None:
    """Run work, and other work when the first one creates its first data file."""
    actor = Overtaken(other)
    try:
        with acting_as(actor):
            work()
    finally:
        assert actor.was_overtaken


def of_index(index: str) -> dict[str, object]:
    # without small files for new keys, each writer creates its own file groups
    options: dict[str, object] = {"index": index, "small_file_limit": 0}
    return options | {"buckets": 2} if index == "bucket" else options


def created(kind: str, index: str) -> tuple[Files, Rows]:
    files, rows = Files(), {"a1": ("a", 1), "b1": ("b", 1)}
    write(files, KINDS[kind], rows, new=True, **NO_SERVICES, **of_index(index))
    return files, rows


CASES = [
    (kind, index, operation)
    for kind in ("cow6p", "mor6a", "cow9p", "mor9p")
    for index in ("simple", "bloom", "bucket", "global-simple", "global-bloom")
    for operation in ("upsert", "insert")
    # an insert that drops stored keys does not look them up in logs, and is rejected if they have new keys
    if not (kind.startswith("mor") and index == "bucket" and operation == "insert")
]


@pytest.mark.parametrize(("kind", "index", "operation"), CASES)
def test_a_new_key_that_two_writers_bring_is_stored_once(kind: str, index: str, operation: str) -> None:
    files, rows = created(kind, index)
    given = {**NO_SERVICES, **of_index(index), "operation": operation}
    if operation == "insert":
        given["dup_policy"] = "drop"
    last = 2 if operation == "upsert" else 1

    def bring(value: int) -> Callable[[], object]:
        return lambda: write(files, KINDS[kind], {"a9": ("a", value), "c9": ("c", value)}, **given)

    with pytest.raises(CommitConflict, match="run it again on the new state"):
        overtaken(bring(2), bring(1))
    assert read(files) == rows | {"a9": ("a", 1), "c9": ("c", 1)}
    bring(2)()
    assert read(files) == rows | {"a9": ("a", last), "c9": ("c", last)}


CHANGE: Rows = {"a1": ("a", 50), "b1": ("b", 50)}
MERGE_ON_READ = [name for name, kind in KINDS.items() if kind.type == "MERGE_ON_READ"]


def prepared_change(kind: str, operation: str) -> tuple[Files, Rows, Callable[[], object], Rows]:
    """Create a table, and return its files and rows, a write of CHANGE, and the rows after this write."""
    files, rows = prepared(KINDS[kind])
    after = {**rows, **CHANGE} if operation == "upsert" else {key: rows[key] for key in rows.keys() - CHANGE.keys()}
    return files, rows, partial(write, files, KINDS[kind], CHANGE, operation=operation, **NO_SERVICES), after


@pytest.mark.parametrize("kind", MERGE_ON_READ)
@pytest.mark.parametrize("operation", ["upsert", "delete"])
def test_a_write_that_is_completed_during_a_compaction_stays(kind: str, operation: str) -> None:
    """The compaction is rolled back, so that rows that the write deleted do not come back."""
    files, _, change, after = prepared_change(kind, operation)

    with pytest.raises(CommitConflict, match="changed file group"):
        overtaken(lambda: _compact(files, KINDS[kind]), change)
    settled(files, KINDS[kind], after)


@pytest.mark.parametrize("kind", MERGE_ON_READ)
@pytest.mark.parametrize("operation", ["upsert", "delete"])
def test_a_compaction_during_a_write_leaves_out_its_logs_and_keeps_them(kind: str, operation: str) -> None:
    """In version 6, where the names of logs contain the slices that a compaction ends, the write is rolled back."""
    files, rows, change, after = prepared_change(kind, operation)

    def compact_and_clean() -> None:
        assert _compact(files, KINDS[kind]) is not None
        _clean(files, KINDS[kind])
        assert read(files) == rows

    if KINDS[kind].version == 6:
        with pytest.raises(CommitConflict, match="changed file group"):
            overtaken(change, compact_and_clean)
        assert read(files) == rows
        change()
    else:
        overtaken(change, compact_and_clean)
    settled(files, KINDS[kind], after)


def settled(files: Files, kind: Kind, rows: Rows) -> None:
    """Compact the rest, write again and clean, and check the rows after each step."""
    assert read(files) == rows
    assert _compact(files, kind) is not None
    assert read(files) == rows
    write(files, kind, {"z1": ("z", 1)}, **NO_SERVICES)
    _clean(files, kind)
    assert read(files) == rows | {"z1": ("z", 1)}
