"""Two writes of which one runs from its begin to its end while the other writes its files."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from attrs import define

from hoodoo.errors import CommitConflict

from .operations import KINDS, NO_SERVICES, Rows, read, write
from .store import Files, acting_as


@define(eq=False)
class Overtaken:
    """A writer that another one overtakes when it creates its first data file: it has looked up its keys by then."""

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
    """A writer that nothing happens to."""

    def before(self, operation: str, path: str) -> None:
        pass

    def after(self, operation: str, path: str) -> None:
        pass


def overtaken(work: Callable[[], object], other: Callable[[], object]) -> None:
    """Do work in the middle of which other work is done."""
    actor = Overtaken(other)
    try:
        with acting_as(actor):
            work()
    finally:
        assert actor.was_overtaken


def of_index(index: str) -> dict[str, object]:
    return {"index": index, "buckets": 2} if index == "bucket" else {"index": index}


def created(kind: str, index: str) -> tuple[Files, Rows]:
    files, rows = Files(), {"a1": ("a", 1), "b1": ("b", 1)}
    write(files, KINDS[kind], rows, new=True, **NO_SERVICES, **of_index(index))
    return files, rows


CASES = [
    (kind, index, operation)
    for kind in ("cow6p", "mor6a", "cow9p", "mor9p")
    for index in ("simple", "bloom", "bucket", "global-simple", "global-bloom")
    for operation in ("upsert", "insert")
    # an insert that drops stored keys does not look them up in logs, and is refused where they hold new keys
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
