"""The merger `sequence-group`: groups of columns, each with its own sequence."""

import itertools
import random
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
import pytest
from attrs import frozen

from hoodoo.errors import OptionError, SchemaError
from hoodoo.merge import Rule
from hoodoo.merge.fold import fold
from hoodoo.plugin import default_catalogue
from hoodoo.record import Law, MergerConfig, RecordContext
from hoodoo.testing import MergerSuite
from hoodoo.testing.cases import delete, flagged, merged

NAME = "sequence-group"
SCHEMA = {"id": "string", "a": "int?", "g": "int?", "b": "int?", "h": "int?", "v": "string?"}
GROUPS = {"g": ["a"], "h": ["b"]}
OPTIONS: dict[str, Any] = {"schema": SCHEMA, "ordering": "", "sequence_groups": GROUPS}
ROWS = [
    {"id": "1", "a": 1, "g": 1, "v": "x"},
    {"id": "1", "a": 2, "g": 2, "b": 1, "h": 1},
    {"id": "1", "b": 5, "h": 5},
]
TOGETHER = {"id": "1", "a": 2, "g": 2, "b": 5, "h": 5, "v": "x"}


class TestSequenceGroup(MergerSuite):
    """Contract of a merger, without deletes: a key-only delete splits a history."""

    plugin = NAME
    differences = ()
    options: ClassVar = {"sequence_groups": {"g": ["v"], "h": ["w"]}, "fields": {"w": {"agg": "sum"}}}
    columns: ClassVar = {"v": "string", "g": "long", "w": "long", "h": "int"}
    values: ClassVar = {"w": [None, 1, 2, 3]}
    ordering = ()
    deletes = False


def test_deletes_empty_groups_in_logs_as_in_batches() -> None:
    class Deletes(MergerSuite):
        plugin = NAME
        options: ClassVar = {"sequence_groups": {"g": ["v"], "h": ["w"]}, "fields": {"w": {"agg": "sum"}}}
        columns: ClassVar = {"v": "string", "g": "long", "w": "long", "h": "int"}
        values: ClassVar = {"w": [None, 1, 2, 3]}
        ordering = ()

    Deletes().test_a_delete_in_a_log_decides_as_in_a_batch()


@pytest.mark.parametrize("mode", ["batch", "log", "commits"])
def test_groups_converge_in_any_arrival_order(mode: str) -> None:
    for history in itertools.permutations(ROWS):
        assert merged("merger", NAME, history, mode=mode, **OPTIONS) == TOGETHER


def test_equal_sequences_go_to_the_newer_and_a_null_leaves_the_group_alone() -> None:
    assert merged("merger", NAME, [{"id": "1", "a": 9, "g": 2}], stored=TOGETHER, **OPTIONS) == {**TOGETHER, "a": 9}
    assert merged("merger", NAME, [{"id": "1", "a": 9, "g": None}], stored=TOGETHER, **OPTIONS) == TOGETHER


def test_a_group_can_be_set_to_null() -> None:
    assert "a" not in merged("merger", NAME, [{"id": "1", "a": None, "g": 3}], stored=TOGETHER, **OPTIONS)  # type: ignore[operator]


def test_several_sequence_columns_compare_as_a_tuple() -> None:
    options: ClassVar = {**OPTIONS, "sequence_groups": {"g,h": ["a", "b"]}}
    stored = {"id": "1", "g": 1, "h": 5, "a": 1, "b": 1}
    late, later = {**stored, "h": 4, "a": 2}, {**stored, "g": 2, "h": 0, "a": 2}

    assert merged("merger", NAME, [late], stored=stored, **options) == stored
    assert merged("merger", NAME, [later], stored=stored, **options) == later


def test_a_delete_empties_the_groups_whose_sequence_it_carries() -> None:
    gone = flagged({"id": "1", "a": 2, "g": 3, "b": 5, "h": 4, "v": "y"})

    assert merged("merger", NAME, [gone], stored=TOGETHER, **OPTIONS) == {"id": "1", "g": 3, "b": 5, "h": 5, "v": "x"}


def test_a_delete_before_its_row_is_remembered_by_its_sequence() -> None:
    """The values of the delete do not reappear with a later row."""
    gone = flagged({"id": "1", "a": 7, "g": 3, "v": "y"})
    row = {"id": "1", "a": 2, "g": 2, "b": 1, "h": 1}

    assert merged("merger", NAME, [gone, row], mode="log", **OPTIONS) == {"id": "1", "g": 3, "b": 1, "h": 1}
    assert merged("merger", NAME, [gone], **OPTIONS) is None


def test_a_key_only_delete_removes_the_row() -> None:
    assert merged("merger", NAME, [delete("1")], stored=TOGETHER, **OPTIONS) is None
    assert merged("merger", NAME, [ROWS[0], delete("1"), ROWS[2]], mode="log", **OPTIONS) == ROWS[2]


def test_remove_on_removes_the_row_where_the_delete_carries_the_sequence() -> None:
    options: ClassVar = {**OPTIONS, "remove_on": "h"}
    removing, late, other = ({"id": "1", "h": 6}, {"id": "1", "h": 4}, {"id": "1", "g": 9})

    assert merged("merger", NAME, [flagged(removing)], stored=TOGETHER, **options) is None
    assert merged("merger", NAME, [flagged(late)], stored=TOGETHER, **options) == TOGETHER
    assert merged("merger", NAME, [flagged(other)], stored=TOGETHER, **options) == {
        "id": "1",
        "g": 9,
        "b": 5,
        "h": 5,
        "v": "x",
    }
    assert merged("merger", NAME, [ROWS[1], flagged(removing), ROWS[2]], mode="log", **options) == ROWS[2]


