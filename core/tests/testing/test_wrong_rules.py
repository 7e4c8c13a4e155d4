"""Rules that are wrong in one way each, and the test of the kit that says so."""

from __future__ import annotations

from typing import Any

import pytest

from hoodoo.record import Law
from hoodoo.testing import Difference, MergerSuite, Path, PayloadSuite

from .wrong import Install, made, message

pytestmark = pytest.mark.slow


def suite(name: str, base: type = MergerSuite, **attributes: Any) -> Any:
    """Return a suite, for mergers by default."""
    return made(base, name, **attributes)


def merger(body: str, laws: str = "Law.REPLAY_SAFE") -> str:
    lines = "\n".join(f"        {line}" for line in body.strip().splitlines())
    return (
        f"@frozen\nclass Rule:\n    laws = frozenset({{{laws}}})\n\n"
        f"    def merge(self, older, newer, context, config):\n{lines}\n"
    )


TAKE = "return Outcome.all(Choice.TAKE, len(newer))"
PATCH = "return Outcome(np.ones(len(newer), np.int8), {{{!r}: {}}})".format
TEXT = 'pc.binary_join_element_wise(older.column("v"), newer.column("v"), "")'
NUMBER = 'pc.{}(newer.column("w"), pc.fill_null(older.column("w"), 0))'.format


@pytest.mark.parametrize(
    ("law", "body"),
    [
        ("IDEMPOTENT", PATCH("v", TEXT)),
        ("REPLAY_SAFE", PATCH("w", NUMBER("add"))),
        ("ASSOCIATIVE", PATCH("w", NUMBER("subtract"))),
        ("ORDER_INDEPENDENT", TAKE),
        ("DELETE_STICKY", TAKE),
        ("ORDERING_IS_MAX", TAKE),
        ("SCHEMA_LOCAL", PATCH("w", "pa.array([1] * len(newer))")),
        ("DEDUPE_IS_COMBINE", PATCH("w", NUMBER("subtract"))),
    ],
)
def test_a_claimed_law_that_does_not_hold(install: Install, law: str, body: str) -> None:
    """The message names the law, the versions and what came out."""
    text = message(suite(install(merger(body, f"Law.{law}"))).test_law, Law[law])

    assert f"merger 'made-0' claims {law}, and it does not hold: {Law[law].value}" in text
    assert "    a " in text
    assert " gives  " in text


def test_the_counterexample_is_shown(install: Install) -> None:
    """The versions as merge vectors spell them, and what came out of both sides."""
    text = message(suite(install(merger(TAKE, "Law.ORDERING_IS_MAX"))).test_law, Law.ORDERING_IS_MAX)

    assert text.splitlines()[2:] == [
        "    a              {'w': 1, 'ts': 1}",
        "    b              {'w': 1, 'ts': 0}",
        "    c              {'w': 1, 'ts': 0}",
        "    m(a, b) gives  {'ts': 0, 'w': 1}",
        "    instead of     the larger ordering of both",
        "",
        "4608 of 13824 combinations break it. Change the rule, or remove the claim.",
    ]


def test_a_law_that_columns_of_one_type_break(install: Install) -> None:
    """Nothing is wrong with the columns of the small domain."""
    source = """
    @frozen
    class Rule:
        laws = frozenset({Law.IDEMPOTENT})

        def merge(self, older, newer, context, config):
            lists = [field for field in context.schema if pa.types.is_list(field.type)]
            patch = {field.name: pa.nulls(len(newer), field.type) for field in lists}
            return Outcome(np.ones(len(newer), np.int8), patch)
    """
    made = suite(install(source))

    made.test_law(Law.IDEMPOTENT)
    assert "claims IDEMPOTENT" in message(made.test_laws_hold_for_columns_of_all_types)


def test_a_law_that_holds_and_is_not_claimed_is_no_fault(install: Install) -> None:
    made = suite(install(merger(TAKE)))

    made.test_claims_laws()
    made.test_laws_hold_for_columns_of_all_types()


