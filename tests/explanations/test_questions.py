"""Reasons in explanations: why a record won, why it exists again, which field orders, why a key has two rows."""

from __future__ import annotations

import re
from pathlib import Path

import pyarrow as pa
import pytest

import hoodoo
from hoodoo.errors import OptionError
from hoodoo.reading.slice import slice_reader as merged

from .explaining import asked, batch, write


def test_versions_decisions_and_winner_of_a_merge(place: Path) -> None:
    first = write(place, batch(("a", 5, "first"), ("b", 1, "b")), table_type="MERGE_ON_READ")
    late = write(place, batch(("a", 3, "late")))
    newest = write(place, batch(("a", 7, "newest")))

    explained = hoodoo.Table(place).explain("a")

    [trace] = explained.current
    assert [(v.place, v.commit, v.ordering, v.data and v.data["v"]) for v in trace.versions] == [
        ("base", first, {"ts": 5}, "first"),
        ("log", late, {"ts": 3}, "late"),
        ("log", newest, {"ts": 7}, "newest"),
    ]
    assert [(d.stage, d.older, d.newer, d.choice) for d in trace.decisions] == [
        ("logs", 2, 3, "take"),
        ("base", 1, 3, "take"),
    ]
    assert {d.reason for d in trace.decisions} == {"the newer version has the greater ordering value"}
    assert trace.winners == {3}
    assert explained.rows[0]["v"] == "newest"
    assert "version 3 wins: the newer version has the greater ordering value" in asked(place, "why_this_one")


def test_a_late_record_lost_and_the_rule_says_why(place: Path) -> None:
    write(place, batch(("a", 5, "first")), table_type="MERGE_ON_READ")
    write(place, batch(("a", 3, "late")))

    assert "and version 1 is kept: the newer version has the lower ordering value: it is late" in asked(
        place, "why_this_one"
    )


def test_a_payload_overwrites_and_says_why(place: Path) -> None:
    options = {"table_type": "MERGE_ON_READ", "payload": "overwrite-with-latest"}
    write(place, batch(("a", 5, "first")), **options)
    write(place, batch(("a", 3, "late")), **options)

    explained = hoodoo.Table(place).explain("a")

    assert explained.rows[0]["v"] == "late"
    assert explained.current[0].decisions[-1].reason == "the newer arrival wins; ordering values are not compared"
    orders = explained.answer("which_field_orders") or ""
    assert "Readers and compaction merge logs by merger 'commit-time'" in orders
    assert "ts (hoodie.table.precombine.field) is stored and not compared" in orders
    assert "Writers merge by payload 'overwrite-with-latest'" in orders


def test_columns_that_the_rule_sets_are_named(place: Path) -> None:
    options = {"table_type": "MERGE_ON_READ", "merger": "null-partial", "ordering": None}
    write(place, batch(("a", 5, "first")).drop_columns("_hoodie_is_deleted"), **options)
    half = pa.table({"id": ["a"], "part": ["x"], "ts": [6], "v": pa.nulls(1, pa.string())})
    write(place, half, **options)

    [trace] = hoodoo.Table(place).explain("a").current

    assert trace.decisions[0].changed["v"] == "first"
    assert trace.results[0].merged == ("v",)
    assert "The values of v come from the merge" in asked(place, "why_this_one")


def test_a_lost_tombstone_is_named(place: Path, table_type: str) -> None:
    write(place, batch(("a", 5, "first"), ("b", 1, "b")), table_type=table_type)
    deleted = write(place, batch(("a", 9, "gone"), deleted=True))
    explained = hoodoo.Table(place).explain("a")
    assert explained.found
    assert not explained.rows
    assert explained.answer("why_back") is None
    compaction = hoodoo.Table(place).compact()
    back = write(place, batch(("a", 8, "back")))

    explained = hoodoo.Table(place).explain("a")

    assert explained.rows[0]["v"] == "back"
    [lost] = explained.lost
    assert lost.commit == deleted
    answer = explained.answer("why_back") or ""
    assert f"Commit {deleted} (upsert) deleted the record" in answer
    assert f"commit {back} (upsert), ts = 8) came after that" in answer
    if table_type == "MERGE_ON_READ":
        assert compaction is not None
        assert lost.dropped_by == compaction.instant
        assert lost.version is not None
        assert lost.version.ordering == {"ts": 9}
        assert f"'{lost.version.file}' at byte {lost.version.offset}" in answer
        assert f"Commit {compaction.instant} (compact)" in answer
    else:
        assert lost.version is None
        assert "keeps no tombstone" in answer


def test_a_tombstone_that_is_there_decides(place: Path) -> None:
    write(place, batch(("a", 5, "first")), table_type="MERGE_ON_READ")
    write(place, batch(("a", 9, "gone"), deleted=True))
    write(place, batch(("a", 8, "late")))

    explained = hoodoo.Table(place).explain("a")
    assert explained.rows == ()
    assert explained.lost == ()
    gone = explained.answer("why_gone") or ""
    assert "version 2 (ts = 9, a delete)" in gone
    assert "version 2 is kept: the newer version has the lower ordering value" in gone

    write(place, batch(("a", 10, "again")))
    back = "A delete of the record exists and lost: version 4 (ts = 10) is compared with version 2"
    assert asked(place, "why_back").startswith(back)


