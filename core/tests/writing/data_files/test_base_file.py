"""A base file while it is written: name, marker, counts, status."""

from __future__ import annotations

import re

import pyarrow.parquet as pq
import pytest

from hoodoo.errors import CommitError
from hoodoo.format.bloom import KeyFooter
from hoodoo.txn.markers import close_markers, drop_markers, list_markers
from hoodoo.writing.data_files.base_file import Output
from hoodoo.writing.data_files.row_assembly import inserted_rows
from hoodoo.writing.data_files.task_attempt import TaskAttempt, WriteToken
from hoodoo.writing.routing.task_plan import SliceRef

INSTANT = "20260101000000000"


@pytest.fixture
def write(storage, attempt, records):
    """Return a function that writes rows to a base file in a new attempt, and returns the status of the file."""

    def make(plan, *values, replaced=None, carries=False, **close):
        with Output(plan, TaskAttempt(storage, WriteToken(7)), "x", "f-0", replaced, carries) as output:
            newer = records(plan, *values)
            output.write(inserted_rows(newer, plan.table.schema, output.stamp, 0))
            output.add_new_keys(newer)
            output.track_event_time(newer)
            output.inserted = len(newer) if replaced is None else 0
            return output.close(len(newer), 0, **close)

    return make


def files(storage):
    return [info.path for info in storage.walk() if info.path.endswith(".parquet")]


def test_the_file_has_its_rows_and_the_status_its_counts(storage, plan_of, write):
    status = write(plan_of(), ("a", "x", 1, "1"), ("b", "x", 1, "2"))
    assert re.fullmatch(rf"x/f-0_7-\d+-\d+_{INSTANT}\.parquet", status.path)
    assert files(storage) == [status.path]
    assert (status.rows, status.inserted, status.incoming, status.previous) == (2, 2, 2, "")
    assert status.size == storage.size(status.path)
    assert pq.read_table(f"{storage.uri.removeprefix('file://')}/{status.path}")["v"].to_pylist() == ["1", "2"]


def test_the_marker_says_whether_a_file_is_replaced(storage, plan_of, write):
    first = write(plan_of(), ("a", "x", 1, "1"))
    assert list_markers(storage, INSTANT) == [(first.path, "CREATE")]
    ref = SliceRef("f-0", "20250101000000000", first.path, first.size)
    status = write(plan_of(), ("a", "x", 2, "2"), replaced=ref, keep=True)
    assert (status.path, "MERGE") in list_markers(storage, INSTANT)
    assert status.previous == "20250101000000000"


def test_a_file_in_which_nothing_changed_is_removed(storage, plan_of, write):
    ref = SliceRef("f-0", "20250101000000000", "x/old.parquet", 1)
    status = write(plan_of(), ("a", "x", 1, "1"), replaced=ref)
    assert (status.path, status.rows, status.size) == ("", 0, 0)
    assert files(storage) == []


def test_an_error_removes_what_was_written(storage, attempt, plan_of, records):
    plan = plan_of()

    def fail():
        with Output(plan, attempt, "x", "f-0", None) as output:
            output.write(inserted_rows(records(plan, ("a", "x", 1, "1")), plan.table.schema, output.stamp, 0))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert files(storage) == []


def test_nothing_is_written_for_a_commit_that_has_ended(storage, plan_of, write):
    close_markers(storage, INSTANT)
    with pytest.raises(CommitError, match=INSTANT):
        write(plan_of(), ("a", "x", 1, "1"))
    assert files(storage) == []


def test_a_file_whose_marker_a_rollback_removed_is_deleted_at_the_end(storage, attempt, plan_of, records):
    plan = plan_of()
    with Output(plan, attempt, "x", "f-0", None) as output:
        output.write(inserted_rows(records(plan, ("a", "x", 1, "1")), plan.table.schema, output.stamp, 0))
        drop_markers(storage, INSTANT)
        with pytest.raises(CommitError, match="rolled back"):
            output.close(1, 0)
    assert files(storage) == []


@pytest.mark.parametrize("carries", [False, True])
def test_the_bloom_filter_has_each_key_once(storage, plan_of, write, carries):
    plan = plan_of(bloom_filter=True)
    first = write(plan, ("a", "x", 1, "1"))
    ref = SliceRef("f-0", "20250101000000000", first.path, first.size)
    status = write(plan, ("a", "x", 1, "1"), ("b", "x", 1, "1"), replaced=ref, carries=carries, keep=True)
    with pq.ParquetFile(f"{storage.uri.removeprefix('file://')}/{status.path}") as file:
        bloom = KeyFooter.of(file).bloom
    assert bloom.count == (3 if carries else 2)  # an extended one also counts the key that it had


def test_event_times_span_all_tracked_records(plan_of, write):
    plan = plan_of(track_event_time=True)
    status = write(plan, ("a", "x", 1_700_000_000, "1"), ("b", "x", 1_600_000_000, "1"))
    assert status.event_times == (1_600_000_000_000, 1_700_000_000_000)
