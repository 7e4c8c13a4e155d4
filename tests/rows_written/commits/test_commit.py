"""Durations in a commit, and event times if requested; the history of the table returns the same values."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import hoodoo
from hoodoo.errors import OptionError, SchemaError
from hoodoo.testing.engine import write_arrow

pytestmark = pytest.mark.slow

OPTIONS = {"table_name": "t", "record_key": "id", "partition_by": "place"}
TRACK = {"hoodie.write.track.event.time.watermark": "true"}


def write(path: Path, ids: str, places: str, when: Any = None, **options: Any) -> hoodoo.Commit:
    columns = {"id": list(ids), "place": list(places), "ts": pa.array(range(len(ids))), "note": ["n"] * len(ids)}
    if when is not None:
        columns["at"] = when
    # one core: tasks do not share partitions
    return write_arrow(pa.table(columns), path, {**OPTIONS, **options}, cores=1)


@pytest.mark.parametrize("index", ["simple", "bloom", "bucket", "global-simple", "global-bloom"])
def test_times(index: str, tmp_path: Path) -> None:
    write(tmp_path, "a", "x", index=index)
    commit = write(tmp_path, "ab", "xy", index=index)
    assert commit.seconds
    if "global" in index:
        assert commit.index_seconds is None
    else:
        assert commit.index_seconds is not None
        assert 0 <= commit.index_seconds <= commit.seconds
    assert commit.write_seconds > 0
    assert commit == hoodoo.Table(tmp_path).history()[0]


@pytest.mark.parametrize("version", [6, 9])
@pytest.mark.parametrize("table_type", ["COPY_ON_WRITE", "MERGE_ON_READ"])
def test_event_times_of_the_ordering_column(table_type: str, version: int, tmp_path: Path) -> None:
    """Event times with ten digits are seconds, and those with thirteen are milliseconds.

    Other values and deleted rows are ignored.
    """
    options = {"ordering": "at", "table_type": table_type, "table_version": version}
    numbers = [1_700_000_000, 1_700_000_001_234, 77]
    plain = write(tmp_path, "abc", "xyx", pa.array(numbers), **options)
    assert (plain.min_event_time, plain.max_event_time) == (None, None)
    commit = write(tmp_path, "abc", "xyx", pa.array([n + 1 for n in numbers]), **TRACK)
    assert (commit.min_event_time, commit.max_event_time) == (1_700_000_001_000, 1_700_000_001_235)
    assert commit == hoodoo.Table(tmp_path).history()[0]
    gone = write(tmp_path, "a", "x", pa.array([1_700_000_009]), operation="delete", **TRACK)
    assert (gone.min_event_time, gone.max_event_time) == (None, None)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (pa.array([date(2024, 1, 2), None]), (1_704_153_600_000,) * 2),
        (
            pa.array([datetime(2024, 1, 2, tzinfo=UTC), datetime(2024, 1, 3, tzinfo=UTC)]),
            (1704153600000, 1704240000000),
        ),
        (pa.array(["1700000000", "yesterday"]), (1_700_000_000_000,) * 2),
        (pa.array([None, None], pa.int64()), (None, None)),
    ],
)
def test_event_times_of_a_named_column(values: pa.Array, expected: tuple[int | None, ...], tmp_path: Path) -> None:
    commit = write(tmp_path, "ab", "xx", values, **{"hoodie.payload.event.time.field": "at"})
    assert (commit.min_event_time, commit.max_event_time) == expected


def test_a_column_that_has_no_event_times_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="event_time_field"):
        write(tmp_path, "a", "x", **TRACK)
    with pytest.raises(SchemaError, match="no column 'when'"):
        write(tmp_path, "a", "x", event_time_field="when")
    with pytest.raises(SchemaError, match="type double"):
        write(tmp_path, "a", "x", pa.array([1.5]), event_time_field="at")
    assert not (tmp_path / ".hoodie").exists()
