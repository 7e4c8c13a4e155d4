"""Findings as documents."""

from __future__ import annotations

from hoodoo.diagnosis.finding import MOST_PLACES, Finding, Place, Status, first_places


def test_a_document_has_only_the_parts_of_a_place_that_apply():
    finding = Finding("c", Status.WARNING, "x", places=(Place(file="a/b", partition=""),))

    assert finding.to_dict()["places"] == [{"file": "a/b", "partition": ""}]
    assert str(finding.places[0]) == "file 'a/b', partition ''"


def test_only_the_first_places_are_listed():
    places = first_places(Place(key=str(number)) for number in range(MOST_PLACES + 5))

    assert [place.key for place in places] == [str(number) for number in range(MOST_PLACES)]
