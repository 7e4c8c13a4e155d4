"""Rules that claim a law which does not hold, or no law at all, and the message of the kit."""

from __future__ import annotations

import pytest

from hoodoo.record import Law
from hoodoo.testing import PayloadSuite

from .wrong import PATCH, TAKE, TEXT, Install, merger, message, suite

pytestmark = pytest.mark.slow

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
    """The message has the law, the versions and the result for them."""
    text = message(suite(install(merger(body, f"Law.{law}"))).test_law, Law[law])

    assert f"merger 'made-0' claims {law}, and it does not hold: {Law[law].value}" in text
    assert "    a " in text
    assert " gives  " in text


def test_the_counterexample_is_shown(install: Install) -> None:
    """The message has the versions in the notation of merge vectors, the result, and the expected result."""
    text = message(suite(install(merger(TAKE, "Law.ORDERING_IS_MAX"))).test_law, Law.ORDERING_IS_MAX)

    assert text.splitlines()[2:] == [
        "    a              {'w': 1, 'ts': 1}",
        "    b              {'w': 1, 'ts': 0}",
        "    c              {'w': 1, 'ts': 0}",
        "    m(a, b) gives  {'ts': 0, 'w': 1}",
        "    instead of     the larger ordering of both",
        "",
        "It does not hold for 4608 of 13824 combinations. Change the rule, or remove the claim.",
    ]


def test_a_law_that_columns_of_one_type_break(install: Install) -> None:
    """A law that holds for the columns of the small domain, but not for lists, is found."""
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
    """The kit finds that the greater ordering value wins in a batch, but the later write wins against storage."""
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
    """The law must hold for `pre_combine`, too, because the core regroups the versions of a batch."""
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


def test_a_rule_without_laws(install: Install) -> None:
    name = install(merger(TAKE, ""))

    assert "claims no laws" in message(suite(name).test_claims_laws)
    assert "claims no laws" in message(suite(name, claims_no_laws=" ").test_claims_laws)
    suite(name, claims_no_laws="it merges by the phase of the moon").test_claims_laws()
