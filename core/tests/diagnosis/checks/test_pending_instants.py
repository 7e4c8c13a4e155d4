"""The check of pending instants: writes in progress, failed writes, and services that were not completed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from hoodoo.archived_timeline import load_timeline
from hoodoo.diagnosis import Status
from hoodoo.properties import load_properties
from hoodoo.txn import begin


def later(**time):
    return datetime.now(UTC) + timedelta(**time)


def test_a_write_in_progress_is_alive_and_later_a_failed_write(table, found):
    timeline = load_timeline(table.storage, load_properties(table.storage))
    with begin(table.storage, timeline) as transaction:
        (alive,) = found(table.diagnose(), "pending")
        assert alive.status is Status.INFO
        assert "its writer is alive" in alive.found
        diagnosis = table.diagnose(now=later(minutes=10))
    (dead,) = found(diagnosis, "pending")
    assert dead.status is Status.WARNING
    assert dead.found.endswith("last sign of its writer 10 min ago: the write failed")
    assert dead.places[0].instant == transaction.time
    (first,) = found(diagnosis, "first write", Status.WARNING)
    assert first.found == "it would first roll back 1 failed write"


@pytest.mark.parametrize("version", [6, 9])
def test_a_write_of_hudi_without_heartbeat_is_dead_after_two_minutes(make, found, version):
    table = make(table_version=version)
    table.write([1])
    folder = table.path / (".hoodie" if version == 6 else ".hoodie/timeline")
    (folder / "20260101000000000.commit.requested").touch()
    (folder / "20260101000000000.inflight").touch()

    assert found(table.diagnose(), "pending")[0].status is Status.INFO
    (finding,) = found(table.diagnose(now=later(minutes=3)), "pending")
    assert finding.status is Status.WARNING
    assert "the write failed" in finding.found


@pytest.mark.parametrize(
    ("action", "text", "advice"),
    [
        ("clean", "it was interrupted", "run `hoodoo table clean`"),
        ("restore", "it was interrupted", "finish it with Hudi, which began it"),
        ("indexing", "the plan was not executed", "run the service that was planned, or unschedule it with Hudi"),
    ],
)
def test_services_that_stopped_are_warnings(table, found, action, text, advice):
    (table.path / f".hoodie/20260101000000000.{action}.requested").touch()
    (table.path / f".hoodie/20260101000000000.{action}.inflight").touch()

    (finding,) = found(table.diagnose(now=later(days=3)), "pending")
    assert (finding.status, finding.advice) == (Status.WARNING, advice)
    assert text in finding.found


def test_heartbeats_without_a_pending_instant_are_listed(table, found):
    folder = table.path / ".hoodie/.heartbeat"
    folder.mkdir(exist_ok=True)
    (folder / "20250101000000000").touch()

    (finding,) = found(table.diagnose(), "pending", Status.INFO)
    assert finding.places[0].file == ".hoodie/.heartbeat/20250101000000000"