def test_cleaned_versions_cannot_be_explained(place: Path, table_type: str) -> None:
    keep = {"commits_retained": 1, "clean_after_commits": 1} if table_type == "COPY_ON_WRITE" else {}
    first = write(place, batch(("a", 5, "first"), ("b", 1, "b")), table_type=table_type, **keep)
    write(place, batch(("a", 9, "gone"), deleted=True), **keep)
    hoodoo.Table(place).compact()
    for time in range(10, 14):
        write(place, batch(("a", time, "back"), ("b", time, "b")), **keep)
        hoodoo.Table(place).compact()
    hoodoo.Table(place).clean(clean_policy="KEEP_LATEST_FILE_VERSIONS", file_versions_retained=1)

    explained = hoodoo.Table(place).explain("a")

    assert explained.lost == ()
    assert explained.cleaned[0] == first
    assert "It is unknown whether earlier files did: the files of " in (explained.answer("why_back") or "")


def test_two_rows_in_two_partitions(place: Path, table_type: str) -> None:
    write(place, batch(("a", 1, "here")), table_type=table_type)
    write(place, batch(("a", 2, "there"), part="y"))

    explained = hoodoo.Table(place).explain("a")

    assert sorted(row["v"] for row in explained.rows) == ["here", "there"]
    answer = explained.answer("why_two_rows") or ""
    assert "partition 'x'" in answer
    assert "partition 'y'" in answer
    assert "A key is unique only within its partition" in answer
    assert [row["v"] for row in hoodoo.Table(place).explain("a", partition="y").rows] == ["there"]


def test_two_rows_in_one_base_file(place: Path, table_type: str) -> None:
    write(place, batch(("a", 1, "one"), ("a", 2, "two")), table_type=table_type, operation="bulk_insert")
    assert "One file group has the key more than once" in asked(place, "why_two_rows")

    write(place, batch(("a", 3, "both")))
    explained = hoodoo.Table(place).explain("a")
    assert [row["v"] for row in explained.rows] == ["both", "both"]
    assert len(explained.current[0].results) == 2


def test_two_rows_in_two_file_groups(place: Path) -> None:
    options = {"operation": "insert", "small_file_limit": 0}
    write(place, batch(("a", 1, "one")), **options)
    write(place, batch(("a", 2, "two")), **options)

    assert "One partition has the key in several file groups" in asked(place, "why_two_rows")


def test_a_replaced_file_group_is_named(place: Path) -> None:
    write(place, batch(("a", 1, "one")))
    replaced = write(place, batch(("b", 1, "b")), operation="insert_overwrite")

    explained = hoodoo.Table(place).explain("a")

    assert explained.rows == ()
    assert [hidden.replaced_by for hidden in explained.hidden] == [replaced]
    assert f"commit {replaced} (insert_overwrite) replaced its file group" in (explained.answer("why_gone") or "")


def test_an_older_row_than_its_base_file(place: Path) -> None:
    first = write(place, batch(("a", 5, "first"), ("b", 1, "b")))
    second = write(place, batch(("a", 3, "late"), ("b", 2, "b")))

    answer = asked(place, "why_this_one")

    assert f"row of commit {first}" in answer
    assert f"Commit {second} (upsert) rewrote the base file and kept the row" in answer


def test_as_of_an_instant(place: Path, table_type: str) -> None:
    first = write(place, batch(("a", 5, "first")), table_type=table_type)
    write(place, batch(("a", 7, "later")))

    table = hoodoo.Table(place)

    assert table.explain("a", as_of=first).rows[0]["v"] == "first"
    assert table.explain("a").rows[0]["v"] == "later"
    with pytest.raises(OptionError):
        table.explain("a", as_of="yesterday")


def test_a_rule_without_reasons_gets_a_sentence(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from hoodoo_merger_event_time import EventTime

    monkeypatch.setattr(EventTime, "reasons", {})
    write(place, batch(("a", 5, "first")), table_type="MERGE_ON_READ")
    write(place, batch(("a", 7, "later")))

    [decision] = hoodoo.Table(place).explain("a").current[0].decisions

    assert re.fullmatch(r"merger 'event-time' \(.*\) takes the newer version, and gives no reason", decision.reason)
    assert decision.code is None


def test_two_rows_far_apart_in_one_base_file(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The merge reads base rows in batches and adds the winning record at the end: each row still has its version."""
    monkeypatch.setattr(merged, "BATCH_ROWS", 1)
    rows = batch(("a", 1, "older"), ("a", 9, "greatest"))
    write(place, rows, table_type="MERGE_ON_READ", operation="bulk_insert")
    write(place, batch(("a", 5, "between")))

    [trace] = hoodoo.Table(place).explain("a").current
    shown = [(result.row["v"], trace.versions[result.version - 1].data["v"]) for result in trace.results]
    assert sorted(shown) == [("between", "between"), ("greatest", "greatest")]
