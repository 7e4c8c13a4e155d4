"""The status of a written file as text."""

from __future__ import annotations

import pytest
from attrs import evolve

from hoodoo.writing.data_files.data_file import DataFile, ReturnedFile
from hoodoo.writing.file_status import FileStatus

FULL = FileStatus(
    partition="p=ä",
    file_id="f",
    path="p=ä/f.parquet",
    previous="20260101000000000",
    rows=4,
    inserted=1,
    updated=2,
    deleted=3,
    ignored=5,
    incoming=8,
    size=99,
    seconds=0.5,
    base_file="b",
    log_files=("l1", "l2"),
    index_seconds=0.25,
    event_times=(1, 2),
    origin=(None, "p='ä'"),
    located=True,
    deletes=False,
)


@pytest.mark.parametrize("status", [FULL, FileStatus.nothing_written("p", 3, 2)])
def test_a_status_comes_back_from_text(status):
    text = status.to_json()
    assert "\n" not in text
    assert FileStatus.from_json(text) == status


def test_the_content_of_a_returned_file_is_not_in_the_text():
    file = ReturnedFile(DataFile("20260101000000000", "p=ä/f.parquet", "CREATE", "p=ä"), b"its content")
    status = evolve(FULL, returned=file)
    text = status.to_json()
    assert "its content" not in text
    assert FileStatus.from_json(text, b"its content") == status


def test_nothing_written_counts_rows_and_names_no_file():
    status = FileStatus.nothing_written("p", 3, 2)
    assert (status.partition, status.path, status.incoming, status.ignored) == ("p", "", 3, 2)
    assert (status.rows, status.inserted, status.updated, status.deleted, status.size) == (0, 0, 0, 0, 0)