@pytest.mark.parametrize("mode", ["batch", "log", "commits"])
def test_ignored_deletes_change_nothing(mode: str) -> None:
    history = [flagged({"id": "1", "g": 9, "a": 9}), *ROWS, delete("1"), flagged({"id": "1", "h": 9})]

    assert merged("merger", NAME, history, mode=mode, ignore_delete=True, **OPTIONS) == TOGETHER


def test_functions_add_up_in_order_of_the_sequence() -> None:
    options: ClassVar = {**OPTIONS, "fields": {"a": {"agg": "first_value"}, "b": {"agg": "sum"}}}
    rows = [
        {"id": "1", "a": 20, "g": 2, "b": 1, "h": 2},
        {"id": "1", "a": 30, "g": 3, "b": 1, "h": 3},
        {"id": "1", "a": 10, "g": 1, "b": 1, "h": 1},
    ]

    assert merged("merger", NAME, rows, mode="log", **options) == {"id": "1", "a": 10, "g": 3, "b": 3, "h": 3}

    stored, gone = {"id": "1", "b": 5, "h": 2}, flagged({"id": "1", "b": 1, "h": 1})

    assert merged("merger", NAME, [gone], stored=stored, **options) == {**stored, "b": 4}


@frozen
class _Unclaimed:
    merger: Any
    laws = frozenset[Law]()

    def merge(self, *arguments: Any) -> Any:
        return self.merger.merge(*arguments)


@pytest.mark.parametrize("fields", [{}, {"a": {"agg": "sum"}, "b": {"agg": "max", "ignore_retract": True}}])
def test_regrouping_changes_nothing(fields: dict[str, Any]) -> None:
    """Rows and deletes have the same result whether they are folded as a tree or one after the other."""
    merger = default_catalogue().make("merger", NAME, {"sequence_groups": GROUPS, "fields": fields})
    rule = Rule.of_merger(merger, NAME, MergerConfig(("id",)))
    chance = random.Random(5)
    small = [None, 1, 2, 3]
    rows = [
        {"id": str(key), **{name: chance.choice(small) for name in "agbh"}}
        for key in range(500)
        for _ in range(chance.randint(2, 6))
    ]
    types = [pa.string(), *[pa.int64()] * 4]
    table = pa.Table.from_pylist(rows, pa.schema(list(zip(["id", *"agbh"], types, strict=True))))
    deletes = np.array([chance.random() < 0.3 for _ in rows])
    source = rule.incoming(table, table.schema, table["id"].combine_chunks(), deletes)

    grouped, linear = (
        fold(source, None, one, RecordContext(table.schema), rule.config)
        for one in (rule.batch, _Unclaimed(rule.batch))
    )

    live = ~linear.is_delete
    assert Law.ASSOCIATIVE in merger.laws
    assert grouped.is_delete.tolist() == linear.is_delete.tolist()
    for name in "agbh":
        assert grouped.column(name).filter(pa.array(live)).equals(linear.column(name).filter(pa.array(live))), name


def test_claims_shrink_with_the_options() -> None:
    """`remove_on`, and a function that depends on the order of values, each remove the law ASSOCIATIVE."""
    make = default_catalogue().make
    ordered = make("merger", NAME, {"sequence_groups": GROUPS, "fields": {"a": {"agg": "first_value"}}})
    removing = make("merger", NAME, {"sequence_groups": GROUPS, "remove_on": ["g"]})

    assert ordered.laws == removing.laws == {Law.IDEMPOTENT, Law.REPLAY_SAFE}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"sequence_groups": {"g": ["a"], "h": ["a"]}}, "names a more than once"),
        ({"sequence_groups": {"g": ["h"], "h": ["b"]}}, "names h more than once"),
        ({"sequence_groups": GROUPS, "fields": {"v": {"agg": "sum"}}}, "in none: v"),
        ({"sequence_groups": GROUPS, "remove_on": ["a"]}, "these are not: a"),
    ],
)
def test_groups_that_contradict_each_other_are_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(OptionError, match=words):
        default_catalogue().make("merger", NAME, options)


def test_a_table_whose_columns_do_not_fit_is_refused() -> None:
    schema = pa.schema([("id", pa.string()), ("price", pa.int64()), ("note", pa.string()), ("g", pa.int64())])

    def check(columns: list[str], **fields: Any) -> None:
        options = {"sequence_groups": {"g": columns}, "fields": fields}
        default_catalogue().make("merger", NAME, options).check(schema, MergerConfig(record_key=("id",)))

    check(["price", "note"], price={"agg": "sum"})
    with pytest.raises(SchemaError, match=r"no column 'prise', which .* names; did you mean 'price'\?"):
        check(["prise"])
    with pytest.raises(SchemaError, match="'sum' takes a number, and column 'note' is string"):
        check(["note"], note={"agg": "sum"})


def test_a_sequence_column_that_the_table_lacks_is_named() -> None:
    with pytest.raises(OptionError, match="column 'k' of merger 'sequence-group' is not a column of the table"):
        merged("merger", NAME, ROWS, **{**OPTIONS, "sequence_groups": {"k": ["a"]}})
