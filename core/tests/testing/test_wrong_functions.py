"""Aggregate functions that are wrong in one way each, and the test of the kit that fails."""

from __future__ import annotations

import re
from typing import Any

import pytest

from hoodoo.record import Law
from hoodoo.testing import AggregateSuite

from .wrong import Install, made, message

pytestmark = pytest.mark.slow

LONGER = "pc.if_else(pc.greater_equal(pc.utf8_length(newer), pc.utf8_length(older)), newer, older)"
LAWS = "Law.ASSOCIATIVE, Law.IDEMPOTENT, Law.REPLAY_SAFE"


def function(add: str, *, laws: str = LAWS, accepts: str = "type_ == pa.string()", more: str = "") -> str:
    return f"""
@frozen
class Rule:
    laws = frozenset({{{laws}}})
    takes = "text"

    def accepts(self, type_):
        return {accepts}

    def add(self, older, newer):
        {add}

{more}
"""


RETRACT = """
    laws_of_retraction = frozenset({{Law.{law}}})

    def retract(self, older, newer):
        return {body}
"""
RIGHT = function(f"return pc.coalesce({LONGER}, older, newer)")
TOTAL = "return pc.coalesce(pc.add(older, newer), older, newer)"


def suite_of(name: str, **attributes: Any) -> Any:
    return made(AggregateSuite, name, **attributes)


def test_a_right_function(install: Install) -> None:
    def by_hand(self: Any, older: str | None, newer: str | None) -> str | None:
        if older is None or newer is None:
            return older if newer is None else newer
        return newer if len(newer) >= len(older) else older

    suite = suite_of(install(RIGHT, "aggregate"), by_hand=by_hand)
    tests = [name for name in dir(suite) if name.startswith("test_")]

    for name in sorted({*tests} - {"test_vectors", "test_law", "test_law_of_retraction"}):
        getattr(suite, name)()
    for law in (Law.ASSOCIATIVE, Law.IDEMPOTENT, Law.REPLAY_SAFE):
        suite.test_law(law)


@pytest.mark.parametrize(
    ("add", "test", "expected"),
    [
        ("return older.slice(1)", "test_answers_fit_the_rows", " of type string, got "),
        ("return older.cast(pa.binary())", "test_answers_fit_the_rows", "of type binary"),
        ("return older.to_pylist()", "test_answers_fit_the_rows", "got list"),
        (
            "return pc.nothing(older)",
            "test_answers_fit_the_rows",
            "(made-0 1.0) in column 'value' raised AttributeError",
        ),
        (
            "return pc.if_else(len(older) > 1, newer, older)",
            "test_rows_do_not_see_each_other",
            "each row alone",
        ),
        (
            "return pa.Array.from_buffers(older.type, len(older), newer.buffers())",
            "test_rows_do_not_see_each_other",
            "each row alone",
        ),
        (
            "return pc.if_else(random.random() < 0.5, older, newer)",
            "test_same_input_gives_same_answer",
            "gives another answer",
        ),
        (
            "return pa.array([b.as_py() for b in newer], newer.type)",
            "test_runs_vectorised",
            "lines of Python",
        ),
        ("older.to_pylist()\n        return newer", "test_makes_no_python_objects", "UnicodeDecodeError"),
    ],
)
def test_a_wrong_function(install: Install, add: str, test: str, expected: str) -> None:
    suite = suite_of(install(function(add), "aggregate"))

    assert expected in message(getattr(suite, test))


def test_a_function_that_writes_into_its_input(install: Install) -> None:
    source = """
        import ctypes
        ctypes.memset(older.buffers()[1].address, 7, older.buffers()[1].size)
        return newer
    """
    suite = suite_of(install(function(source, accepts="type_ == pa.int64()"), "aggregate"))

    assert "changes its input" in message(suite.test_input_is_not_changed)


def test_a_law_that_does_not_hold_is_shown_with_the_smallest_values(install: Install) -> None:
    suite = suite_of(install(function(TOTAL, laws="Law.IDEMPOTENT", accepts="type_ == pa.int64()"), "aggregate"))

    text = message(suite.test_law, Law.IDEMPOTENT)

    assert text.startswith("aggregate function 'made-0' claims IDEMPOTENT, and it does not hold: m(a, a) = a")
    assert re.search(r"^    a +\{'ts': 0, 'value': 1\}$", text, re.MULTILINE)
    assert "m(a, a) gives  {'ts': 0, 'value': 2}\n" in text


