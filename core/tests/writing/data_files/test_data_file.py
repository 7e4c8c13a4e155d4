"""Data files that a task stores: marker before the file, check after it."""

from __future__ import annotations

import pytest

from hoodoo.errors import CommitError
from hoodoo.txn.markers import delete_markers, list_markers, open_markers
from hoodoo.writing.data_files.data_file import DataFile, StoredFiles

INSTANT = "20260101000000000"
FILE = DataFile(INSTANT, "x/f.parquet", "MERGE")


@pytest.fixture
def files(storage):
    open_markers(storage, INSTANT, "test")
    return StoredFiles(storage)


def write(files, file=FILE, body=b"rows"):
    with files.open_output(file.path) as output:
        output.write(body)


def test_a_file_has_its_marker_before_it_is_opened(storage, files):
    files.begin(FILE)
    assert list_markers(storage, INSTANT) == [(FILE.path, "MERGE")]
    assert files.is_announced(FILE)
    write(files)
    assert files.finish(FILE) is None
    assert storage.read(FILE.path) == b"rows"


def test_the_first_file_of_a_file_group_creates_the_metadata_of_its_partition(storage, files):
    files.begin(FILE)
    assert not storage.exists("x/.hoodie_partition_metadata")
    files.begin(DataFile(INSTANT, "x/g.parquet", "CREATE", "x"))
    assert storage.exists("x/.hoodie_partition_metadata")


def test_a_file_without_its_marker_is_deleted(storage, files):
    files.begin(FILE)
    write(files)
    delete_markers(storage, INSTANT, FILE.path)
    assert not files.is_announced(FILE)
    with pytest.raises(CommitError, match=r"discarded 'x/f\.parquet'"):
        files.finish(FILE)
    assert not storage.exists(FILE.path)


def test_files_are_durable_at_once_unless_another_function_is_given(storage):
    later = []
    assert StoredFiles(storage).sync == storage.sync
    StoredFiles(storage, later.append).sync("f")
    assert later == ["f"]
