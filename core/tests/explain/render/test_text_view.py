"""Explanations as text."""

from __future__ import annotations

import pytest
from attrs import evolve

from hoodoo.explain.explanation import Answer
from hoodoo.explain.render.text_view import QUESTIONS, as_text


@pytest.fixture
def text(by_hand):
    versions = by_hand.version(1, place="base"), by_hand.version(2, commit="20", ts=2, delete="key_only")
    decision = by_hand.decision(1, 2, "keep", "it is late", code=4)
    current = by_hand.trace(*versions, decisions=[decision], results=(1,))
    earlier = by_hand.trace(is_current=False, base_instant="5", partition="")
    found = by_hand.explanation(current, earlier=(earlier,), partition="x", as_of="30")
    return as_text(evolve(found, answers=(Answer("why_back", "It is."),)))


def test_the_head_names_key_partition_table_and_time(text):
    assert text.splitlines()[0] == "record key 'a' in partition 'x' of t as of 30"


def test_versions_have_a_line_each_and_winners_a_star(text):
    lines = [line for line in text.splitlines() if "ts = " in line]
    assert lines[0].split()[:4] == ["*", "1", "10", "insert"]
    assert lines[1].split()[:3] == ["2", "20", "upsert"]
    assert "f.parquet (row 3)" in lines[0]
    assert "key only delete" in lines[1]
    assert ".f.log (byte 7, record 3)" in lines[1]


def test_decisions_and_rows_follow(text):
    assert "  version 2 against version 1: keep: it is late [reason 4]" in text.splitlines()
    assert "  row: id = a, v = v1" in text.splitlines()


def test_slices_are_marked_as_read_or_not(text):
    assert "file group f-0 of partition 'x', slice of 10 (read)" in text
    assert "file group f-0, slice of 5 (no longer read)" in text
    assert "  has no version of the record" in text


def test_answers_come_with_their_questions(text):
    assert text.splitlines()[-2:] == ["Why is a deleted row back?", "It is."]
    questions = {"why_this_one", "why_back", "why_gone", "why_two_rows", "other_paths"}
    assert set(QUESTIONS) == {*questions, "which_field_orders", "which_statement"}
