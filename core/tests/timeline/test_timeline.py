"""The timeline: names, states, visibility, times."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from hoodoo.errors import CorruptTableError, OptionError, UnsupportedTable
from hoodoo.storage import LocalStorage
from hoodoo.timeline import Instant, State, Timeline, format_instant, next_instant_time, parse_instant
from hoodoo.timeline.timeline import TIMELINE_FOLDERS

T1, T2, T3, T4 = (f"2024010100000{n}000" for n in range(1, 5))


def timeline_of(tmp_path, *names, body=b"{}", layout=1):
    storage = LocalStorage(str(tmp_path))
    for name in names:
        storage.create(f"{TIMELINE_FOLDERS[layout]}/{name}", body if "." in name else b"")
    return Timeline.load(storage, layout)


def times(instants):
    return [instant.time for instant in instants]


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
    ("name", "instant"),
    [
        (f"{T1}.inflight", Instant(T1, "commit", State.INFLIGHT)),
        (f"{T1}.commit.requested", Instant(T1, "commit", State.REQUESTED)),
        (f"{T1}_{T2}.commit", Instant(T1, "commit", completion_time=T2)),
        (f"{T1}_{T2}.deltacommit", Instant(T1, "deltacommit", completion_time=T2)),
        (f"{T1}.clustering.requested", Instant(T1, "clustering", State.REQUESTED)),
        (f"{T1}.clustering.inflight", Instant(T1, "clustering", State.INFLIGHT)),
        (f"{T1}_{T2}.replacecommit", Instant(T1, "replacecommit", completion_time=T2)),
        (f"{T1}.logcompaction.inflight", Instant(T1, "logcompaction", State.INFLIGHT)),
        (f"{T1}_{T2}.savepoint", Instant(T1, "savepoint", completion_time=T2)),
        (f"{T1}.commit", Instant(T1, "commit")),
        ("20240101000001_20240101000002.rollback", Instant("20240101000001", "rollback", completion_time=T2[:14])),
        (f"{T1}001_{T2}001.clean", Instant(f"{T1}001", "clean", completion_time=f"{T2}001")),
        ("0" * 17 + "_" + "0" * 16 + "1.deltacommit", Instant("0" * 17, "deltacommit", completion_time="0" * 16 + "1")),
    ],
)
def test_file_names_both_ways_in_layout_2(name, instant):
    assert Instant.parse(name, 2) == instant
    assert instant.file_name == name


@pytest.mark.parametrize(
    "name",
    [f"{T1}_{T2}.commit.requested", f"{T1}_{T2}.inflight", f"{T1}_.commit", f"{T1}_1.commit", f"{T1}_{T2}_{T2}.commit"],
)
def test_only_completed_instants_have_a_completion_time(name):
    assert Instant.parse(name, 2) is None


def test_layout_1_has_no_completion_times():
    assert Instant.parse(f"{T1}_{T2}.commit", 1) is None


def test_an_instant_keeps_its_completion_time_while_it_is_completed():
    completed = Instant(T1, "commit", completion_time=T2)
    assert completed.at(State.COMPLETED) == completed
    assert completed.at(State.INFLIGHT) == Instant(T1, "commit", State.INFLIGHT)
    assert (completed.completed_at, Instant(T1, "commit").completed_at) == (T2, T1)
    assert completed.at(State.REQUESTED).completed_at is None


@pytest.mark.parametrize(
    "name", ["hoodie.properties", f"{T1}.commit.done", f"{T1}", f".{T1}.commit.ab.tmp", "123.commit", f"{T1}.what"]
)
def test_other_files_are_not_instants(name):
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
    assert times(timeline.commits) == [T1, T2]
    assert times(timeline.pending) == [T3, T4]
    assert timeline.latest_commit == Instant(T2, "commit")


def test_an_instant_counts_at_its_furthest_state_in_layout_2(tmp_path):
    timeline = timeline_of(
        tmp_path,
        f"{T1}.clustering.requested", f"{T1}.clustering.inflight", f"{T1}_{T3}.replacecommit",
        f"{T2}.compaction.requested", f"{T2}.compaction.inflight", f"{T2}_{T4}.commit",
        f"{T3}.clustering.requested", "hoodie.properties",
        layout=2,
    )  # fmt: skip
    assert timeline.instants == (
        Instant(T1, "replacecommit", completion_time=T3),
        Instant(T2, "commit", completion_time=T4),
        Instant(T3, "clustering", State.REQUESTED),
    )
    assert timeline.path_of(timeline.commits[0]) == f".hoodie/timeline/{T1}_{T3}.replacecommit"
    assert timeline.last_time == T4


def test_an_instant_that_was_completed_twice(tmp_path):
    with pytest.raises(CorruptTableError, match="completed twice") as caught:
        timeline_of(tmp_path, f"{T1}_{T2}.commit", f"{T1}_{T3}.commit", layout=2)
    assert caught.value.file.startswith(f".hoodie/timeline/{T1}_")


@pytest.mark.parametrize("action", ["clean", "rollback"])
def test_a_clean_or_rollback_that_two_writers_completed_counts_once(tmp_path, action):
    """Hudi executes pending services even if their writer is alive, and completes them again in layout 2."""
    names = [f"{T1}.{action}.requested", f"{T1}_{T4}.{action}", f"{T1}_{T2}.{action}", f"{T1}.{action}.inflight"]
    timeline = timeline_of(tmp_path, *names, f"{T1}_{T3}.{action}", layout=2)
    assert timeline.instants == (Instant(T1, action, completion_time=T2),)
    assert timeline.last_time == T4, "later instants are later than all of them"


def test_the_folder_of_the_timeline_can_be_another(tmp_path):
    storage = LocalStorage(str(tmp_path))
    storage.create(f".hoodie/tl/{T1}_{T2}.commit", b"{}")
    timeline = Timeline.load(storage, 2, ".hoodie/tl")
    assert timeline.read(timeline.commits[0]) == b"{}"
    assert timeline.as_of(T1).path_of(timeline.commits[0]) == f".hoodie/tl/{T1}_{T2}.commit"


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


def test_what_was_archived_after_a_savepoint_is_visible(tmp_path):
    """Archivers may skip a savepoint: the commit that it keeps is then older than archived commits."""
    timeline = timeline_of(tmp_path, f"{T1}.commit", f"{T1}.savepoint", f"{T3}.commit")
    assert timeline.first_time == T3
    assert timeline.is_visible(T1)
    assert timeline.is_visible(T2)
    assert timeline_of(tmp_path / "x", f"{T2}.commit", f"{T2}.savepoint").first_time == T2


def test_a_pending_compaction_is_where_the_active_timeline_may_begin(tmp_path):
    timeline = timeline_of(tmp_path, f"{T1}.clean", f"{T2}.compaction.requested", f"{T3}.commit")
    assert timeline.first_time == T2
    assert not timeline.is_visible(T2)


def test_completion_times(tmp_path):
    names = (f"{T2}_{T4}.commit", f"{T3}.deltacommit.inflight", f"{T3}_{T4}.clean")
    timeline = timeline_of(tmp_path, *names, layout=2)
    assert timeline.completion_time_of(T2) == T4
    assert timeline.completion_time_of(T3) is None
    assert timeline.completion_time_of(T4) is None
    # archived: the time itself stands for the completion time
    assert timeline.completion_time_of(T1) == T1
    assert timeline.as_of(T1).completion_time_of(T2) is None
    upgraded = timeline_of(tmp_path / "upgraded", f"{T1}.commit", f"{T2}_{T3}.commit", layout=2)
    assert upgraded.completion_time_of(T1) == T1
    assert upgraded.path_of(upgraded.commits[0]) == f".hoodie/timeline/{T1}.commit"


def test_incremental_bounds_are_times_of_instants_in_layout_1(tmp_path):
    timeline = timeline_of(tmp_path, f"{T1}.commit", f"{T2}.clean", f"{T3}.commit", f"{T4}.inflight")
    assert times(timeline.commits_between(None, None)) == [T1, T3]
    assert times(timeline.commits_between(T1, None)) == [T3]
    assert times(timeline.commits_between(T1, T3)) == [T3]
    assert times(timeline.commits_between(None, T2)) == [T1]
    assert times(timeline.as_of(T2).commits_between(None, None)) == [T1]


def test_incremental_bounds_are_completion_times_in_layout_2(tmp_path):
    """The second commit began after the first one and was completed before it."""
    t12, t13 = "20240101000001200", "20240101000001300"
    timeline = timeline_of(tmp_path, f"{T1}_{t13}.commit", f"{T1[:-1]}1_{t12}.commit", f"{T2}_{T4}.commit", layout=2)
    late, early, last = timeline.commits
    assert timeline.commits_between(None, None) == (early, late, last)
    assert timeline.commits_between(t12, None) == (late, last)
    assert timeline.commits_between(T1, t12) == (early,)
    assert timeline.commits_between(t13, T3) == ()


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
    with pytest.raises(UnsupportedTable, match="layout 3"):
        Timeline.load(LocalStorage(str(tmp_path)), layout=3)


@pytest.mark.parametrize(
    ("text", "digits"),
    [
        ("20240229123456", "20240229123456000"),
        ("20240229123456789", "20240229123456789"),
        ("2024-02-29", "20240229000000000"),
        ("2024-02-29 12:34:56", "20240229123456999"),
        ("2024-02-29 12:34:56.7", "20240229123456700"),
        ("2024-02-29T12:34:56.789", "20240229123456789"),
        (" 2024-02-29T12:34:56 ", "20240229123456999"),
    ],
)
def test_spellings_of_an_instant(text, digits):
    assert parse_instant(text, "as_of") == digits


@pytest.mark.parametrize("text", ["", "now", "2023-02-29", "20240101", "2024-01-01 25:00:00", "2024-01-01 10:00", "-1"])
def test_texts_that_are_not_instants_are_rejected(text):
    with pytest.raises(OptionError, match=r"'begin' is .*, which is not an instant"):
        parse_instant(text, "begin")


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


def test_instants_increase_beyond_completion_times(tmp_path):
    timeline = timeline_of(tmp_path, f"{T1}_{T4}.commit", f"{T2}.inflight", layout=2)
    assert next_instant_time(timeline, datetime(2000, 1, 1, tzinfo=UTC)) == "20240101000004001"
