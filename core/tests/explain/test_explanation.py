"""The values of an explanation."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from decimal import Decimal

from attrs import evolve

from hoodoo.explain.explanation import Answer


def test_rows_are_the_results_of_current_slices(by_hand):
    current = by_hand.trace(by_hand.version(1), by_hand.version(2), results=(2,))
    earlier = by_hand.trace(by_hand.version(1), results=(1,), is_current=False)
    found = by_hand.explanation(current, earlier=(earlier,))
    assert found.rows == ({"id": "a", "v": "v2"},)
    assert current.winners == {2}


def test_a_key_is_found_in_current_earlier_and_replaced_files(by_hand):
    some = by_hand.trace(by_hand.version(1))
    assert not by_hand.explanation().found
    assert not by_hand.explanation(by_hand.trace()).found
    assert by_hand.explanation(some).found
    assert by_hand.explanation(earlier=(some,)).found
    assert by_hand.explanation(hidden=(by_hand.hidden("f", "20"),)).found


def test_an_answer_by_its_question(by_hand):
    found = evolve(by_hand.explanation(), answers=(Answer("why_gone", "it is"),))
    assert found.answer("why_gone") == "it is"
    assert found.answer("why_back") is None


def test_json_has_every_value_as_text_or_number(by_hand):
    version = evolve(
        by_hand.version(1), data={"d": Decimal("1.50"), "t": datetime(2026, 1, 1, tzinfo=UTC), "b": b"\xff", "n": None}
    )
    document = json.loads(by_hand.explanation(by_hand.trace(version, results=(1,))).to_json())
    [trace] = document["current"]
    assert trace["versions"][0]["data"] == {"d": "1.50", "t": "2026-01-01T00:00:00+00:00", "b": "ff", "n": None}
    assert document["found"] is True
    assert document["searched"] == 4


def test_it_is_shown_as_text_and_as_html(by_hand):
    found = by_hand.explanation(by_hand.trace(by_hand.version(1), results=(1,)))
    assert "record key 'a'" in str(found)
    assert found._repr_html_().startswith("<div")
    assert repr(found) == "Explanation('a': 1 version, 1 row; use print() to see it)"