def test_a_payload_that_does_not_agree_with_itself(install: Install) -> None:
    """In a batch the greater ordering value wins, against storage the later write."""
    source = """
    @frozen
    class Rule:
        laws = frozenset({Law.DEDUPE_IS_COMBINE, Law.ASSOCIATIVE})

        def pre_combine(self, older, newer, context, config):
            return Outcome.take_where(newer.ordering.compare(older.ordering) >= 0)

        def combine_and_get_update_value(self, stored, incoming, context, config):
            return Outcome.all(Choice.TAKE, len(incoming))

        def get_insert_value(self, incoming, context, config):
            return Outcome.all(Choice.TAKE, len(incoming))
    """
    made = suite(install(source, "payload"), PayloadSuite)

    assert "claims DEDUPE_IS_COMBINE" in message(made.test_law, Law.DEDUPE_IS_COMBINE)
    assert "another row on path 'batch'" in message(made.test_paths_agree)
    made.test_law(Law.ASSOCIATIVE)


def test_associativity_of_a_payload_is_asked_of_its_batch_too(install: Install) -> None:
    """It is the batch that the core regroups."""
    source = """
    @frozen
    class Rule:
        laws = frozenset({Law.ASSOCIATIVE})

        def pre_combine(self, older, newer, context, config):
            return Outcome(np.ones(len(newer), np.int8), {"w": pc.subtract(newer.column("w"), older.column("w"))})

        def combine_and_get_update_value(self, stored, incoming, context, config):
            return Outcome.all(Choice.TAKE, len(incoming))

        def get_insert_value(self, incoming, context, config):
            return Outcome.all(Choice.TAKE, len(incoming))
    """
    made = suite(install(source, "payload"), PayloadSuite)

    assert "claims ASSOCIATIVE" in message(made.test_law, Law.ASSOCIATIVE)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return Outcome(np.ones(len(newer) + 1, np.int8))", "must return one choice for each of "),
        (PATCH("v", "pa.array([1] * len(newer))"), "patched column 'v' with type int64; the table has string"),
        (PATCH("other", "newer.column('v')"), "patched column 'other', which the table does not have"),
        ("return older", "must return an Outcome, got Records"),
        ("return 1 / 0", "raised ZeroDivisionError"),
    ],
)
def test_answers_that_do_not_fit(install: Install, body: str, expected: str) -> None:
    assert expected in message(suite(install(merger(body))).test_answers_fit_the_table)


@pytest.mark.parametrize(
    "body",
    [
        "return Outcome.take_where(np.arange(len(newer)) % 2 == 0)",
        "return Outcome.take_where(np.full(len(newer), len(newer) > 1))",
        "return Outcome.take_where(newer.ordering.compare(newer.ordering.take(np.zeros(len(newer), int))) >= 0)",
    ],
)
def test_an_answer_that_depends_on_other_rows(install: Install, body: str) -> None:
    text = message(suite(install(merger(body))).test_keys_do_not_see_each_other)

    assert "gives another row" in text
    assert "all keys at once" in text


def test_an_answer_that_chance_decides(install: Install) -> None:
    body = "return Outcome.take_where(np.array([random.random() < 0.5 for _ in range(len(newer))], dtype=bool))"

    assert "gives another row the second time" in message(
        suite(install(merger(body))).test_same_input_gives_same_answer
    )


def test_an_answer_that_depends_on_what_the_instance_has_seen(install: Install) -> None:
    source = """
    @define
    class Rule:
        seen = field(factory=set, init=False)
        laws = frozenset({Law.REPLAY_SAFE})

        def merge(self, older, newer, context, config):
            take = ~np.isin(newer.keys.to_numpy(zero_copy_only=False), list(self.seen))
            self.seen |= set(newer.keys.to_pylist())
            return Outcome.take_where(take)
    """

    assert "gives another row" in message(suite(install(source)).test_same_input_gives_same_answer)


