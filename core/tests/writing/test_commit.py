"""The result of a commit, and its metadata."""

from __future__ import annotations

import pytest
from attrs import evolve

from hoodoo.writing.commit import Timing, commit_from, metadata_of
from hoodoo.writing.file_status import FileStatus

INSTANT = "20260101000000000"
BASE = FileStatus("p", "f", "p/f_0-1-2_1.parquet", "20250101000000000", 4, 1, 2, 3, 5, 9, 100, 0.25)
NEW = FileStatus("q", "g", "q/g_0-1-2_1.parquet", "", 2, 2, 0, 0, 0, 2, 50, 0.5, event_times=(10, 30))
LOG = FileStatus("p", "f", "p/.f_1.log.2_0-1-2", "20250101000000000", 1, 0, 1, 0, 0, 1, 7, 0.0, base_file="f.parquet")


def made(*statuses, **more):
    return metadata_of("upsert", statuses, "{}", **more)


def test_counts_are_added_over_all_files():
    commit = commit_from("t", INSTANT, made(BASE, NEW))
    assert (commit.instant, commit.operation) == (INSTANT, "upsert")
    assert (commit.rows_incoming, commit.rows_ignored) == (11, 5)
    assert (commit.rows_inserted, commit.rows_updated, commit.rows_deleted) == (3, 2, 3)
    assert (commit.files, commit.bytes) == (2, 150)
    assert commit.write_seconds == 0.75


def test_a_status_without_a_file_is_counted_and_not_listed():
    metadata = made(FileStatus.nothing_written("p", 3, 2))
    assert list(metadata.stats()) == []
    commit = commit_from("t", INSTANT, metadata)
    assert (commit.rows_incoming, commit.rows_ignored, commit.files) == (3, 2, 0)


def test_the_stat_of_a_file():
    [stat] = made(BASE).stats()
    assert (stat.file_id, stat.path, stat.prev_commit) == ("f", BASE.path, BASE.previous)
    assert (stat.num_writes, stat.num_inserts, stat.num_update_writes, stat.num_deletes) == (4, 1, 2, 3)
    assert (stat.total_upsert_time, stat.total_create_time) == (250, 0)
    [stat] = made(NEW).stats()
    assert stat.prev_commit == "null"
    assert (stat.total_upsert_time, stat.total_create_time) == (0, 500)


def test_a_log_has_its_version():
    [stat] = made(LOG).stats()
    assert stat.extra["logVersion"] == 2
    assert stat.base_file == "f.parquet"
    [base] = made(BASE).stats()
    assert base.extra == {}


def test_event_times_span_all_files():
    commit = commit_from("t", INSTANT, made(BASE, NEW, evolve(NEW, path="q/h.parquet", event_times=(5, 20))))
    assert (commit.min_event_time, commit.max_event_time) == (5, 30)
    assert commit_from("t", INSTANT, made(BASE)).min_event_time is None


def test_times_are_kept_to_a_millisecond():
    commit = commit_from("t", INSTANT, made(BASE, timing=Timing(1.23456, 0.5)))
    assert (commit.seconds, commit.index_seconds) == (1.235, 0.5)
    commit = commit_from("t", INSTANT, made(BASE))
    assert (commit.seconds, commit.index_seconds) == (None, None)


@pytest.mark.parametrize("text", ["", "-1", "x", "1e9", "\u0661"])
def test_a_count_of_another_writer_may_be_anything(text):
    metadata = made(BASE)
    metadata = evolve(metadata, extra_metadata={**metadata.extra_metadata, "hoodoo.seconds": text})
    assert commit_from("t", INSTANT, metadata).seconds is None


def test_the_write_id_and_the_replaced_groups_are_part_of_it():
    metadata = made(BASE, replaced={"p": ("f",)}, write_id="mine")
    assert metadata.replaced == {"p": ("f",)}
    assert "mine" in metadata.extra_metadata.values()
