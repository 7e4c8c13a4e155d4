"""The time zone of new instants, where a table leaves it to its writers."""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime, timedelta, timezone

import pytest

from hoodoo.storage import LocalStorage
from hoodoo.timeline import Timeline, format_instant, instant_datetime, next_instant_time
from hoodoo.timeline.time_zone import writers_zone

WEST, EAST = timezone(timedelta(hours=-7)), timezone(timedelta(hours=5, minutes=45))
NOW = datetime(2024, 6, 1, 12, 30, tzinfo=UTC)


@pytest.fixture
def machine_zone(monkeypatch):
    """Yield a function that sets the time zone of this process until the end of the test."""

    def set_zone(name):
        monkeypatch.setenv("TZ", name)
        time.tzset()

    yield set_zone
    monkeypatch.undo()
    time.tzset()


def written(*times, zone, delay=0.4):
    """Return instants with the creation times of their requested files."""
    return [(format_instant(at, zone), at + timedelta(seconds=delay)) for at in times]


@pytest.mark.parametrize("zone", [WEST, EAST, timezone(timedelta(hours=14)), timezone(timedelta(hours=-12))])
@pytest.mark.parametrize("delay", [-1.0, 0.0, 9.0])
def test_the_zone_of_the_newest_instants(zone, delay, machine_zone):
    machine_zone("UTC")
    requested = written(*(NOW - timedelta(minutes=7 * n) for n in range(6)), zone=zone, delay=delay)
    found = writers_zone(requested)
    assert found is not None
    assert found.utcoffset(None) == zone.utcoffset(None)


def test_the_zone_of_this_machine_follows_daylight_saving_time(machine_zone):
    machine_zone("America/Los_Angeles")
    # written in summer, and the next instant is of winter
    assert writers_zone(written(NOW, zone=WEST)) is None
    assert format_instant(datetime(2024, 12, 1, 12, tzinfo=UTC), None) == "20241201040000000"


def test_copied_files_are_no_evidence(machine_zone):
    machine_zone("UTC")
    times = [NOW - timedelta(minutes=7 * n) for n in range(4)]
    copied = [(format_instant(at, WEST), NOW + timedelta(days=3)) for at in times]
    assert writers_zone(copied) is None
    assert writers_zone([(format_instant(at, WEST), NOW + timedelta(minutes=5)) for at in times]) is None
    assert writers_zone([]) is None
    assert writers_zone([("20240231000000000", NOW)]) is None


def test_writers_of_two_zones_are_no_evidence(machine_zone):
    machine_zone("UTC")
    assert writers_zone([*written(NOW, zone=EAST), *written(NOW + timedelta(minutes=1), zone=WEST)]) is None


def timeline_of(tmp_path, times, zone, *, is_local, layout=1):
    storage = LocalStorage(str(tmp_path))
    folder = ".hoodie" if layout == 1 else ".hoodie/timeline"
    for at in times:
        digits = format_instant(at, zone)
        completed = digits if layout == 1 else f"{digits}_{digits[:-1]}9"
        for name in (f"{digits}.commit.requested", f"{digits}.inflight", f"{completed}.commit"):
            storage.create(f"{folder}/{name}", b"{}")
            os.utime(storage.local_path(f"{folder}/{name}"), (at.timestamp() + 0.2,) * 2)
    return Timeline.load(storage, layout, is_local=is_local)


@pytest.mark.parametrize("layout", [1, 2])
@pytest.mark.parametrize("zone", [WEST, EAST])
@pytest.mark.parametrize("machine", ["UTC", "America/Los_Angeles", "Asia/Kathmandu"])
def test_new_instants_are_those_of_the_writers_of_the_table(tmp_path, zone, machine, layout, machine_zone):
    machine_zone(machine)
    times = [NOW - timedelta(minutes=3 * n) for n in range(3)]
    timeline = timeline_of(tmp_path, times, zone, is_local=True, layout=layout)
    assert next_instant_time(timeline, NOW + timedelta(minutes=1)) == format_instant(NOW + timedelta(minutes=1), zone)
    assert next_instant_time(timeline.reloaded(), NOW + timedelta(hours=30)) == format_instant(
        NOW + timedelta(hours=30), zone
    )


def test_a_table_that_states_utc_is_written_in_utc(tmp_path, machine_zone):
    machine_zone("America/Los_Angeles")
    timeline = timeline_of(tmp_path, [NOW], WEST, is_local=False)
    assert next_instant_time(timeline, NOW + timedelta(minutes=1)) == "20240601123100000"


def test_an_empty_timeline_takes_the_zone_of_this_machine(tmp_path, machine_zone):
    machine_zone("Asia/Kathmandu")
    timeline = Timeline.load(LocalStorage(str(tmp_path)), is_local=True)
    assert next_instant_time(timeline, NOW) == "20240601181500000"
    assert instant_datetime("20240601181500000", timeline.zone) == NOW