@pytest.mark.parametrize(
    ("body", "changed"),
    [
        ("newer.rows[:] = 0", "read-only"),
        ("newer.source.operation.flags.writeable = True\nnewer.source.operation[:] = 3", "operation"),
        ("older.deleted = np.ones(len(older), dtype=bool)", "operation"),
        ("older.patches = {'v': newer.column('v')}", "column 'v'"),
    ],
)
def test_a_changed_input(install: Install, body: str, changed: str) -> None:
    text = message(suite(install(merger(f"{body}\n{TAKE}"))).test_input_is_not_changed)

    assert "changes its input" in text
    assert changed in text


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("return Outcome.take_where(np.array([key >= '' for key in newer.keys.to_pylist()]))", "UnicodeDecodeError"),
        ("newer.column('v').to_pylist()\n" + TAKE, "UnicodeDecodeError"),
        ("newer.column('v').to_numpy(zero_copy_only=False)\n" + TAKE, "a column was converted to Python objects"),
        ("return Outcome.take_where(np.array([w != 7 for w in newer.column('w').to_pylist()]))", "lines of Python"),
        ("for row in range(len(newer)):\n    pass\n" + TAKE, "lines of Python"),
    ],
)
def test_a_rule_that_works_row_by_row(install: Install, body: str, found: str) -> None:
    text = message(suite(install(merger(body))).test_runs_vectorised)

    assert "works row by row" in text
    assert found in text


def test_a_vectorised_rule_is_no_such(install: Install) -> None:
    suite(install(merger(PATCH("v", TEXT)))).test_runs_vectorised()


def test_a_rule_that_patches_its_ordering_column(install: Install) -> None:
    text = message(
        suite(install(merger(PATCH("ts", "older.column('ts')")))).test_ordering_columns_hold_the_ordering_value
    )

    assert "ordering column 'ts' is not its ordering value" in text


def test_a_rule_that_needs_more_than_it_says(install: Install) -> None:
    body = "return Outcome.take_where(np.asarray(pc.fill_null(pc.equal(newer.column('w'), 1), False)))"
    source = merger(body) + "\n    def needs(self, schema, config):\n        return ()\n"

    first, second, *_ = message(suite(install(source)).test_needs_are_enough).splitlines()
    assert "it uses column 'w' of the table, which was not read because the method `needs` does not name it" in first
    assert "made_0.py" in second
    assert "in merge; keys such as '" in second


def test_a_rule_that_looks_for_columns_and_needs_more_than_it_says(install: Install) -> None:
    """It does not ask for the values of the column."""
    source = merger("return Outcome.all(Choice.TAKE if 'w' in newer.schema.names else Choice.KEEP, len(newer))")
    source += "\n    def needs(self, schema, config):\n        return ()\n"

    assert "a read of all columns" in message(suite(install(source)).test_needs_are_enough)


def test_a_rule_that_disagrees_with_its_row_form(install: Install) -> None:
    source = """
    class Rule(RowMerger):
        laws = frozenset({Law.REPLAY_SAFE})

        def merge(self, older, newer, context, config):
            return older
    """
    row_form = install(source)
    from importlib import import_module

    made = suite(install(merger(TAKE)), row_form=import_module(row_form.replace("-", "_")).Rule)

    assert "gives another row the row form than the plugin" in message(made.test_agrees_with_its_row_form)


def test_a_rule_without_laws(install: Install) -> None:
    name = install(merger(TAKE, ""))

    assert "claims no laws" in message(suite(name).test_claims_laws)
    assert "claims no laws" in message(suite(name, claims_no_laws=" ").test_claims_laws)
    suite(name, claims_no_laws="it merges by the phase of the moon").test_claims_laws()


FORGETS = Difference("merger", "made-0", Path.COMMITS, frozenset({"a delete", "a late version"}), "storage forgets")


def test_a_difference_between_paths_that_is_not_listed(install: Install) -> None:
    """Storage keeps no tombstone: that is inherent, and once differences are listed it has to be among them."""
    body = "return Outcome.take_where(newer.ordering.compare(older.ordering) >= 0)"
    name = install(merger(body, "Law.ASSOCIATIVE"))

    suite(name).test_paths_agree()
    text = message(suite(name, differences=()).test_paths_agree)
    assert "another row on path " in text
    assert "traits" in text
    assert "'compacted'" in message(suite(name, differences=(FORGETS,), deletes=True).test_paths_agree)


SCORES = """
ours, theirs = (Ordering.of(["w"], [side.column("w")], len(side)) for side in (newer, older))
return Outcome.take_where({})
"""


def test_a_deleted_row_that_a_log_brings_back(install: Install) -> None:
    """The version after a delete replaces it, is merged with the deleted row, and loses. The rule claims no law."""
    back = install(merger(SCORES.format("newer.is_delete | older.is_delete | (ours.compare(theirs) >= 0)")))
    gone = install(merger(SCORES.format("newer.is_delete | (~older.is_delete & (ours.compare(theirs) >= 0))")))

    text = message(suite(back).test_paths_agree)
    assert "gives another row on path " in text
    assert "'$delete': True" in text or "'$flagged': True" in text
    suite(gone).test_paths_agree()
    suite(back).test_unconditional_delete_removes_the_row()


