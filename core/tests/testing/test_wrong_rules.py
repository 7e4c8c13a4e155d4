"""Rules whose results are wrong in one way each, and the test of the kit that fails."""

from __future__ import annotations

import pytest

from .wrong import PATCH, TAKE, TEXT, Install, merger, message, suite

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return Outcome(np.ones(len(newer) + 1, np.int8))", "must return one choice for "),
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

    assert "ordering column 'ts' differs from its ordering value" in text


def test_a_rule_that_needs_more_than_it_says(install: Install) -> None:
    body = "return Outcome.take_where(np.asarray(pc.fill_null(pc.equal(newer.column('w'), 1), False)))"
    source = merger(body) + "\n    def needs(self, schema, config):\n        return ()\n"

    first, second, *_ = message(suite(install(source)).test_needs_are_enough).splitlines()
    assert "it uses column 'w' of the table, which was not read because the method `needs` does not name it" in first
    assert "made_0.py" in second
    assert "in merge; keys such as '" in second


def test_a_rule_that_looks_for_columns_and_needs_more_than_it_says(install: Install) -> None:
    """A rule is found even if it only looks for the name of a column, and does not read the values of the column."""
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

    assert "gives another row in its row form than as the plugin" in message(made.test_agrees_with_its_row_form)


@pytest.mark.parametrize(
    ("reasons", "body", "says"),
    [
        ({}, "return Outcome.all(Choice(int(not context.explaining)), len(newer))", "makes other decisions"),
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
