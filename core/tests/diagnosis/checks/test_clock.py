"""The check of the clock, and of the time zone of writers."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta

import pytest

from hoodoo.diagnosis import Status
from hoodoo.timeline import format_instant


def test_a_clock_behind_the_newest_instant_is_a_warning(table, found):
    commit = table.write([1], 2)
    now = datetime.now(UTC)

    assert found(table.diagnose(now=now - timedelta(seconds=50)), "clock")[0].status is Status.OK
    (finding,) = found(table.diagnose(now=now - timedelta(hours=3)), "clock")
    assert finding.status is Status.WARNING
    assert commit.instant in finding.found
    assert "3.0 h ahead" in finding.found


def clean(table, offset, age):
    """Add a completed clean of this age, by a writer whose time zone has this offset from UTC, in hours."""
    created = datetime.now(UTC) - age
    time = format_instant(created + timedelta(hours=offset))
    for state in (".commit.requested", ".inflight", ".clean"):
        file = (
            table.path / f".hoodie/{time}{state.replace('.commit', '.clean').replace('.inflight', '.clean.inflight')}"
        )
        file.touch()
        os.utime(file, (created.timestamp(), created.timestamp()))


@pytest.mark.parametrize(
    ("offsets", "status", "text"),
    [
        ((2, 2), Status.OK, "UTC+02:00"),
        ((2, -5), Status.WARNING, "UTC+02:00, UTC-05:00"),
        ((), Status.INFO, "the files do not show which"),
    ],
)
def test_the_time_zones_of_writers_are_found(make, found, offsets, status, text):
    table = make(timeline_timezone="LOCAL")
    table.write([1])
    for file in (table.path / ".hoodie").glob("2*"):
        os.utime(file, (0, 0))
    for number, offset in enumerate(offsets):
        clean(table, offset, timedelta(minutes=5 - number))

    (finding,) = found(table.diagnose(now=datetime.now(UTC) + timedelta(days=1)), "time zone")
    assert finding.status is status
    assert text in finding.found


def test_instants_in_utc_need_no_evidence(table, found):
    assert found(table.diagnose(), "time zone")[0].found == "instants are in UTC"
