"""Deletes that logs keep with their columns: the columns of a rule, the mark of a table, and refused tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from attrs import evolve

from hoodoo.errors import DataError, OptionError, PluginFault, SchemaError
from hoodoo.merge.kept_deletes import KeptDeletes, check_kept_deletes, kept_deletes
from hoodoo.merge.required_columns import needed_columns
from hoodoo.merge.rule_spec import RuleSpec
from hoodoo.plugin.installed.catalogue import default_catalogue
from hoodoo.record import DeleteContext, MergerConfig, Ordering, Records

FLAG = "_hoodie_is_deleted"
RULE = """
from hoodoo.plugin import MergeMode

@frozen
class Rule:
    laws = frozenset()
    keeps_with_deletes = {kept}
    merge_mode = {mode}

    def uses_ordering(self, config):
        return {compares}

    def needs(self, schema, config):
        return ()

    def merge(self, older, newer, context, config):
        return Outcome.all(Choice.TAKE, len(newer))
"""
COLUMNS = {"id": pa.string(), "ts": pa.int64(), "source": pa.string()}
FLAGGED = pa.schema({**COLUMNS, FLAG: pa.bool_()})
MARKED = pa.schema({**COLUMNS, "op": pa.string()})
BOTH = pa.schema({**COLUMNS, FLAG: pa.bool_(), "op": pa.string()})
PLAIN, MARKER = DeleteContext(), DeleteContext("op", "D")

MakeSpec = Callable[..., RuleSpec]


@pytest.fixture
def spec(install: Callable[..., str]) -> MakeSpec:
    """Return a function that returns the spec of a rule, with the columns that it keeps and its delete rules."""

    def make(
        kept: str = '("source",)',
        deletes: tuple[str, ...] = ("any-of",),
        context: DeleteContext = PLAIN,
        compares: bool | str = True,
        mode: str = "None",
    ) -> RuleSpec:
        name = install(RULE.format(kept=kept, compares=compares, mode=mode))
        catalogue = default_catalogue()
        config = MergerConfig(record_key=("id",), ordering=("ts",), delete=context)
        rules = tuple(catalogue.spec("delete", rule, {}) for rule in deletes)
        return RuleSpec("merger", catalogue.spec("merger", name, {}), rules, config, ("ts",))

    return make


def made(spec: RuleSpec, schema: pa.Schema) -> KeptDeletes:
    kept = kept_deletes(spec, schema)
    assert kept is not None
    return kept


@pytest.mark.parametrize(
    ("deletes", "context", "schema", "column", "value"),
    [
        (("any-of",), DeleteContext(), FLAGGED, FLAG, True),
        (("any-of",), MARKER, MARKED, "op", "D"),
        (("any-of",), MARKER, BOTH, FLAG, True),
        (("payload-default",), MARKER, BOTH, "op", "D"),
        (("payload-default",), DeleteContext(), BOTH, FLAG, True),
        (("dms-op", "builtin-flag"), DeleteContext(), FLAGGED, FLAG, True),
    ],
)
def test_the_mark_is_one_that_the_delete_rules_of_the_table_recognize(
    spec: MakeSpec, deletes: tuple[str, ...], context: DeleteContext, schema: pa.Schema, column: str, value: Any
) -> None:
    kept = made(spec(deletes=deletes, context=context), schema)

    assert kept.value is not None
    assert (kept.column, kept.value.as_py()) == (column, value)


@pytest.mark.parametrize(
    ("deletes", "context", "schema"),
    [
        (("none",), DeleteContext(), FLAGGED),
        (("dms-op",), DeleteContext(), FLAGGED),
        (("ignore-delete",), DeleteContext(), FLAGGED),
        (("any-of",), DeleteContext(), pa.schema(COLUMNS)),
        (("any-of",), DeleteContext(), pa.schema({**COLUMNS, FLAG: pa.string()})),
        (("any-of",), DeleteContext("op", "1"), pa.schema({**COLUMNS, "op": pa.int64()})),
        (("any-of",), DeleteContext("op.kind", "D"), pa.schema({**COLUMNS, "op": pa.struct({"kind": pa.string()})})),
    ],
)
def test_other_columns_are_no_mark(
    spec: MakeSpec, deletes: tuple[str, ...], context: DeleteContext, schema: pa.Schema
) -> None:
    assert made(spec(deletes=deletes, context=context), schema).column == ""


def test_a_rule_that_hudi_has_needs_the_flag(spec: MakeSpec) -> None:
    """A rule that Hudi has, too, marks deletes only with the flag; most releases of Hudi recognize no other mark."""
    given = spec(context=MARKER, mode='MergeMode("CUSTOM", "3b0cbd2f-4a5c-5a0c-9f3e-6d1f0e3f9b52")')

    assert made(given, MARKED).column == ""
    assert made(given, BOTH).column == FLAG
    with pytest.raises(OptionError, match=rf"add a boolean column '{FLAG}' .* recognizes it; a copy-on-write table"):
        check_kept_deletes(given, MARKED, in_logs=True)


def test_a_rule_that_reads_no_column_of_a_delete_keeps_none(spec: MakeSpec) -> None:
    assert kept_deletes(spec(kept="()"), FLAGGED) is None


@pytest.mark.parametrize("declared", ["'source'", "['source']", "(1,)", "('',)"])
def test_columns_are_a_tuple_of_names(spec: MakeSpec, declared: str) -> None:
    """A declaration that is not a tuple of names is refused; a text would be read as its letters."""
    with pytest.raises(PluginFault, match=r"merger 'made-0' .* as a tuple of names, such as keeps_with_deletes = "):
        spec(kept=declared).make_rule()


def test_a_read_of_some_columns_has_those_of_deletes(spec: MakeSpec) -> None:
    assert needed_columns(spec(kept="()", deletes=("none",)), FLAGGED) == {"ts"}
    assert needed_columns(spec(deletes=("none",)), FLAGGED) == {"ts", "source"}
    assert needed_columns(spec(kept='("*",)', deletes=("none",)), FLAGGED) == {"ts"}


def records(spec: RuleSpec, schema: pa.Schema = FLAGGED, *, nested: bool = False) -> Records:
    """Return a row, a delete with data, one without ordering value, and a key-only delete."""
    rows = [
        {"id": "row", "ts": 1, "source": "crm", FLAG: None},
        {"id": "flagged", "ts": 2, "source": "web", FLAG: False},
        {"id": "unordered", "ts": None, "source": "web", FLAG: None},
        {"id": "key-only", "ts": 4, "source": None, FLAG: None},
    ]
    table = pa.Table.from_pylist(rows, schema)
    deletes, has_data = np.array([False, True, True, True]), np.array([True, True, True, False])
    rule = evolve(spec.make_rule(), uses_ordering=False)  # a row without ordering value is not refused here
    return rule.incoming(table, schema, table["id"].combine_chunks(), deletes, has_data).records()


def test_deletes_with_data_are_kept_and_unconditional_ones_are_not(spec: MakeSpec) -> None:
    """A delete with data is kept with its columns, unless the rule compares ordering values and the delete has none."""
    comparing, ignoring = spec(), spec(compares=False)

    assert made(comparing, FLAGGED).chosen(records(comparing)).tolist() == [False, True, False, False]
    assert made(ignoring, FLAGGED).chosen(records(ignoring)).tolist() == [False, True, True, False]


def test_a_delete_with_data_is_refused_without_a_mark(spec: MakeSpec) -> None:
    schema = pa.schema(COLUMNS)
    given = spec()

    with pytest.raises(
        DataError, match=r"reads columns of deletes, and 1 record becomes a delete \(keys such as 'flagged'\)"
    ) as error:
        made(given, schema).chosen(records(given, schema))
    assert error.value.code == "kept_deletes"
    assert FLAG in str(error.value)


def test_deletes_get_the_mark_and_rows_keep_their_columns(spec: MakeSpec) -> None:
    given = spec()
    found = made(given, FLAGGED).marked(records(given))

    assert found.column(FLAG).to_pylist() == [None, True, True, True]
    assert found.column("source").to_pylist() == ["crm", "web", "web", None]
    assert found.column("ts").to_pylist() == [1, 2, None, 4]
    rows = records(given).take(np.array([0]))
    assert made(given, FLAGGED).marked(rows) is rows


def test_the_ordering_value_of_a_delete_that_a_rule_made_is_in_its_columns(spec: MakeSpec) -> None:
    """The column `ts` of a kept delete has the ordering value of the delete, which may differ from that of its row."""
    given = spec()
    before = records(given)
    ordering = Ordering.of(("ts",), [pa.array([1, 7, 8, 9], pa.int64())], 4)
    changed = Records(before.source, before.rows, ordering_override=ordering)

    assert made(given, FLAGGED).marked(changed).column("ts").to_pylist() == [1, 7, 8, 9]


def test_the_ordering_value_may_be_in_a_struct(spec: MakeSpec) -> None:
    schema = pa.schema({"id": pa.string(), "at": pa.struct({"ts": pa.int64(), "n": pa.int64()}), FLAG: pa.bool_()})
    given = spec(kept='("*",)')
    given = evolve(given, payload_ordering=("at.ts",), config=evolve(given.config, ordering=("at.ts",)))
    values = [{"ts": 1, "n": 1}, {"ts": 2, "n": 2}, None]
    table = pa.Table.from_pylist([{"id": key, "at": at} for key, at in zip("abc", values, strict=True)], schema)
    gone, data = np.array([False, True, True]), np.ones(3, dtype=bool)
    rule = evolve(given.make_rule(), uses_ordering=False)
    before = rule.incoming(table, schema, table["id"].combine_chunks(), gone, data).records()
    ordering = Ordering.of(("at.ts",), [pa.array([1, 7, 8], pa.int64())], 3)
    changed = Records(before.source, before.rows, ordering_override=ordering)

    found = made(given, schema).marked(changed).column("at").to_pylist()

    assert found == [{"ts": 1, "n": 1}, {"ts": 7, "n": 2}, {"ts": 8, "n": None}]


@pytest.mark.parametrize(
    ("deletes", "schema", "names"),
    [
        (("dms-op",), pa.schema({**COLUMNS, "Op": pa.string()}), ["dms-op", "'Op'"]),
        (("any-of",), pa.schema({**COLUMNS, "_hoodie_operation": pa.string()}), ["any-of", "'_hoodie_operation'"]),
        (("any-of",), pa.schema({**COLUMNS, FLAG: pa.string()}), ["any-of", f"'{FLAG}'"]),
    ],
)
def test_a_table_whose_logs_cannot_keep_the_columns_is_refused(
    spec: MakeSpec, deletes: tuple[str, ...], schema: pa.Schema, names: list[str]
) -> None:
    given = spec(deletes=deletes)

    with pytest.raises(OptionError, match=r"merger 'made-0' .* reads column 'source' of deletes") as refused:
        check_kept_deletes(given, schema, in_logs=True)
    assert refused.value.code == "kept_deletes"
    assert all(name in str(refused.value) for name in [*names, "boolean column", "'delete_field' and 'delete_marker'"])
    check_kept_deletes(given, schema, in_logs=False)


def test_an_error_of_a_method_of_the_rule_names_the_rule(spec: MakeSpec) -> None:
    with pytest.raises(PluginFault, match=r"merger 'made-0' .* raised ZeroDivisionError"):
        check_kept_deletes(spec(compares="1 / 0"), FLAGGED, in_logs=True)


def test_a_table_in_which_nothing_marks_deletes_has_nothing_to_keep(spec: MakeSpec) -> None:
    check_kept_deletes(spec(), pa.schema(COLUMNS), in_logs=True)
    check_kept_deletes(spec(deletes=("none",)), FLAGGED, in_logs=True)


@pytest.mark.parametrize("in_logs", [True, False])
def test_a_column_that_the_table_does_not_have_is_refused(spec: MakeSpec, in_logs: bool) -> None:
    with pytest.raises(SchemaError, match="reads column 'origin' of deletes") as refused:
        check_kept_deletes(spec(kept='("source", "origin")'), FLAGGED, in_logs=in_logs)
    assert refused.value.code == "column_missing"