def test_a_delete_that_is_judged_by_columns_which_a_log_does_not_keep(install: Install) -> None:
    body = SCORES.format("ours.compare(theirs) >= 0")

    assert "on path 'log'" in message(suite(install(merger(body))).test_paths_agree)


def test_a_delete_without_ordering_value_that_changes_nothing(install: Install) -> None:
    text = message(
        suite(
            install(merger("return Outcome.take_where(newer.ordering.compare(older.ordering) >= 0)"))
        ).test_unconditional_delete_removes_the_row
    )

    assert "keeps a row that was deleted without an ordering value, on path 'commits'" in text
    assert "@replaces('reason')" in text


def test_paths_that_nothing_is_said_about(install: Install) -> None:
    """The message for an untested path states the reason and what to do."""
    source = """
    @frozen
    class Rule:
        laws = frozenset({Law.REPLAY_SAFE})

        def pre_combine(self, older, newer, context, config):
            return Outcome.all(Choice.TAKE, len(newer))

        def combine_and_get_update_value(self, stored, incoming, context, config):
            return Outcome.all(Choice.TAKE, len(incoming))

        def get_insert_value(self, incoming, context, config):
            return Outcome.all(Choice.TAKE, len(incoming))
    """
    for tests in (suite(install(source, "payload"), PayloadSuite), suite(install(merger(TAKE)), deletes=False)):
        with pytest.raises(pytest.skip.Exception, match=r"not tested because no law .* set `differences = \[\]`"):
            tests.test_paths_agree()


def test_a_listed_difference_that_never_occurs(install: Install) -> None:
    made = suite(install(merger(TAKE)), differences=(FORGETS,))

    assert "does not have a listed difference" in message(made.test_listed_differences_occur)


ENTRY = {"family": "merger", "rule": "made-0", "path": Path.COMMITS, "when": FORGETS.when, "reason": "it forgets"}


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"path": Path.ONE_BY_ONE}, "its path is <Path.ONE_BY_ONE: 'one by one'>, and no such path is compared"),
        ({"path": "log"}, "its path is 'log', and no such path is compared"),
        ({"rule": "made-1"}, "it is of merger 'made-1', and the test is of merger 'made-0'"),
        ({"family": "payload"}, "it is of payload 'made-0', and the test is of merger 'made-0'"),
        ({"when": frozenset({"deletes"})}, "no history has the trait 'deletes'"),
        ({"when": frozenset()}, "it has no traits, so that it would excuse every history on its path"),
        ({"reason": " "}, "it has no reason"),
    ],
)
def test_a_listed_difference_that_names_nothing_that_was_run(
    install: Install, changed: dict[str, Any], says: str
) -> None:
    """It excuses nothing, and nothing shows it to be wrong."""
    name = install(merger(TAKE))
    listed = suite(name, differences=(Difference(**{**ENTRY, **changed}),))

    for test in (
        listed.test_paths_agree,
        listed.test_listed_differences_occur,
        listed.test_a_delete_in_a_log_decides_as_in_a_batch,
    ):
        text = message(test)
        assert text.startswith("merger 'made-0' lists a difference that is not one: ")
        assert says in text
    assert "it is str; list hoodoo.testing.Difference objects" in message(suite(name, differences="x").test_paths_agree)


@pytest.mark.parametrize(
    ("reasons", "body", "says"),
    [
        ({}, "return Outcome.all(Choice(int(not context.explaining)), len(newer))", "decides differently"),
        ({0: "so"}, TAKE, "has reasons, but gives none"),
        (
            {0: "so"},
            "return Outcome.all(Choice.TAKE, len(newer), np.ones(len(newer), np.int8))",
            "reasons without a sentence",
        ),
    ],
)
def test_reasons_that_are_wrong(install: Install, reasons: dict[int, str], body: str, says: str) -> None:
    source = merger(body).replace("    def merge", f"    reasons = {reasons!r}\n\n    def merge")

    assert says in message(suite(install(source)).test_reasons_change_nothing_and_have_sentences)
