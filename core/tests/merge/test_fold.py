"""The fold in arrival order, one by one and as a tree."""

from __future__ import annotations

import warnings

import numpy as np
import pyarrow as pa
import pytest
from attrs import frozen

from hoodoo.merge.fold import HotKeyWarning, fold
from hoodoo.record import Choice, Law, MergerConfig, Operation, Ordering, Outcome, RecordContext, Records, Source

SCHEMA = pa.schema([("v", pa.int64()), ("log", pa.string())])
CONFIG = MergerConfig(ordering=("v",))


def source(keys: list[str], values: list[int], logs: list[str] | None = None) -> Source:
    table = pa.table({"v": values, "log": logs or [str(v) for v in values]}, schema=SCHEMA)
    ordering = Ordering.of(("v",), [table["v"].combine_chunks()], len(keys))
    return Source(table, SCHEMA, pa.array(keys), ordering, np.zeros(len(keys), np.int8), np.ones(len(keys), dtype=bool))


def folded(records: Records) -> dict[str, int]:
    return dict(zip(records.keys.to_pylist(), records.column("v").to_pylist(), strict=True))


@frozen
class Largest:
    laws: frozenset[Law] = frozenset()

    def merge(self, older: Records, newer: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        return Outcome.take_where(newer.ordering.compare(older.ordering) >= 0)


@frozen
class Concatenated:
    """Rule that joins the values of `log` of both versions, which shows the order of merges."""

    laws: frozenset[Law] = frozenset()

    def merge(self, older: Records, newer: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        both = [
            f"{a}{b}" for a, b in zip(older.column("log").to_pylist(), newer.column("log").to_pylist(), strict=True)
        ]
        return Outcome(np.full(len(older), Choice.TAKE, np.int8), {"log": pa.array(both)})


@frozen
class DeleteBoth:
    laws: frozenset[Law] = frozenset()

    def merge(self, older: Records, newer: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        return Outcome.all(Choice.DELETE, len(older))


BOTH_WAYS = pytest.mark.parametrize("laws", [frozenset(), frozenset({Law.ASSOCIATIVE})], ids=["one by one", "tree"])


@BOTH_WAYS
def test_every_key_once_in_order_of_first_appearance(laws: frozenset[Law]) -> None:
    records = fold(source(list("abacab"), [1, 2, 3, 4, 2, 1]), None, Largest(laws), RecordContext(SCHEMA), CONFIG)

    assert records.keys.to_pylist() == ["a", "b", "c"]
    assert folded(records) == {"a": 3, "b": 2, "c": 4}


@BOTH_WAYS
def test_versions_meet_in_order_of_arrival(laws: frozenset[Law]) -> None:
    batch = source(list("aabaab"), [0] * 6, list("243015"))
    arrival = np.array([2, 4, 3, 0, 1, 5])

    records = fold(batch, arrival, Concatenated(laws), RecordContext(SCHEMA), CONFIG)

    assert records.column("log").to_pylist() == ["0124", "35"]


@BOTH_WAYS
def test_equal_arrival_numbers_keep_row_order(laws: frozenset[Law]) -> None:
    batch = source(list("aaa"), [0] * 3, list("xyz"))

    records = fold(batch, np.zeros(3, dtype=np.int64), Concatenated(laws), RecordContext(SCHEMA), CONFIG)

    assert records.column("log").to_pylist() == ["xyz"]


def test_rule_deletes_with_the_larger_ordering_and_the_newer_data() -> None:
    records = fold(source(["a", "a", "b"], [5, 3, 1]), None, DeleteBoth(), RecordContext(SCHEMA), CONFIG)

    assert records.operation.tolist() == [Operation.DELETE, Operation.INSERT]
    assert records.column("v").to_pylist() == [3, 1]
    assert [records.ordering.row(i) for i in range(2)] == [(5,), (1,)]


def test_random_histories_equal_a_python_loop() -> None:
    rng = np.random.default_rng(7)
    for _ in range(20):
        keys = [f"k{n}" for n in rng.integers(0, 12, 60)]
        values = rng.integers(0, 5, 60).tolist()
        arrival = rng.permutation(60)
        expected: dict[str, int] = {}
        for row in np.argsort(arrival):
            if keys[row] not in expected or values[row] >= expected[keys[row]]:
                expected[keys[row]] = values[row]

        for laws in (frozenset(), frozenset({Law.ASSOCIATIVE})):
            records = fold(source(keys, values), arrival, Largest(laws), RecordContext(SCHEMA), CONFIG)
            assert folded(records) == expected


def test_hot_key_folds_as_a_tree_where_the_law_allows() -> None:
    """Ten thousand versions of one key among a hundred thousand other keys need 14 calls of the rule."""
    keys = ["hot"] * 10_000 + [f"k{n}" for n in range(100_000)]
    calls = 0

    @frozen
    class Counting:
        laws = frozenset({Law.ASSOCIATIVE})

        def merge(self, older: Records, newer: Records, context: RecordContext, config: MergerConfig) -> Outcome:
            nonlocal calls
            calls += 1
            return Outcome.take_where(newer.ordering.compare(older.ordering) >= 0)

    records = fold(source(keys, list(range(len(keys)))), None, Counting(), RecordContext(SCHEMA), CONFIG)

    assert calls == 14
    assert folded(records)["hot"] == 9_999


def test_hot_key_warns_where_the_law_is_not_claimed() -> None:
    with pytest.warns(HotKeyWarning, match="key 'hot' has 1500 versions"):
        fold(source(["hot"] * 1500, [0] * 1500), None, Largest(), RecordContext(SCHEMA), CONFIG)


def test_no_repeated_key_never_calls_the_rule() -> None:
    class Never:
        laws: frozenset[Law] = frozenset()

        def merge(self, *_: object) -> Outcome:
            raise AssertionError("called")

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        records = fold(source(["a", "b"], [1, 2]), None, Never(), RecordContext(SCHEMA), CONFIG)

    assert folded(records) == {"a": 1, "b": 2}
