"""File groups, file slices and log files."""

from __future__ import annotations

from hoodoo.filegroup import FileGroup, FileSlice, LogFile


def log(number, instant="1", token="0-0-0", size=10):
    return LogFile(f"x/.f_{instant}.log.{number}_{token}", size, instant, number, token)


def base(instant, *logs):
    return FileSlice("x", "f", instant, f"x/f_0-0-0_{instant}.parquet", 100, logs)


def without_base(instant, *logs):
    return FileSlice("x", "f", instant, None, 0, logs)


def test_logs_are_read_by_instant_then_number_then_attempt():
    last_first = [log(1, "2"), log(10, token="1-0-0"), log(10), log(9)]
    assert sorted(last_first, key=lambda found: found.order) == last_first[::-1]


def test_paths_and_sizes_of_a_slice_include_its_logs():
    found = base("1", log(1), log(2, size=5))
    assert found.paths == (found.path, log(1).path, log(2).path)
    assert found.total_size == 115
    assert without_base("1", log(1)).paths == (log(1).path,)
    assert without_base("1", log(1)).total_size == 10
    assert base("1").total_size == 100


def test_the_first_slice_is_the_latest():
    assert FileGroup("x", "f", (base("2"), base("1"))).latest == base("2")


def test_logs_since_a_pending_compaction_belong_to_the_slice_before_it():
    group = FileGroup("x", "f", (without_base("2", log(1, "2")), base("1", log(2), log(1))), compaction="2")
    latest = group.latest
    assert latest.path == base("1").path
    assert latest.logs == (log(1), log(2), log(1, "2"))
    assert latest.compaction == "2"


def test_a_pending_compaction_is_noted_where_no_log_was_written_since():
    latest = FileGroup("x", "f", (base("1"),), compaction="2").latest
    assert latest == FileSlice("x", "f", "1", base("1").path, 100, compaction="2")


def test_the_latest_base_file_has_no_logs():
    assert FileGroup("x", "f", (without_base("2", log(1)), base("1", log(1)))).latest_base == base("1")
    assert FileGroup("x", "f", (without_base("2", log(1)),)).latest_base is None
