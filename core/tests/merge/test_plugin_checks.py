"""Results of plugins are checked before they are used."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from hoodoo.errors import PluginFault
from hoodoo.merge import Rule
from hoodoo.merge.delete_rules import DeleteJudge
from hoodoo.merge.plugin_checks import GuardedDeleteRule, GuardedKeyGenerator
from hoodoo.plugin import BasePayload
from hoodoo.record import Choice, DeleteContext, KeyConfig, Law, MergerConfig, Outcome, RecordContext, Records

SCHEMA = pa.schema([("id", pa.string()), ("n", pa.int64()), pa.field("must", pa.int64(), nullable=False)])
LABEL = "merger 'mine' (acme 1.0)"


def meet(answer: Any) -> Outcome:
    class Answering:
        laws: frozenset[Law] = frozenset()

        def merge(self, older: Records, newer: Records, context: RecordContext, config: MergerConfig) -> Any:
            return answer(older, newer) if callable(answer) else answer

    rule = Rule.of_merger(Answering(), LABEL, MergerConfig(record_key=("id",)))
    table = pa.table({"id": list("abcd"), "n": [1, 2, 3, 4], "must": [0] * 4}, schema=SCHEMA)
    stored = rule.stored(table, SCHEMA, table["id"].combine_chunks()).records()
    return rule.combine(stored, stored)


def take(length: int = 4) -> np.ndarray[Any, Any]:
    return np.full(length, Choice.TAKE, dtype=np.int8)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (None, "must return an Outcome, got NoneType"),
        (Outcome(take(3)), r"one choice for each of 4 pairs, got an array of shape \(3,\)"),
        (Outcome(np.full(4, 7, dtype=np.int8)), "a choice that is not a Choice"),
        (Outcome(take(), {"x": pa.array([1] * 4)}), "patched column 'x', which the table does not have"),
        (Outcome(take(), {"n": pa.array([1] * 3)}), "patch column 'n' with 4 values, got 3 values"),
        (Outcome(take(), {"n": pa.array(list("abcd"))}), "patched column 'n' with type string; the table has int64"),
        (Outcome(take(), {"must": pa.nulls(4, pa.int64())}), "not nullable, with nulls"),
        (Outcome(take(), {"n": pa.array([1] * 4)}, patched=np.array([True])), "one `patched` flag for each of 4 pairs"),
    ],
)
def test_a_wrong_answer_names_plugin_distribution_and_keys(answer: Any, message: str) -> None:
    with pytest.raises(PluginFault, match=message) as caught:
        meet(answer)

    assert str(caught.value).startswith(LABEL)
    assert "keys such as 'a', 'b', 'c'" in str(caught.value)


class Payload(BasePayload):
    """Payload whose result for a stored and an incoming version is `answer`, or else TAKE; it records each ordering."""

    def __init__(self, answer: Any = None) -> None:
        self.answer, self.orderings = answer, [("",)]

    def pre_combine(self, older: Records, newer: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        return Outcome.all(Choice.TAKE, len(newer))

    def combine_and_get_update_value(
        self, stored: Records, incoming: Records, context: RecordContext, config: MergerConfig
    ) -> Any:
        self.orderings.append(config.ordering)
        return self.answer or Outcome.all(Choice.TAKE, len(incoming))

    def get_insert_value(self, incoming: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        self.orderings.append(config.ordering)
        return Outcome.all(Choice.TAKE, len(incoming))


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("a text", "must return an Outcome, got str"),
        (Outcome(take(1)), r"one choice for each of 2 pairs, got an array of shape \(1,\)"),
        (Outcome(np.ones(2)), "one choice for each of 2 pairs, got an array of shape .* and type float64"),
    ],
)
def test_a_wrong_answer_of_a_payload_between_logs_is_refused_where_a_delete_is_older(answer: Any, message: str) -> None:
    """The payload decides only about the pairs whose older version is not a delete."""
    rule = Rule.of_payload(Payload(answer), LABEL, MergerConfig(record_key=("id",)))
    table = pa.table({"id": list("abacbc"), "n": range(6), "must": [0] * 6}, schema=SCHEMA)
    deletes = np.array([False, True, False, False, False, False])
    logged = rule.incoming(table, SCHEMA, table["id"].combine_chunks(), deletes)
    with pytest.raises(PluginFault, match=message) as caught:
        rule.fold_log(logged)

    assert str(caught.value).startswith(LABEL)
    assert str(caught.value).count(LABEL) == 1
    assert "keys such as 'a', 'c' (2 in this call)" in str(caught.value)


def test_a_payload_has_one_ordering_for_rows_that_are_stored_and_that_are_not() -> None:
    payload = Payload()
    rule = Rule.of_payload(payload, LABEL, MergerConfig(record_key=("id",), ordering=("must",)), ("n",))
    table = pa.table({"id": list("abcd"), "n": [1, 2, 3, 4], "must": [0] * 4}, schema=SCHEMA)
    stored = rule.stored(table, SCHEMA, table["id"].combine_chunks()).records()
    rule.combine(stored, stored)
    rule.insert(stored)

    assert payload.orderings[1:] == [("n",), ("n",)]


def test_a_merger_that_claims_whole_versions_must_not_change_a_column() -> None:
    class Changing:
        laws: frozenset[Law] = frozenset()
        whole_versions = True

        def merge(self, older: Records, newer: Records, context: RecordContext, config: MergerConfig) -> Outcome:
            return Outcome(take(), {"n": newer.column("n")})

    rule = Rule.of_merger(Changing(), LABEL, MergerConfig(record_key=("id",)))
    assert rule.storage.whole_versions
    table = pa.table({"id": list("abcd"), "n": [1, 2, 3, 4], "must": [0] * 4}, schema=SCHEMA)
    stored = rule.stored(table, SCHEMA, table["id"].combine_chunks()).records()
    with pytest.raises(PluginFault, match=r"claims whole_versions, and changed column 'n'; .*\n.*'a', 'b', 'c'"):
        rule.combine(stored, stored)


def incoming(answer: Any, columns: tuple[str, ...] = ("id", "n", "must"), *, has_data: bool = True) -> pa.Table:
    """Return the incoming rows of a merger whose method `prepare` returns `answer`."""

    class Preparing:
        laws: frozenset[Law] = frozenset()

        def merge(self, *arguments: Any) -> None: ...

        def prepare(self, rows: Records, config: MergerConfig) -> Any:
            return answer

    rule = Rule.of_merger(Preparing(), LABEL, MergerConfig(record_key=("id",)))
    table = pa.table({"id": list("abcd"), "n": [1, 2, 3, 4], "must": [0] * 4}, schema=SCHEMA)
    keys, mask = table["id"].combine_chunks(), np.full(4, not has_data)
    return rule.incoming(table.select(columns), SCHEMA, keys, mask, ~mask).table


def test_incoming_rows_are_prepared() -> None:
    ones = {"n": pa.array([1] * 4)}

    assert incoming(ones).to_pydict() == {"id": list("abcd"), "n": [1] * 4, "must": [0] * 4}


def test_a_prepared_column_that_the_rows_lack_is_added() -> None:
    """The added column has the type and the nullability that the schema declares."""
    added = incoming({"n": pa.array([1, None, 3, 4])}, ("id",))

    assert added.to_pydict() == {"id": list("abcd"), "n": [1, None, 3, 4]}
    assert added.schema.field("n") == SCHEMA.field("n")


def test_key_only_deletes_get_no_prepared_column() -> None:
    assert incoming({"n": pa.array([1] * 4)}, ("id",), has_data=False).column_names == ["id"]


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (None, "must prepare columns by name, got NoneType"),
        ({"x": pa.array([1] * 4)}, "column 'x', which the table does not have"),
        ({"n": pa.array([1] * 3)}, "column 'n' with 4 values, got 3 values"),
        ({"must": pa.nulls(4, pa.int64())}, "not nullable, with nulls"),
    ],
)
def test_what_is_prepared_is_checked(answer: Any, message: str) -> None:
    with pytest.raises(PluginFault, match=message) as caught:
        incoming(answer)
    assert str(caught.value).startswith(LABEL)


def test_an_exception_names_plugin_distribution_and_keys() -> None:
    def fail(older: Records, newer: Records) -> Outcome:
        raise ZeroDivisionError("oops")

    with pytest.raises(PluginFault, match=r"^merger 'mine' \(acme 1\.0\) raised ZeroDivisionError: oops\n") as caught:
        meet(fail)

    line = fail.__code__.co_firstlineno + 1
    assert str(caught.value).splitlines()[1:] == [
        f"  File \"{__file__}\", line {line}, in fail; keys such as 'a', 'b', 'c' (4 in this call)"
    ]


@pytest.mark.parametrize("part", ["rows", "operation", "has_data", "absent"])
def test_input_cannot_be_changed(part: str) -> None:
    """Arrays that a rule receives are read-only; a rule that writes into one is a fault of the plugin."""

    def mutate(older: Records, newer: Records) -> Outcome:
        target = {
            "rows": newer.rows,
            "operation": newer.source.operation,
            "has_data": newer.source.has_data,
            "absent": newer.ordering.absent,
        }[part]
        target[:] = 0
        return Outcome(take())

    with pytest.raises(PluginFault, match="read-only"):
        meet(mutate)


def test_arrow_columns_are_read_only() -> None:
    def mutate(older: Records, newer: Records) -> Outcome:
        newer.column("n").to_numpy()[:] = 0
        return Outcome(take())

    with pytest.raises(PluginFault, match="read-only"):
        meet(mutate)


@pytest.mark.parametrize(
    ("answer", "advice"),
    [
        (lambda: Outcome(pa.array([True] * 4)), "Outcome.take_where(mask) makes choices of a mask"),
        (lambda: Outcome(np.array([True] * 4)), "Outcome.take_where(mask) makes choices of a mask"),
        (lambda: Outcome.take_where(pa.array([True] * 4)), "pc.fill_null(mask, False).to_numpy(zero_copy_only=False)"),
        (
            lambda: Outcome.take_where(pa.array([True, None] * 2).to_numpy(zero_copy_only=False)),
            "call pc.fill_null(mask, False) before",
        ),
        (lambda: Outcome.take_where([True] * 4), "np.array(mask, dtype=bool)"),
        (
            lambda: Outcome(take(), {"n": pa.array([1] * 4)}, pa.array([True] * 4)),
            "one `patched` flag for each of 4 pairs, got 4 values of type bool (0 null); a mask is a numpy",
        ),
        (lambda: Outcome(take(), patch=[pa.array([1] * 4)]), "arrays by column name, got list"),
    ],
)
def test_a_mask_of_another_kind_gets_the_expression_to_write(answer: Any, advice: str) -> None:
    with pytest.raises(PluginFault) as caught:
        meet(lambda older, newer: answer())

    assert advice in str(caught.value).splitlines()[0]
    assert __file__ in str(caught.value).splitlines()[1]


def test_a_delete_rule_with_an_arrow_mask_gets_the_expression_to_write() -> None:
    class Wrong:
        def is_delete(self, rows: pa.Table, context: DeleteContext) -> Any:
            return pc.equal(rows["n"], 1)

    rule, rows = GuardedDeleteRule(Wrong(), "delete 'mine' (acme 1.0)"), pa.table({"n": [1] * 4})
    with pytest.raises(PluginFault) as caught:
        rule.is_delete(rows, DeleteContext(), pa.array(list("abcd")))

    first, second, *others = str(caught.value).splitlines()
    assert "write pc.fill_null(mask, False).to_numpy(zero_copy_only=False)" in first
    assert f'File "{__file__}", line ' in second
    assert "in is_delete; keys such as 'a', 'b', 'c' (4 in this call)" in second
    assert others == []


@pytest.mark.parametrize("mask", [None, np.array([True]), np.zeros(4), [True] * 4])
def test_a_delete_rule_must_answer_for_every_row(mask: Any) -> None:
    class Wrong:
        def is_delete(self, rows: pa.Table, context: DeleteContext) -> Any:
            return mask

        def drops(self, rows: pa.Table, deletes: Any, context: DeleteContext) -> Any:
            return mask

    rule, rows = GuardedDeleteRule(Wrong(), "delete 'mine' (acme 1.0)"), pa.table({"n": [1] * 4})
    with pytest.raises(PluginFault, match="must return one boolean for each of 4 rows"):
        rule.is_delete(rows, DeleteContext())
    with pytest.raises(PluginFault, match="must return one boolean for each of 4 rows"):
        rule.drops(rows, np.zeros(4, dtype=bool), DeleteContext())


def test_rows_that_one_delete_rule_drops_are_found_by_all() -> None:
    """A rule that drops versions receives the deletes of the following rules as well."""

    class Drops:
        def is_delete(self, rows: pa.Table, context: DeleteContext) -> Any:
            return np.zeros(rows.num_rows, dtype=bool)

        def drops(self, rows: pa.Table, deletes: Any, context: DeleteContext) -> Any:
            return deletes & (rows["n"].to_numpy() > 1)

    class Odd:
        def is_delete(self, rows: pa.Table, context: DeleteContext) -> Any:
            return rows["n"].to_numpy() % 2 == 1

    judge = DeleteJudge(tuple(GuardedDeleteRule(rule, "delete 'mine'") for rule in (Drops(), Odd())), DeleteContext())
    judged = judge.judge(pa.table({"n": [1, 2, 3, 4]}), pa.array(list("abcd")))

    assert judged.rows["n"].to_pylist() == [1, 2, 4]
    assert judged.keys.to_pylist() == ["a", "b", "d"]
    assert judged.deletes.tolist() == [True, False, False]
    assert judged.kept is not None
    assert judged.kept.tolist() == [0, 1, 3]


@pytest.mark.parametrize("keys", [pa.array(["a"]), pa.array([1, 2]), pa.array(["a", None]), ["a", "b"]])
def test_a_key_generator_must_give_strings_for_every_row(keys: Any) -> None:
    class Generator:
        def record_keys(self, rows: pa.Table, config: KeyConfig) -> Any:
            return keys

        def partition_paths(self, rows: pa.Table, config: KeyConfig) -> Any:
            return keys

    generator = GuardedKeyGenerator(Generator(), "keygen 'mine' (acme 1.0)")
    with pytest.raises(PluginFault, match="must return 2 record keys, strings and never null"):
        generator.record_keys(pa.table({"n": [1, 2]}), KeyConfig())
    with pytest.raises(PluginFault, match="must return 2 partition paths"):
        generator.partition_paths(pa.table({"n": [1, 2]}), KeyConfig())


def test_a_fault_of_a_key_generator_shows_the_first_row() -> None:
    class Generator:
        def record_keys(self, rows: pa.Table, config: KeyConfig) -> Any:
            raise KeyError("gone")

        def partition_paths(self, rows: pa.Table, config: KeyConfig) -> Any:
            return pa.array([1, 2])

    generator, rows = GuardedKeyGenerator(Generator(), "keygen 'mine' (acme 1.0)"), pa.table({"id": [7, 8]})
    with pytest.raises(PluginFault) as caught:
        generator.record_keys(rows, KeyConfig(("id",)))
    assert str(caught.value).splitlines()[1].endswith("in record_keys; rows such as id=7 (2 in this call)")
    with pytest.raises(PluginFault) as caught:
        generator.partition_paths(rows, KeyConfig(("id",)))
    assert str(caught.value).splitlines()[1].endswith("in partition_paths; rows such as id=7 (2 in this call)")


@pytest.mark.parametrize("reason", [take(3), [1, 1, 1, 1], np.ones(4)])
def test_reasons_are_one_integer_per_pair(reason: Any) -> None:
    with pytest.raises(PluginFault, match="must return one reason for each of 4 pairs, or none"):
        meet(Outcome(take(), reason=reason))
