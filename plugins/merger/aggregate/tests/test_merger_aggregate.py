"""The merger `aggregate`: every column is merged by its own function, and deletes subtract their values."""

import random
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
import pytest
from attrs import frozen

from hoodoo.errors import DataError, SchemaError, UnknownPlugin
from hoodoo.merge import Rule
from hoodoo.merge.fold import fold
from hoodoo.plugin import default_catalogue
from hoodoo.record import Law, MergerConfig, Operation, RecordContext
from hoodoo.testing import MergerSuite
from hoodoo.testing.cases import delete, flagged, merged

SCHEMA = {"id": "string", "x": "long?", "s": "string?", "l": "array<string>"}
FIELDS = {"x": {"agg": "sum"}, "s": {"agg": "listagg", "ignore_retract": True}, "l": {"agg": "collect"}}
OPTIONS: dict[str, Any] = {"schema": SCHEMA, "ordering": "", "fields": FIELDS}
ROWS = [
    {"id": "1", "x": 1, "s": "a", "l": ["p"]},
    {"id": "1", "x": 20, "s": "b", "l": ["q", "p"]},
    {"id": "1", "x": 300},
]


class TestAggregate(MergerSuite):
    """Contract of a merger, without deletes: a key-only delete splits a history, and `listagg` cannot subtract."""

    plugin = "aggregate"
    differences = ()
    options: ClassVar = {"fields": {"v": {"agg": "listagg"}, "w": {"agg": "sum"}}, "default_agg": "last_value"}
    values: ClassVar = {"w": [None, 1, 2, 3]}
    deletes = False


def test_deletes_take_back_in_logs_what_they_take_back_in_batches() -> None:
    class Deletes(MergerSuite):
        plugin = "aggregate"
        options: ClassVar = {"fields": {"v": {"agg": "last_value"}, "w": {"agg": "sum"}}}
        values: ClassVar = {"w": [None, 1, 2, 3]}

    Deletes().test_a_delete_in_a_log_decides_as_in_a_batch()


@pytest.mark.parametrize("mode", ["batch", "log", "commits"])
def test_columns_add_up(mode: str) -> None:
    total = {"id": "1", "x": 321, "s": "a,b", "l": ["p", "q", "p"]}

    assert merged("merger", "aggregate", ROWS, mode=mode, **OPTIONS) == total
    assert merged("merger", "aggregate", ROWS[1:], stored=ROWS[0], mode=mode, **OPTIONS) == total


def test_a_delete_with_data_takes_its_values_back() -> None:
    back = flagged({"id": "1", "x": 1, "s": "a", "l": ["p"]})

    assert merged("merger", "aggregate", [*ROWS, back], mode="log", **OPTIONS) == {
        "id": "1",
        "x": 320,
        "s": "a,b",
        "l": ["q", "p"],
    }


def test_what_comes_back_before_it_came_is_remembered_in_a_sum() -> None:
    """Two retractions of one batch are combined, and nothing is written without a row."""
    back = [flagged({"id": "1", "x": 1}), flagged({"id": "1", "x": 20})]

    assert merged("merger", "aggregate", back, stored={"id": "1", "x": 300}, **OPTIONS) == {"id": "1", "x": 279}
    assert merged("merger", "aggregate", [*back, {"id": "1", "x": 5}], **OPTIONS) == {"id": "1", "x": -16}
    assert merged("merger", "aggregate", back, **OPTIONS) is None


def test_a_key_only_delete_removes_the_row() -> None:
    assert merged("merger", "aggregate", [delete("1")], stored=ROWS[0], **OPTIONS) is None
    assert merged("merger", "aggregate", [ROWS[0], delete("1"), ROWS[2]], mode="log", **OPTIONS) == ROWS[2]
    assert merged("merger", "aggregate", [delete("1"), flagged(ROWS[1])], stored=ROWS[0], **OPTIONS) is None


def test_a_delete_that_a_function_cannot_take_back_is_refused() -> None:
    with pytest.raises(DataError, match="'max' of column 'x' cannot") as refusal:
        merged(
            "merger", "aggregate", [flagged(ROWS[0])], stored=ROWS[0], **{**OPTIONS, "fields": {"x": {"agg": "max"}}}
        )

    assert refusal.value.code == "retract_unsupported"


@pytest.mark.parametrize("mode", ["batch", "log", "commits"])
def test_the_greatest_ordering_value_stays_whatever_the_default(mode: str) -> None:
    """Key and ordering columns are not aggregated; values still add up in order of arrival."""
    rows = [{"id": "1", "ts": 5, "v": "a"}, {"id": "1", "ts": 3, "v": "b"}]

    for default, v in (("last_value", "b"), ("first_value", "a"), ("listagg", "a,b")):
        assert merged("merger", "aggregate", rows, mode=mode, default_agg=default) == {"id": "1", "ts": 5, "v": v}


