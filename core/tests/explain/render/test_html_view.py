"""Explanations as HTML."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest
from attrs import evolve

from hoodoo.explain.explanation import Answer
from hoodoo.explain.render.html_view import as_html


def drawn(found):
    return ET.fromstring(as_html(found).replace("<details open ", "<details "))


@pytest.fixture
def found(by_hand):
    versions = (
        by_hand.version(1, place="base"),
        by_hand.version(2, commit="20", ts=2),
        by_hand.version(3, commit="20", ts=1, delete="flagged"),
    )
    decisions = [by_hand.decision(2, 3, "keep", stage="logs"), by_hand.decision(1, 2, "take")]
    return by_hand.explanation(by_hand.trace(*versions, decisions=decisions, results=(2,)))


def test_each_version_is_drawn_once_by_its_place(found):
    page = as_html(found)
    assert len(re.findall("<rect ", page)) == 1
    assert len(re.findall(r'<circle [^>]*r="10"', page)) == 2
    assert len(re.findall(r'<circle [^>]*r="15"', page)) == 1, "the winner has a ring"


def test_each_decision_about_two_versions_is_an_arc(found):
    page = as_html(found)
    assert len(re.findall("<path ", page)) == 2
    assert page.count("2 wins") == 2


def test_text_of_the_table_is_escaped(by_hand):
    evil = "<script>alert('x')</script>"
    found = by_hand.explanation(by_hand.trace(by_hand.version(1, value=evil), results=(1,)), key=evil)
    page = as_html(evolve(found, answers=(Answer("why_gone", evil),)))
    assert "<script" not in page
    assert drawn(found) is not None


def test_a_commit_that_dropped_a_tombstone_is_marked(by_hand, found):
    found = evolve(found, lost=(by_hand.lost("20", None, "30", "x", "f-0"),))
    page = as_html(found)
    assert page.count("keeps no tombstone") == 1
    assert "30" in page


def test_slices_without_versions_are_not_drawn(by_hand):
    page = as_html(by_hand.explanation(by_hand.trace()))
    assert "<svg" not in page
    assert "<details" not in page


def test_the_page_is_well_formed(found):
    names = {element.tag.rpartition("}")[2] for element in drawn(found).iter()}
    assert {"svg", "table", "details"} <= names
