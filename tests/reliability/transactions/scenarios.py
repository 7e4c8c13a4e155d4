"""Scenarios: an operation, the table before it, and the visible rows after it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa
from attrs import evolve, field, frozen

from hoodoo.errors import CommitConflict
from hoodoo.options import ArchiveOptions, CleanOptions
from hoodoo.properties import NewKeys, NewRule, NewTable, create_properties, new_table_properties
from hoodoo.record import KeyConfig
from hoodoo.service import archive
from hoodoo.service import clean as clean_files
from hoodoo.timeline import CompactionOperation, CompactionPlan, Instant, State
from hoodoo.txn import WRITE_ID_KEY, Coordination, begin, complete, inflight, rollback_pending, schedule, start

from .memory import MemoryStorage
from .table import (
    GROUPS,
    Clock,
    after_upsert,
    load,
    metadata,
    new_table,
    slices,
    upsert,
    write_base,
    write_log,
)

Visible = dict[tuple[str, str], list[str]]

OLD = after_upsert("old")
LOGGED = {("a", GROUPS["a"]): ["old", "new-1", "new-2"], ("b", GROUPS["b"]): ["old"], ("c", "group-c-0"): ["new"]}
TWICE = {("a", GROUPS["a"]): ["old", "first-1", "first-2", "new-1", "new-2"], ("b", GROUPS["b"]): ["old"]}
FIRST = {("a", GROUPS["a"]): ["old", "first-1", "first-2"], ("b", GROUPS["b"]): ["old"]}
COMPACTED = {("a", GROUPS["a"]): ["compacted"], ("b", GROUPS["b"]): ["old"]}


@frozen
class Scenario:
    """An operation on a table.

    Attributes:
        prepare: The function that creates the table for a timeline layout.
        run: The function that runs the operation.
        before: The visible rows before it.
        after: The visible rows after it.
        again: Whether users run the operation again after a failure.
        finish: The function that must run after a failure before the next write; None if there is none.
        archives: Whether the table reads the same without the archived part of its timeline.
    """

    prepare: Callable[[int], MemoryStorage]
    run: Callable[[Any, int, Clock], object]
    before: Visible = field(factory=lambda: OLD)
    after: Visible = field(factory=lambda: OLD)
    again: bool = False
    finish: Callable[[Any, int, Clock], object] | None = None
    archives: bool = True


def commit(storage: Any, layout: int, clock: Clock) -> None:
    upsert(storage, layout, "new", clock)


def commit_with_strays(storage: Any, layout: int, clock: Clock) -> None:
    """Run a write whose repeated tasks have left a base file and a log."""
    timeline = load(storage, layout)
    with begin(storage, timeline, "deltacommit", coordination=Coordination(clock)) as transaction:
        known = slices(storage, timeline)
        counted = write_log(storage, layout, transaction.time, known["a"], "new")
        write_log(storage, layout, transaction.time, known["a"], "stray", token="0-0-1")
        base = write_base(storage, transaction.time, "c", "new", file_id="group-c-0")
        write_base(storage, transaction.time, "c", "stray", file_id="group-c-0", token="0-0-1")
        transaction.commit(metadata("UPSERT", counted, base), new_keys="partition")


def delta_commit(storage: Any, layout: int, clock: Clock, text: str = "new") -> None:
    timeline = load(storage, layout)
    with begin(storage, timeline, "deltacommit", coordination=Coordination(clock)) as transaction:
        known = slices(storage, timeline)
        transaction.commit(metadata("UPSERT", write_log(storage, layout, transaction.time, known["a"], text)))


def replace(storage: Any, layout: int, clock: Clock) -> None:
    timeline = load(storage, layout)
    with begin(storage, timeline, "replacecommit", "INSERT_OVERWRITE", Coordination(clock)) as transaction:
        stat = write_base(storage, transaction.time, "a", "new", file_id="group-a-1")
        transaction.commit(metadata("INSERT_OVERWRITE", stat, replaced={"a": (GROUPS["a"],)}))


def lose(storage: Any, layout: int, clock: Clock) -> None:
    """Run a write that another one overtakes; the other one does not fail."""
    inner = getattr(storage, "inner", storage)
    timeline = load(storage, layout)
    with begin(storage, timeline, coordination=Coordination(clock)) as transaction:
        known = slices(storage, timeline)
        stat = write_base(storage, transaction.time, "a", "lost", previous=known["a"].base_instant)
        upsert(inner, layout, "winner", clock)
        try:
            transaction.commit(metadata("UPSERT", stat))
        except CommitConflict:
            return
    raise AssertionError("no conflict")


def give_up(storage: Any, layout: int, clock: Clock) -> None:
    """Write a delta commit that its writer rolls back."""
    timeline = load(storage, layout)
    with begin(storage, timeline, "deltacommit", coordination=Coordination(clock)) as transaction:
        write_log(storage, layout, transaction.time, slices(storage, timeline)["a"], "lost")
        write_base(storage, transaction.time, "c", "lost", file_id="group-c-0")


def identified(storage: Any, layout: int, clock: Clock) -> Instant:
    return upsert(storage, layout, "new", clock, extra={WRITE_ID_KEY: "id"})


def clean(storage: Any, layout: int, clock: Clock) -> None:
    """Run a service whose plan any writer may execute: it deletes the file that the plan names."""
    timeline = load(storage, layout)
    due = [i for i in timeline.pending if i.action == "clean"]
    instant = due[0] if due else schedule(storage, timeline, "clean", lambda now, time: b"a/old", Coordination(clock))
    assert instant is not None
    inflight(storage, timeline, instant, b"a/old")
    storage.delete(timeline.read(instant.at(State.REQUESTED)).decode())
    complete(storage, timeline, instant, b"done", Coordination(clock))


def compact(storage: Any, layout: int, clock: Clock) -> None:
    timeline = load(storage, layout)
    due = [i for i in timeline.pending if i.action == "compaction"]
    instant = due[0] if due else schedule(storage, timeline, "compaction", plan_compaction, Coordination(clock))
    assert instant is not None
    with start(storage, timeline, instant, Coordination(clock)) as transaction:
        old = slices(storage, timeline)["a"]
        stat = write_base(storage, transaction.time, "a", "compacted", previous=old.base_instant)
        done = evolve(metadata("COMPACT", stat), compacted=True)
        transaction.commit(done)


def plan_compaction(timeline, time) -> bytes:
    old = slices(timeline.storage, timeline)["a"]
    names = tuple(log.path.rpartition("/")[2] for log in old.logs)
    operation = CompactionOperation("a", old.file_id, old.base_instant, old.path.rpartition("/")[2], names)
    return CompactionPlan((operation,)).to_avro()


def with_log(layout: int) -> MemoryStorage:
    storage = new_table(layout)
    delta_commit(storage, layout, Clock(storage, 1000), "first")
    return storage


def with_failed(action: str) -> Callable[[int], MemoryStorage]:
    """Return a function that creates a table on which a writer died before its commit."""

    def prepare(layout: int) -> MemoryStorage:
        storage = new_table(layout)
        clock = Clock(storage, 1000)
        timeline = load(storage, layout)
        transaction = begin(storage, timeline, action, coordination=Coordination(clock))
        known = slices(storage, timeline)
        if action == "deltacommit":
            write_log(storage, layout, transaction.time, known["a"], "half")
            torn = write_log(storage, layout, transaction.time, known["b"], "half").path or ""
            storage.files[torn] = storage.files[torn][:-20]
        write_base(storage, transaction.time, "c", "half", file_id="group-c-0")
        transaction._heartbeat.release()
        return storage

    return prepare


def with_failed_compaction(layout: int) -> MemoryStorage:
    storage = with_log(layout)
    clock = Clock(storage, 2000)
    timeline = load(storage, layout)
    instant = schedule(storage, timeline, "compaction", plan_compaction, Coordination(clock))
    transaction = start(storage, timeline, instant, Coordination(clock))
    write_base(storage, transaction.time, "a", "half", previous="x")
    transaction._heartbeat.release()
    return storage


def clear_away(storage: Any, layout: int, clock: Clock) -> None:
    rollback_pending(storage, load(storage, layout), coordination=Coordination(clock))


def with_history(layout: int) -> MemoryStorage:
    """Create a table with properties and five commits, each of which wrote all rows."""
    storage = new_table(layout)
    schema = pa.schema([("id", pa.int64()), ("p", pa.string())])
    keys = KeyConfig(record_key=("id",), partition_by=("p",))
    properties = new_table_properties(
        NewTable("t", schema, version=6 if layout == 1 else 9),
        NewKeys(keys, "org.apache.hudi.keygen.SimpleKeyGenerator"),
        NewRule(
            merge_mode="COMMIT_TIME_ORDERING" if layout > 1 else None,
            payload_class="org.apache.hudi.common.model.OverwriteWithLatestAvroPayload" if layout == 1 else None,
        ),
    )
    create_properties(storage, properties)
    clock = Clock(storage, 1000)
    for text in ("older", "older", "older", "old"):
        upsert(storage, layout, text, clock)
    return storage


def clean_old_files(storage: Any, layout: int, clock: Clock) -> None:
    clean_files(storage, CleanOptions(commits_retained=1), coordination=Coordination(clock))
    # for each of the two groups, the file of the last commit and the one before it
    assert len(list(getattr(storage, "inner", storage).walk())) == 2 * len(GROUPS)


def archive_instants(storage: Any, layout: int, clock: Clock) -> None:
    archive(
        storage,
        ArchiveOptions(keep_min_commits=2, keep_max_commits=3),
        CleanOptions(commits_retained=1),
        coordination=Coordination(clock),
    )
    assert len(load(getattr(storage, "inner", storage), layout).commits) <= 3


SCENARIOS = {
    "commit": Scenario(new_table, commit, after=after_upsert("new")),
    "delta commit": Scenario(with_log, delta_commit, FIRST, TWICE),
    "delta commit with strays": Scenario(new_table, commit_with_strays, after=LOGGED),
    "replace commit": Scenario(
        new_table,
        replace,
        after={("a", "group-a-1"): ["new"], ("b", GROUPS["b"]): ["old"]},
        archives=False,
    ),
    "lost race": Scenario(new_table, lose, after=after_upsert("winner")),
    "own rollback": Scenario(new_table, give_up),
    "write with an id": Scenario(new_table, identified, after=after_upsert("new"), again=True),
    "clean": Scenario(new_table, clean, again=True),
    "clean of old files": Scenario(with_history, clean_old_files, again=True),
    "archive": Scenario(with_history, archive_instants, again=True),
    "compaction": Scenario(with_log, compact, FIRST, COMPACTED, again=True),
    "rollback of a commit": Scenario(with_failed("commit"), clear_away),
    "rollback of a delta commit": Scenario(with_failed("deltacommit"), clear_away),
    "rollback of a replace commit": Scenario(with_failed("replacecommit"), clear_away),
    "rollback of a compaction": Scenario(with_failed_compaction, clear_away, FIRST, FIRST, finish=compact),
}
