"""Marks that divide the cases of a test between `tox` and `tox -e nightly`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

pytest_plugins = "pytester"

CONFTEST = Path(__file__).resolve().parents[2] / "conftest.py"


@pytest.fixture
def cases(pytester: pytest.Pytester) -> Callable[[str, str], set[str]]:
    """Return a function that returns the ids of the cases of a test that an expression of marks selects."""
    pytester.makeconftest(CONFTEST.read_text())

    def collected(test: str, marks: str) -> set[str]:
        pytester.makepyfile(test_it="import pytest\n\n" + test)
        # the test has no project file, which registers the marks
        unknown = ("-W", "ignore::pytest.PytestUnknownMarkWarning")
        result = pytester.inline_run("--collect-only", "-q", "-p", "no:cacheprovider", *unknown, "-m", marks)
        items = [item for call in result.getcalls("pytest_collection_finish") for item in call.session.items]
        return {item.callspec.id for item in items}

    return collected


def test_each_value_occurs_in_a_case_of_tox_and_no_case_is_lost(cases):
    test = (
        "@pytest.mark.each_value\n"
        "@pytest.mark.parametrize('a', [{'x': 1}, {}], ids=['one', 'two'])\n"
        "@pytest.mark.parametrize(('b', 'c'), [('b1', 1), ('b2', 1), ('b3', 2)])\n"
        "@pytest.mark.parametrize('d', [True, False])\n"
        "def test_it(a, b, c, d): ...\n"
    )
    now, later = cases(test, "not nightly"), cases(test, "nightly")

    assert not now & later
    assert len(now | later) == 12
    assert {part for case in now for part in case.split("-")} == {
        "one",
        "two",
        "b1",
        "b2",
        "b3",
        "1",
        "2",
        "True",
        "False",
    }
    assert len(now) == 3


def test_cases_with_the_values_of_one_mark_are_representatives(cases):
    test = (
        "@pytest.mark.representatives(a=[1], b=[1])\n"
        "@pytest.mark.representatives(b=[2])\n"
        "@pytest.mark.parametrize('a', [1, 2])\n"
        "@pytest.mark.parametrize('b', [1, 2])\n"
        "def test_it(a, b): ...\n"
    )
    assert cases(test, "not nightly") == {"1-1", "2-1", "2-2"}
    assert cases(test, "nightly") == {"1-2"}
