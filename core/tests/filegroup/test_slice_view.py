"""Visibility of files, tested with handmade timelines and empty files."""

from __future__ import annotations

import json

import pytest

from hoodoo.errors import CorruptTableError, UnsupportedTable
from hoodoo.filegroup import base_slices, file_groups, file_slices
from hoodoo.storage import LocalStorage
from hoodoo.timeline import Timeline

T1, T2, T3, T4 = (f"2024010100000{n}000" for n in range(1, 5))


@pytest.fixture
def storage(tmp_path):
    return LocalStorage(str(tmp_path))


def put(storage, partition, file_id, instant, token="0-1-1"):
    path = f"{partition}/{file_id}_{token}_{instant}.parquet".lstrip("/")
    storage.create(path, b"1234")
    return path


def complete(storage, instant, action="commit", paths=(), replaced=None):
    stats = [{"fileId": path.rpartition("/")[2].split("_")[0], "path": path, "partitionPath": "p"} for path in paths]
    document = {"partitionToWriteStats": {"p": stats}, "operationType": "UPSERT"}
    if replaced:
        document["partitionToReplaceFileIds"] = replaced
    storage.create(f".hoodie/{instant}.{action}", json.dumps(document).encode())


def visible(storage, as_of=None):
    return [s.path for s in file_slices(storage, Timeline.load(storage), as_of)]


def test_the_latest_committed_file_of_each_group_counts(storage):
    old, new, other = put(storage, "p", "a-0", T1), put(storage, "p", "a-0", T2), put(storage, "", "b-0", T1)
    put(storage, "p", "a-0", T3)
    put(storage, "q", "c-0", T4)
    complete(storage, T1)
    complete(storage, T2)
    storage.create(f".hoodie/{T3}.inflight", b"")
    assert visible(storage) == [other, new]
    assert visible(storage, T1) == [other, old]
    assert [s.size for s in file_slices(storage, Timeline.load(storage))] == [4, 4]


@pytest.mark.parametrize("find", [file_slices, base_slices])
def test_base_files_of_a_bootstrap_without_rows_are_refused(storage, find):
    path = put(storage, "p", "a-0", "00000000000001")
    complete(storage, "00000000000001", paths=[path])
    complete(storage, T1)

    with pytest.raises(UnsupportedTable, match="rewrite such files with Hudi") as refused:
        find(storage, Timeline.load(storage))

    assert refused.value.code == "bootstrap"
    assert path in str(refused.value)
    put(storage, "p", "a-0", T1)
    assert len(find(storage, Timeline.load(storage))) == 1, "the file group was rewritten since"


def test_files_older_than_the_timeline_are_committed(storage):
    archived = put(storage, "p", "a-0", T1)
    put(storage, "p", "b-0", T3)
    complete(storage, T2)
    assert visible(storage) == [archived]
    assert visible(storage, T1) == [archived]
    assert visible(storage, "20230101000000000") == []


def test_replaced_groups_are_hidden_from_the_replace_commit_on(storage):
    before, after = put(storage, "p", "a-0", T1), put(storage, "p", "b-0", T2)
    complete(storage, T1)
    complete(storage, T2, "replacecommit", replaced={"p": ["a-0"]})
    assert visible(storage) == [after]
    assert visible(storage, T1) == [before]


def test_other_files_are_ignored(storage):
    complete(storage, T1)
    for path in ("p/.hoodie_partition_metadata", "p/notes.parquet", "p/_SUCCESS", f"p/.a-0_0-1-1_{T1}.parquet.crc"):
        storage.create(path, b"")
    assert visible(storage) == []


def test_of_two_attempts_the_one_that_the_commit_names_counts(storage):
    named = put(storage, "p", "a-0", T1, "0-1-1")
    put(storage, "p", "a-0", T1, "0-1-9")
    complete(storage, T1, paths=[named])
    assert visible(storage) == [named]
    (group,) = file_groups(storage, Timeline.load(storage))
    assert [s.path for s in group.slices] == [named]


def test_a_damaged_replace_commit_is_named(storage):
    put(storage, "p", "a-0", T1)
    complete(storage, T1)
    storage.create(f".hoodie/{T2}.replacecommit", b'{"partitionToReplaceFileIds": {')
    with pytest.raises(CorruptTableError, match=f"{T2}.replacecommit"):
        visible(storage)


@pytest.mark.parametrize("extension", ["orc", "hfile"])
def test_base_files_of_another_format_are_refused_and_not_passed_over(storage, extension):
    complete(storage, T1)
    storage.create(f"p/a-0_0-1-1_{T2}.{extension}", b"")
    assert visible(storage) == []  # its commit is not there
    complete(storage, T2)
    with pytest.raises(UnsupportedTable, match=f"'p/a-0_0-1-1_{T2}.{extension}' is in {extension.upper()} format"):
        visible(storage)