@pytest.mark.parametrize(
    ("add", "law"),
    [
        ("return pc.coalesce(pc.subtract(newer, older), older, newer)", Law.ASSOCIATIVE),
        ("return newer", Law.ORDER_INDEPENDENT),
        (TOTAL, Law.REPLAY_SAFE),
    ],
)
def test_each_law_can_fail(install: Install, add: str, law: Law) -> None:
    suite = suite_of(install(function(add, laws=f"Law.{law.name}", accepts="type_ == pa.int64()"), "aggregate"))

    assert f"claims {law.name}, and it does not hold" in message(suite.test_law, law)


@pytest.mark.parametrize(
    ("law", "body", "fails"),
    [
        ("ASSOCIATIVE", "pc.coalesce(pc.subtract(older, newer), older, pc.negate(newer))", False),
        ("ASSOCIATIVE", "newer", True),
        ("IDEMPOTENT", "older", True),
        ("REPLAY_SAFE", "pc.coalesce(pc.subtract(older, newer), older)", True),
    ],
)
def test_laws_hold_with_deletes_that_take_values_back(install: Install, law: str, body: str, fails: bool) -> None:
    source = function(TOTAL, accepts="type_ == pa.int64()", more=RETRACT.format(law=law, body=body))
    suite = suite_of(install(source, "aggregate"))

    if fails:
        assert f"claims {law}, and it does not hold" in message(suite.test_law_of_retraction, Law[law])
    else:
        suite.test_law_of_retraction(Law[law])


def test_extremes_that_a_function_refuses_are_left_out(install: Install) -> None:
    """Values that a function refuses with a `DataError` are left out; an error of Arrow is a fault."""
    checked = "pc.coalesce(pc.add_checked(older, newer), older, newer)"
    told = f"""
        try:
            return {checked}
        except pa.ArrowInvalid as error:
            raise DataError('too large', code='overflow') from error
    """
    types = "type_ == pa.int64()"
    source = f"from hoodoo.errors import DataError\n{function(told, laws='Law.ASSOCIATIVE', accepts=types)}"
    right = suite_of(install(source, "aggregate"))
    right.test_law(Law.ASSOCIATIVE)
    right.test_rows_do_not_see_each_other()
    [table] = right.tables()
    assert table.num_rows == 7 * 7 - 8

    wrong = suite_of(install(function(f"return {checked}", accepts=types), "aggregate"))
    assert "raised ArrowInvalid: overflow" in message(wrong.test_answers_fit_the_rows)


def test_a_function_that_accepts_nothing_is_not_tested_at_all(install: Install) -> None:
    suite = suite_of(install(function("return newer", accepts="False"), "aggregate"))

    assert "accepts none of the types" in message(suite.test_accepts_some_type)
    assert "rejects all values of the test" in message(suite.test_law, Law.IDEMPOTENT)


def test_laws_of_rows_are_no_laws_of_values(install: Install) -> None:
    suite = suite_of(install(function("return newer", laws="Law.DELETE_STICKY"), "aggregate"))

    assert "DELETE_STICKY" in message(suite.test_claims_laws_of_values)


def test_laws_of_retraction_need_a_retraction(install: Install) -> None:
    more = "    laws_of_retraction = frozenset({Law.IDEMPOTENT})\n"
    suite = suite_of(install(function("return newer", more=more), "aggregate"))

    assert "has no method retract" in message(suite.test_claims_laws_of_values)


def test_what_incoming_values_become_is_tested_too(install: Install) -> None:
    more = "    def prepare(self, values):\n        return values.cast(pa.binary())\n"
    suite = suite_of(install(function("return newer", more=more), "aggregate"))

    assert "must return 7 values of type string" in message(suite.test_answers_fit_the_rows)


@pytest.mark.parametrize("hand", ["by_hand", "retracted_by_hand"])
def test_a_function_that_differs_from_what_is_done_by_hand(install: Install, hand: str) -> None:
    more = RETRACT.format(law="IDEMPOTENT", body="newer")
    suite = suite_of(
        install(function("return newer", more=more), "aggregate"),
        **{hand: lambda self, older, newer: older},
    )

    text = message(suite.test_agrees_with_by_hand)

    assert f"gives another result than {hand}" in text
    assert ("retracted" in text) == (hand == "retracted_by_hand")
