"""Rules that give different rows on different paths through a table, and listed differences that do not occur."""

from __future__ import annotations

from typing import Any

import pytest

from hoodoo.testing import Difference, Path, PayloadSuite

from .wrong import TAKE, Install, merger, message, suite

pytestmark = pytest.mark.slow

FORGETS = Difference("merger", "made-0", Path.COMMITS, frozenset({"a delete", "a late version"}), "storage forgets")


def test_a_difference_between_paths_that_is_not_listed(install: Install) -> None:
    """Storage keeps no tombstone. This difference is inherent; a suite that sets `differences` must list it."""
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
    """A version replaces an earlier delete, is then merged with the row to be deleted, and loses. No law is claimed."""
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
        ({"path": Path.ONE_BY_ONE}, "its path is Path.ONE_BY_ONE, and no such path is compared"),
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
    """Each test that uses the list refuses an invalid entry, and states what is wrong with it."""
    name = install(merger(TAKE))
    listed = suite(name, differences=(Difference(**{**ENTRY, **changed}),))

    for test in (
        listed.test_paths_agree,
        listed.test_listed_differences_occur,
        listed.test_a_delete_in_a_log_decides_as_in_a_batch,
    ):
        text = message(test)
        assert text.startswith("merger 'made-0' lists an invalid difference: ")
        assert says in text
    assert "it is of type str; list hoodoo.testing.Difference" in message(suite(name, differences="x").test_paths_agree)
