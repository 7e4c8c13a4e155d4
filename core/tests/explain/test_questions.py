"""Answers from traces that are built by hand."""

from __future__ import annotations

import pytest
from attrs import evolve

from hoodoo.explain.questions import answers, ordering_text


def answered(found, archived_before=None):
    return {answer.question: answer.text for answer in answers(found, archived_before)}


def test_ordering_values_as_text():
    assert ordering_text({"ts": 1, "n": None}) == "ts = 1, n = null"
    assert ordering_text(None) == ordering_text({}) == "no ordering value"


def test_the_winner_is_named_with_the_decisions(by_hand):
    versions = by_hand.version(1, place="base"), by_hand.version(2, commit="20", ts=2)
    decisions = [by_hand.decision(1, 2, "take", "the newer is greater")]
    found = answered(by_hand.explanation(by_hand.trace(*versions, decisions=decisions, results=(2,))))
    assert found["why_this_one"] == (
        "Version 2 (row of commit 20 (upsert), ts = 2) is the record. Version 2 (ts = 2) is compared with "
        "version 1 (ts = 1), and version 2 wins: the newer is greater."
    )
    assert set(found) == {"why_this_one", "which_field_orders"}


def test_the_only_version_is_named_as_such(by_hand):
    trace = by_hand.trace(by_hand.version(1, place="base"), results=(1,))
    assert answered(by_hand.explanation(trace))["why_this_one"] == (
        "Version 1 (row of commit 10 (insert), ts = 1) is the record, and the only version in its file slice."
    )


def test_columns_that_were_merged_are_named(by_hand):
    trace = by_hand.trace(by_hand.version(1), results=(1,))
    trace = evolve(trace, results=(evolve(trace.results[0], merged=("v", "w")),))
    assert "The values of v, w come from the merge" in answered(by_hand.explanation(trace))["why_this_one"]


def test_a_rewritten_row_and_the_one_before_it_are_named(by_hand):
    current = by_hand.trace(by_hand.version(1, commit="20", place="base"), results=(1,), base_instant="30")
    older = by_hand.trace(by_hand.version(1, commit="10", place="base"), results=(1,), is_current=False)
    text = answered(by_hand.explanation(current, earlier=(older,)))["why_this_one"]
    assert "Commit 30 (compact) rewrote the base file and kept the row" in text
    assert "Before that, the record was the row of commit 10 (insert), ts = 1" in text


def test_a_deleted_record_is_gone_with_the_decision(by_hand):
    versions = by_hand.version(1, place="base"), by_hand.version(2, delete="key_only", ts=5)
    trace = by_hand.trace(*versions, decisions=[by_hand.decision(1, 2, "delete", "it is a delete")])
    found = answered(by_hand.explanation(trace))
    assert found["why_gone"] == (
        "Version 2 (ts = 5, a delete) is compared with version 1 (ts = 1), and the record is deleted: it is a delete."
    )
    assert "why_this_one" not in found


def test_a_replaced_group_explains_a_missing_record(by_hand):
    text = answered(by_hand.explanation(hidden=(by_hand.hidden("x/f.parquet", "20"),)))["why_gone"]
    assert text == "File 'x/f.parquet' holds the record, and commit 20 (upsert) replaced its file group."


@pytest.mark.parametrize(
    ("cleaned", "archived", "missing"),
    [
        ((), None, ""),
        (("10",), None, "the files of commit 10 were cleaned"),
        (("10", "20"), "30", "the files of 2 commits, 10 to 20, were cleaned and commits before 30 were archived"),
    ],
)
def test_an_unknown_key_is_answered_with_what_is_missing(by_hand, cleaned, archived, missing):
    text = answered(by_hand.explanation(cleaned=cleaned, partition="x"), archived)["why_gone"]
    assert text.startswith("No existing file of partition 'x' has the record key 'a' (file slices searched: 4).")
    assert missing in text
    assert ("It is unknown" in text) == bool(missing)


def test_a_delete_that_lost_explains_why_a_row_is_back(by_hand):
    versions = by_hand.version(1, delete="key_only"), by_hand.version(2, commit="20", ts=2)
    trace = by_hand.trace(*versions, decisions=[by_hand.decision(1, 2, "take", "greater")], results=(2,))
    assert "A delete of the record exists and lost" in answered(by_hand.explanation(trace))["why_back"]


def test_a_lost_tombstone_explains_why_a_row_is_back(by_hand):
    tombstone = by_hand.version(2, commit="20", ts=9, delete="key_only")
    trace = by_hand.trace(by_hand.version(1, commit="40", ts=8), results=(1,))
    found = by_hand.explanation(trace, lost=(by_hand.lost("20", tombstone, "30", "x", "f-0"),))
    text = answered(found)["why_back"]
    assert "Commit 20 (upsert) deleted the record from file group 'f-0' of partition 'x'" in text
    assert "the tombstone (ts = 9) is in log '.f.log' at byte 7" in text
    assert "Commit 30 (compact) rewrote the base file" in text
    assert "came after that" in text


def test_a_delete_after_the_row_does_not_explain_it(by_hand):
    trace = by_hand.trace(by_hand.version(1, commit="10"), results=(1,))
    found = by_hand.explanation(trace, lost=(by_hand.lost("20", None, "20", "x", "f-0"),))
    assert "why_back" not in answered(found)


@pytest.mark.parametrize(
    ("second", "why"),
    [
        ({"partition": "y", "file_id": "g"}, "unique only within its partition"),
        ({"file_id": "g"}, "in several file groups"),
    ],
)
def test_two_rows_are_explained_by_their_places(by_hand, second, why):
    one = by_hand.trace(by_hand.version(1), results=(1,))
    other = by_hand.trace(by_hand.version(1), results=(1,), **second)
    assert why in answered(by_hand.explanation(one, other))["why_two_rows"]


def test_two_rows_of_one_file_group(by_hand):
    trace = by_hand.trace(by_hand.version(1), by_hand.version(2), results=(1, 2))
    text = answered(by_hand.explanation(trace))["why_two_rows"]
    assert text.startswith("There are 2 rows: ")
    assert "One file group has the key more than once" in text


@pytest.mark.parametrize(
    ("rule", "how"),
    [
        ({}, "Writers merge by merger 'm': versions are ordered by ts (hoodie.table.ordering.fields)."),
        ({"compares": False}, "ts (hoodie.table.ordering.fields) is stored and not compared"),
        ({"ordering": ()}, "the order of arrival decides"),
        ({"compares": None}, "a rule that cannot be used here: merger 'm'."),
        ({"delete_rules": ("d", "e")}, "; delete rules: d, e."),
        ({"use": "reading"}, "Readers and compaction merge logs by"),
    ],
)
def test_the_field_that_orders(by_hand, rule, how):
    found = by_hand.explanation()
    found = evolve(found, rules=(evolve(found.rules[0], **rule),))
    assert how in answered(found)["which_field_orders"]
