"""The recorder of one key's versions and of the rule's decisions."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from attrs import frozen

from hoodoo.explain.trace import Trace
from hoodoo.format.log import BlockType, LogBlock
from hoodoo.merge import Rule
from hoodoo.record import Choice, MergerConfig, Operation, Ordering, Outcome, Source

SCHEMA = pa.schema([("id", pa.string()), ("ts", pa.int64()), ("v", pa.string())])


@frozen
class Greatest:
    """Rule in which the greater ordering value wins, and the newer version at a tie, with the reasons 0 and 1."""

    laws = frozenset()
    reasons = {0: "it is smaller", 1: "it is greater or equal"}  # noqa: RUF012 - as a plugin has them

    def merge(self, older, newer, context, config):
        wins = newer.ordering.compare(older.ordering) >= 0
        outcome = Outcome.take_where(wins)
        if context.explaining:
            return Outcome(outcome.choice, {}, reason=wins.astype(np.int16))
        return outcome


def table(*rows):
    columns = zip(*rows, strict=True) if rows else [[] for _ in SCHEMA]
    return pa.table(dict(zip(SCHEMA.names, columns, strict=True)), schema=SCHEMA)


def source(*rows, deletes=()):
    rows = table(*rows)
    keys = rows["id"].combine_chunks()
    ordering = Ordering.of(("ts",), [rows["ts"].combine_chunks()], len(rows))
    gone = np.array([key in deletes for key in keys.to_pylist()], dtype=bool)
    operation = np.where(gone, Operation.DELETE, Operation.INSERT).astype(np.int8)
    return Source(rows, SCHEMA, keys, ordering, operation, ~gone)


@pytest.fixture
def trace():
    return Trace("a", "x/f.parquet", ("ts",))


@pytest.fixture
def rule(trace):
    return trace.rule(Rule.of_merger(Greatest(), "greatest", MergerConfig(ordering=("ts",))))


def block(offset):
    return LogBlock(".f.log", offset, 10, BlockType.AVRO_DATA, {0: f"{offset}"}, 0, 0)


def test_versions_of_the_key_alone_are_numbered(trace):
    rows = np.array([131072, 131074, 131075])
    trace.logged(block(5), source(("b", 1, ""), ("a", 2, "two"), ("a", 3, "three")), rows)
    assert [(v.number, v.row, v.offset, v.ordering, v.data["v"]) for v in trace.versions] == [
        (1, 131074, 5, {"ts": 2}, "two"),
        (2, 131075, 5, {"ts": 3}, "three"),
    ]
    assert {version.place for version in trace.versions} == {"log"}


def test_a_delete_has_its_kind_and_no_data(trace):
    trace.logged(block(5), source(("a", 2, ""), deletes="a"), np.arange(1))
    [version] = trace.versions
    assert (version.delete, version.data, version.ordering) == ("key_only", None, {"ts": 2})


def test_rows_of_the_base_file_are_counted_over_its_batches(trace):
    for rows in (table(("b", 1, ""), ("c", 1, "")), table(("a", 4, "base"))):
        trace.stored(rows, rows["id"].combine_chunks())
    [version] = trace.versions
    assert (version.place, version.file, version.row, version.ordering) == ("base", "x/f.parquet", 2, {"ts": 4})


def merged(trace, rule, base, log):
    """Return the trace of a log that is folded and merged with base rows, as a reader does."""
    trace.logged(block(5), log, np.arange(len(log)))
    records = rule.fold_log(log)
    trace.stored(base, base["id"].combine_chunks())
    stored = rule.stored(base, SCHEMA, base["id"].combine_chunks()).records(np.array([0]))
    rule.combine(stored, records)
    return trace.in_order()


def test_decisions_have_the_reasons_of_the_rule(trace, rule):
    found = merged(trace, rule, table(("a", 4, "base")), source(("a", 3, ""), ("a", 5, "")))
    assert [(d.stage, d.older, d.newer, d.choice, d.reason, d.code) for d in found.decisions] == [
        ("logs", 2, 3, "take", "it is greater or equal", 1),
        ("base", 1, 3, "take", "it is greater or equal", 1),
    ]
    assert [version.place for version in found.versions] == ["base", "log", "log"]
    assert found.surviving == [3]


def test_a_base_row_that_wins_survives(trace, rule):
    found = merged(trace, rule, table(("a", 4, "base")), source(("a", 3, "")))
    assert [(d.choice, d.code) for d in found.decisions] == [("keep", 0)]
    assert found.surviving == [1]


def test_a_deleted_row_does_not_survive(trace, rule):
    found = merged(trace, rule, table(("a", 4, "base")), source(("a", 9, ""), deletes="a"))
    assert found.surviving == []


def test_a_record_without_a_base_row_is_inserted(trace, rule):
    log = source(("a", 3, ""))
    trace.logged(block(5), log, np.arange(len(log)))
    rule.insert(rule.fold_log(log))
    [decision] = trace.in_order().decisions
    assert (decision.stage, decision.older, decision.choice) == ("insert", None, "take")
    assert decision.reason == "no base row has the key, so nothing is compared"
    assert trace.surviving == [1]


def test_a_rule_without_reasons_is_described_by_its_choice(trace):
    @frozen
    class Keeps:
        laws = frozenset()

        def merge(self, older, newer, context, config):
            return Outcome.all(Choice.KEEP, len(older))

    rule = trace.rule(Rule.of_merger(Keeps(), "keeps", MergerConfig(ordering=("ts",))))
    found = merged(trace, rule, table(("a", 4, "base")), source(("a", 9, "")))
    assert [(d.reason, d.code) for d in found.decisions] == [
        ("keeps keeps the older version, and gives no reason", None)
    ]


def test_other_keys_leave_no_trace(trace, rule):
    log = source(("b", 3, ""))
    trace.logged(block(5), log, np.arange(len(log)))
    rule.insert(rule.fold_log(log))
    assert (trace.versions, trace.decisions, trace.surviving) == ([], [], [])
