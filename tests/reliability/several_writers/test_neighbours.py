"""Work of another writer or service before the begin of a write or before its commit, case by case.

The schedules and the model found faults in these cases; each test reproduces one case alone.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

import pyarrow as pa
import pytest
from attrs import define

import hoodoo
from hoodoo.errors import CommitConflict
from hoodoo.properties import dump_properties, parse_properties
from hoodoo.properties.table_properties import PROPERTIES_FILE
from hoodoo.testing.engine import ArrowBatch
from hoodoo.write_job import run_job
from hoodoo.writing.write import no_progress
from tests.reliability.actors import acting_as
from tests.reliability.leftovers import check_nothing_is_left
from tests.reliability.operations import (
    KINDS,
    NO_SERVICES,
    SERVICES,
    Engine,
    Kind,
    Rows,
    _archive,
    _clean,
    _compact,
    read,
    write,
)
from tests.reliability.store import Files

from .pausing import Pausing

pytestmark = pytest.mark.slow

KEPT_APART = {**NO_SERVICES, "small_file_limit": 0}
"""Options with which every insert creates a new file group."""

MERGE_ON_READ = [name for name, kind in KINDS.items() if kind.type == "MERGE_ON_READ" and kind.version != 8]


def table(kind: Kind, *inserts: Rows) -> Files:
    files = Files()
    for number, rows in enumerate(inserts):
        write(files, kind, rows, new=not number, operation="insert", **KEPT_APART)
    return files


def interrupted(work: Callable[[], object], other: Callable[[], object], *, at_begin: bool = False) -> None:
    """Run work, and other work within it: before its commit, or before its begin if `at_begin`."""
    called = []

    def once() -> None:
        called.append(other())

    with acting_as(Pausing(once, at_begin)):
        work()
    assert called


@pytest.mark.parametrize("name", MERGE_ON_READ)
def test_a_key_that_came_back_in_a_log_behind_a_compaction_is_found(name: str) -> None:
    """An update finds a key that only a log has, after a compaction dropped the deleted key from the base file."""
    kind = KINDS[name]
    files = table(kind, {"a1": ("a", 1), "a2": ("a", 1)})
    write(files, kind, {"a1": ("a", 1)}, operation="delete", **KEPT_APART)
    update = {"a1": ("a", 2)}
    try:
        interrupted(lambda: write(files, kind, update, **KEPT_APART), lambda: _compact(files, kind))
    except CommitConflict:
        assert kind.version == 6
        write(files, kind, update, **KEPT_APART)
    assert read(files) == {"a1": ("a", 2), "a2": ("a", 1)}
    write(files, kind, {"a1": ("a", 3)}, **KEPT_APART)
    assert read(files) == {"a1": ("a", 3), "a2": ("a", 1)}
    _compact(files, kind)
    assert read(files) == {"a1": ("a", 3), "a2": ("a", 1)}


@pytest.mark.parametrize("name", KINDS)
def test_a_clean_keeps_the_files_that_a_pending_write_was_planned_by(name: str) -> None:
    kind = KINDS[name]
    files = table(kind, {"a1": ("a", 1)}, {"b1": ("b", 1)})
    before = {path for path in files.bodies if not path.startswith(".hoodie")}

    def others() -> None:
        for value in (2, 3, 4):
            write(files, kind, {"a1": ("a", value)}, **KEPT_APART)
            if kind.type == "MERGE_ON_READ":
                _compact(files, kind)
        _clean(files, kind)
        assert before <= files.bodies.keys()

    update = {"b1": ("b", 2)}
    try:
        interrupted(lambda: write(files, kind, update, **KEPT_APART), others)
    except CommitConflict:
        # the compaction includes its file group, and a log of this version belongs to one file slice
        assert (kind.type, kind.version) == ("MERGE_ON_READ", 6)
        write(files, kind, update, **KEPT_APART)
    _clean(files, kind)
    assert not before <= files.bodies.keys(), "the clean kept files that are no longer needed"
    assert read(files) == {"a1": ("a", 4), "b1": ("b", 2)}


@define(eq=False)
class BeforeCall:
    """A writer that runs other work before one of the calls that it makes until its instant is on the timeline.

    Attributes:
        left: The number of calls before that one; calls under the table's lock do not count.
        others: The function that does the other work.
        is_past: Whether the other work was run, or the instant is on the timeline.
        has_lock: Whether the writer holds the table's lock.
    """

    left: int
    others: Callable[[], object]
    is_past: bool = False
    has_lock: bool = False

    def before(self, operation: str, path: str) -> None:
        if self.is_past or self.has_lock:
            return
        self.left -= 1
        if self.left < 0:
            self.is_past = True
            with acting_as(None):
                self.others()

    def after(self, operation: str, path: str) -> None:
        if path.endswith(".hoodoo.lock"):
            self.has_lock = operation == "try_lock"
        self.is_past = self.is_past or (operation == "create" and path.endswith(".inflight"))


@pytest.mark.parametrize("name", KINDS)
def test_cleans_and_archiving_before_any_call_of_a_write_that_has_not_begun(name: str) -> None:
    """The write plans again with the current table."""
    kind = KINDS[name]
    updates = [{"a1": ("a", value), "b1": ("b", value)} for value in (2, 3, 4)]
    for calls in count():
        files = table(kind, {"a1": ("a", 1)}, {"b1": ("b", 1)})

        def others(files: Files = files) -> None:
            for rows in updates:
                write(files, kind, rows, **KEPT_APART)
                if kind.type == "MERGE_ON_READ":
                    _compact(files, kind)
            _clean(files, kind)
            _archive(files, kind)

        writer = BeforeCall(calls, others)
        with acting_as(writer):
            write(files, kind, {"b1": ("b", 9)}, **KEPT_APART)
        if writer.left >= 0:
            break
        assert read(files) == {"a1": ("a", 4), "b1": ("b", 9)}, calls
    assert calls > 5


def test_an_overwrite_of_an_empty_partition_meets_an_insert() -> None:
    kind = KINDS["cow9p"]
    files = table(kind, {"a1": ("a", 1)})
    replacement = {"c1": ("c", 1)}
    with pytest.raises(CommitConflict, match="wrote to partition 'c', which this write replaces"):
        interrupted(
            lambda: write(files, kind, replacement, operation="insert_overwrite", **NO_SERVICES),
            lambda: write(files, kind, {"c2": ("c", 1)}, **NO_SERVICES),
        )
    assert read(files) == {"a1": ("a", 1), "c2": ("c", 1)}


def test_a_write_meets_an_upgrade_of_the_table() -> None:
    kind = KINDS["cow9p"]
    files = table(kind, {"a1": ("a", 1)})

    def upgrade() -> None:
        entries = parse_properties(files.bodies[PROPERTIES_FILE]) | {"hoodie.table.version": "8"}
        files.put(PROPERTIES_FILE, dump_properties(entries, ["Updated at 2026-01-01T00:00:00.000Z"]))

    with pytest.raises(CommitConflict, match="changed table version 9 to 8"):
        interrupted(lambda: write(files, kind, {"a1": ("a", 2)}, **NO_SERVICES), upgrade)
    assert read(files) == {"a1": ("a", 1)}
    write(files, kind, {"a1": ("a", 3)}, **SERVICES)
    check_nothing_is_left(files)


@pytest.mark.parametrize("name", ["cow6p", "cow9p", "mor9p"])
def test_a_column_that_another_writer_added_before_a_write_began_stays(name: str) -> None:
    kind = KINDS[name]
    files = table(kind, {"a1": ("a", 1), "a2": ("a", 1)})
    wider = pa.table({"id": ["a2"], "p": ["a"], "v": [2], "more": ["text"]})

    def widen() -> None:
        options = {**kind.later_options, **NO_SERVICES}
        run_job(ArrowBatch(wider, 2), files.uri, options, "append", Engine(), no_progress)

    interrupted(lambda: write(files, kind, {"a1": ("a", 3)}, **NO_SERVICES), widen, at_begin=True)
    rows = hoodoo.Table(files.uri).to_arrow(columns=["id", "v", "more"]).sort_by("id").to_pylist()
    assert rows == [{"id": "a1", "v": 3, "more": None}, {"id": "a2", "v": 2, "more": "text"}]
