"""The picture of `docs/architecture.md` is up to date, and its boxes and lanes do not overlap."""

from __future__ import annotations

from itertools import pairwise
from xml.etree import ElementTree as ET

import pytest

from .picture import FILE, HOLDS, Layout, import_graph, packed, picture, reduced, rows_of, width

pytestmark = pytest.mark.slow

GRAPH = {
    "top": frozenset({"left", "right", "low"}),
    "left": frozenset({"low"}),
    "right": frozenset({"low", "base"}),
    "low": frozenset({"base"}),
    "base": frozenset(),
    "side": frozenset({"base"}),
    "over": frozenset({"top", "side"}),
}


@pytest.fixture(scope="module")
def layout():
    return Layout(reduced(import_graph()))


def test_the_picture_is_that_of_the_imports():
    assert FILE.read_text(encoding="utf-8") == picture(), "run `tox -e sync`"


def test_every_package_has_a_description():
    assert set(HOLDS) == set(import_graph())


def test_the_picture_has_a_box_for_every_package():
    texts = {element.text for element in ET.fromstring(picture()).iter("{http://www.w3.org/2000/svg}text")}

    assert texts >= {"hoodoo", *(f"hoodoo.{name}" for name in HOLDS if name != "__init__"), *HOLDS.values()}


def test_imports_that_follow_from_others_have_no_arrow():
    assert reduced(GRAPH) == {
        "top": {"left", "right"},
        "left": {"low"},
        "right": {"low"},
        "low": {"base"},
        "base": set(),
        "side": {"base"},
        "over": {"top", "side"},
    }


def test_a_package_is_above_what_it_imports():
    assert rows_of(GRAPH) == {"base": 0, "low": 1, "side": 1, "left": 2, "right": 2, "top": 3, "over": 4}


def test_nodes_of_a_row_do_not_overlap(layout):
    for nodes in layout.rows:
        for left, right in pairwise(nodes):
            assert layout.x[right] - layout.x[left] >= (width(left) + width(right)) / 2


def test_an_arrow_over_several_rows_has_a_lane_in_each_of_them():
    chains = {(chain[0], chain[-1]): chain[1:-1] for chain in Layout(reduced(GRAPH)).chains}

    assert chains[("over",), ("side",)] == [("over", "side", "3"), ("over", "side", "2")]
    assert chains[("top",), ("left",)] == []


def test_nodes_are_packed_around_the_wanted_places():
    box = width(("a",))

    assert packed([("a",), ("b",)], [0, 1000]) == [0, 1000]
    one, other = packed([("a",), ("b",)], [0, 0])
    assert one == -other
    assert other - one > box