def test_columns_without_a_function_keep_their_last_value_that_is_not_null() -> None:
    assert merged("merger", "aggregate", ROWS, schema=SCHEMA, ordering="") == {**ROWS[1], "x": 300}


def test_options_are_refused_with_the_column() -> None:
    with pytest.raises(UnknownPlugin, match=r"column 'x' .*: no aggregate function named 'summ' is installed"):
        default_catalogue().make("merger", "aggregate", {"fields": {"x": {"agg": "summ"}}})
    with pytest.raises(SchemaError, match="'sum' takes a number, and column 's' is string"):
        merged("merger", "aggregate", ROWS[:2], **{**OPTIONS, "fields": {"s": {"agg": "sum"}}})


def test_a_table_whose_columns_do_not_fit_is_refused() -> None:
    """The functions of key and ordering columns are not checked, because these columns are not aggregated."""
    config = MergerConfig(record_key=("id",), ordering=("ts",))
    schema = pa.schema([("id", pa.string()), ("ts", pa.string()), ("price", pa.int64()), ("note", pa.string())])

    def check(**options: Any) -> None:
        default_catalogue().make("merger", "aggregate", options).check(schema, config)

    check(fields={"price": {"agg": "sum"}, "ts": {"agg": "sum"}})
    with pytest.raises(SchemaError, match=r"no column 'prise', which 'fields' of .* names; did you mean 'price'\?"):
        check(fields={"prise": {"agg": "sum"}})
    with pytest.raises(SchemaError, match=r"no column 'x', .*; use one of id, ts, price, note"):
        check(fields={"x": {"agg": "sum"}})
    with pytest.raises(SchemaError, match="'sum' takes a number, and column 'note' is string"):
        check(default_agg="sum")


def test_options_come_as_text_too() -> None:
    """The option `fields` may be JSON text, because Spark options are strings."""
    merger = default_catalogue().make(
        "merger", "aggregate", {"fields": '{"x": {"agg": "sum", "ignore_retract": "true"}}'}
    )

    assert Law.IDEMPOTENT not in merger.laws


@frozen
class _Unclaimed:
    merger: Any
    laws = frozenset[Law]()

    def merge(self, *arguments: Any) -> Any:
        return self.merger.merge(*arguments)


@pytest.mark.parametrize("agg", ["sum", "last_value", "bool_or", "max", "listagg", "collect", "last_non_null_value"])
def test_regrouping_changes_nothing_where_it_is_claimed(agg: str) -> None:
    """Rows and retractions have the same result whether they are folded as a tree or one after the other."""
    ignore = agg in ("bool_or", "max", "listagg")
    options: ClassVar = {"fields": {"x": {"agg": agg, "ignore_retract": ignore}}, "default_agg": "last-value"}
    rule = Rule.of_merger(default_catalogue().make("merger", "aggregate", options), agg, MergerConfig(("id",)))
    kinds: dict[str, tuple[pa.DataType, list[Any]]] = {
        "bool_or": (pa.bool_(), [True, False, None]),
        "listagg": (pa.string(), ["a", "b,c", "", None]),
        "collect": (pa.list_(pa.int32()), [[1], [2, 1], [], None]),
    }
    type_, values = kinds.get(agg, (pa.int64(), [1, 2, 3, None]))
    chance = random.Random(7)
    rows = [{"id": str(key), "x": chance.choice(values)} for key in range(400) for _ in range(chance.randint(2, 6))]
    table = pa.Table.from_pylist(rows, pa.schema([("id", pa.string()), ("x", type_)]))
    deletes = np.array([chance.random() < 0.3 for _ in rows])
    source = rule.incoming(table, table.schema, table["id"].combine_chunks(), deletes)
    assert set(source.operation) == {Operation.INSERT, Operation.DELETE}

    grouped, linear = (
        fold(source, None, merger, RecordContext(table.schema), rule.config)
        for merger in (rule.batch, _Unclaimed(rule.batch))
    )

    assert grouped.is_delete.tolist() == linear.is_delete.tolist()
    assert grouped.column("x").equals(linear.column("x"))


@pytest.mark.parametrize("mode", ["batch", "log", "commits"])
def test_a_count_counts_values_as_they_come(mode: str) -> None:
    options: dict[str, Any] = {"schema": SCHEMA, "ordering": "", "fields": {"x": {"agg": "count"}}}

    assert merged("merger", "aggregate", [{"id": "1", "x": 50}], mode=mode, **options) == {"id": "1", "x": 1}
    assert merged("merger", "aggregate", [*ROWS, {"id": "1", "x": None}], mode=mode, **options)["x"] == 3  # type: ignore[index]
