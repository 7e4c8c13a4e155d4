"""The timeline in layout 1: names, states, visibility, times."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from hoodoo.errors import CorruptTableError, OptionError, UnsupportedTable
from hoodoo.storage import LocalStorage
from hoodoo.timeline import Instant, State, Timeline, format_instant, next_instant_time, parse_instant

T1, T2, T3, T4 = (f"2024010100000{n}000" for n in range(1, 5))


def timeline_of(tmp_path, *names, body=b"{}"):
    storage = LocalStorage(str(tmp_path))
    for name in names:
        storage.create(f".hoodie/{name}", body if "." in name else b"")
    return Timeline.load(storage)


@pytest.mark.parametrize(
    ("name", "instant"),
    [
        (f"{T1}.inflight", Instant(T1, "commit", State.INFLIGHT)),
        (f"{T1}.commit.requested", Instant(T1, "commit", State.REQUESTED)),
        (f"{T1}.commit", Instant(T1, "commit")),
        (f"{T1}.replacecommit.inflight", Instant(T1, "replacecommit", State.INFLIGHT)),
        (f"{T1}.deltacommit.requested", Instant(T1, "deltacommit", State.REQUESTED)),
        (f"{T1}.compaction.inflight", Instant(T1, "compaction", State.INFLIGHT)),
        (f"{T1}.savepoint.inflight", Instant(T1, "savepoint", State.INFLIGHT)),
        (f"{T1}.rollback", Instant(T1, "rollback")),
        ("20240101000001.clean", Instant("20240101000001", "clean")),
    ],
)
def test_file_names_both_ways(name, instant):
    assert Instant.parse(name) == instant
    assert instant.file_name == name


@pytest.mark.parametrize(
    "name", ["hoodie.properties", f"{T1}.commit.done", f"{T1}", f".{T1}.commit.ab.tmp", "123.commit", f"{T1}.what"]
)
def test_other_files_are_no_instants(name):
    assert Instant.parse(name) is None


def test_completed_names_of_services():
    assert Instant(T1, "compaction", State.INFLIGHT).at(State.COMPLETED).file_name == f"{T1}.commit"
    assert Instant(T1, "logcompaction").file_name == f"{T1}.deltacommit"


def test_an_instant_counts_at_its_furthest_state(tmp_path):
    timeline = timeline_of(
        tmp_path,
        f"{T1}.commit.requested", f"{T1}.inflight", f"{T1}.commit",
        f"{T2}.compaction.requested", f"{T2}.compaction.inflight", f"{T2}.commit",
        f"{T3}.commit.requested", f"{T3}.inflight",
        f"{T1}.savepoint", f"{T4}.rollback.requested", "hoodie.properties",
    )  # fmt: skip
    assert [(i.time, i.action, i.state.value) for i in timeline.instants] == [
        (T1, "commit", "completed"),
        (T1, "savepoint", "completed"),
        (T2, "commit", "completed"),
        (T3, "commit", "inflight"),
        (T4, "rollback", "requested"),
    ]
    assert [i.time for i in timeline.commits] == [T1, T2]
    assert [i.time for i in timeline.pending] == [T3, T4]
    assert timeline.latest_commit == Instant(T2, "commit")


def test_visible_is_what_is_completed_or_archived(tmp_path):
    timeline = timeline_of(tmp_path, f"{T1}.clean", f"{T2}.commit", f"{T3}.inflight")
    assert timeline.is_visible(T2)
    assert not timeline.is_visible(T3)
    assert not timeline.is_visible(T4)
    # older than the first commit that is still on the timeline; the older clean does not move that boundary
    assert timeline.is_visible("20240101000001500")
    assert timeline.is_visible("20230101000000000")


def test_the_first_commit_hides_its_files_while_it_is_pending(tmp_path):
    timeline = timeline_of(tmp_path, f"{T1}.inflight", f"{T2}.commit")
    assert not timeline.is_visible(T1)


def test_nothing_is_visible_without_commits(tmp_path):
    timeline = timeline_of(tmp_path, f"{T2}.rollback")
    assert not timeline.is_visible(T1)
    assert timeline.latest_commit is None


def test_as_of_keeps_the_boundary(tmp_path):
    cut = timeline_of(tmp_path, f"{T2}.commit", f"{T3}.commit", f"{T4}.commit").as_of(T3)
    assert [i.time for i in cut.commits] == [T2, T3]
    assert cut.is_visible(T1)
    assert not cut.is_visible(T4)
    assert cut.as_of(T1).commits == ()


def test_an_empty_completed_commit_is_named(tmp_path):
    timeline = timeline_of(tmp_path, f"{T1}.commit", f"{T2}.commit", body=b"")
    with pytest.raises(CorruptTableError, match=rf"\.hoodie/{T1}\.commit.*empty") as caught:
        _ = timeline.commits
    assert caught.value.file == f".hoodie/{T1}.commit"


def test_other_layouts_are_refused(tmp_path):
    with pytest.raises(UnsupportedTable, match="layout 2"):
        Timeline.load(LocalStorage(str(tmp_path)), layout=2)


@pytest.mark.parametrize(
    ("text", "digits"),
    [
        ("20240229123456", "20240229123456000"),
        ("20240229123456789", "20240229123456789"),
        ("2024-02-29", "20240229000000000"),
        ("2024-02-29 12:34:56", "20240229123456000"),
        ("2024-02-29 12:34:56.7", "20240229123456700"),
        ("2024-02-29T12:34:56.789", "20240229123456789"),
        (" 2024-02-29T12:34:56 ", "20240229123456000"),
    ],
)
def test_spellings_of_an_instant(text, digits):
    assert parse_instant(text) == digits


@pytest.mark.parametrize("text", ["", "now", "2023-02-29", "20240101", "2024-01-01 25:00:00", "2024-01-01 10:00", "-1"])
def test_what_is_no_instant_is_said(text):
    with pytest.raises(OptionError, match="no instant"):
        parse_instant(text)


def test_the_clock_counts_in_utc(tmp_path):
    now = datetime(2024, 1, 1, 1, 30, tzinfo=timezone(timedelta(hours=2)))
    assert next_instant_time(timeline_of(tmp_path), now) == "20231231233000000"
    with pytest.raises(ValueError, match="zone"):
        format_instant(datetime(2024, 1, 1))


@pytest.mark.parametrize(
    ("last", "following"),
    [
        ("20231231235959999.commit", "20240101000000000"),
        ("20240228235959999.rollback.inflight", "20240229000000000"),
        ("20300101000000123.commit.requested", "20300101000000124"),
        ("20300101000000.commit", "20300101000000001"),
        ("20300101000000123001.deltacommit", "20300101000000124"),
    ],
)
def test_instants_increase_even_when_the_clock_is_behind(tmp_path, last, following):
    timeline = timeline_of(tmp_path, last)
    behind = datetime(2000, 1, 1, tzinfo=UTC)
    assert next_instant_time(timeline, behind) == following
    assert next_instant_time(timeline.as_of("19990101000000000"), behind) == following
