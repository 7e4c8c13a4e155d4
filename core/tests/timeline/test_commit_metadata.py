"""Commit metadata: written, tolerated and rejected content."""

from __future__ import annotations

import json

import pytest

from hoodoo.errors import CorruptTableError
from hoodoo.timeline import CommitMetadata, CommitOutline, WriteStat, WrittenFile

FILE = ".hoodie/20240101000000000.commit"
STAT = {"fileId": "f-0", "path": "p/f-0_1-0-1_20240101000000000.parquet", "partitionPath": "p"}

in_both_forms = pytest.mark.parametrize("form", [CommitMetadata, CommitOutline])


def body(**changes):
    document = {"partitionToWriteStats": {"p": [STAT]}, "extraMetadata": {}, "operationType": "UPSERT", **changes}
    return json.dumps(document).encode()


def test_round_trip():
    stat = WriteStat("f-0", "ü/x", "ü", "20240101000000000", 3, 1, 2, 1, 10, 0, 10, total_upsert_time=5)
    metadata = CommitMetadata("UPSERT", {"ü": (stat,)}, {"schema": "{}", "k": "v"}, {"q": ("a-0", "b-0")})
    again = CommitMetadata.from_json(metadata.to_json(), FILE)
    assert again == metadata
    assert again.to_json() == metadata.to_json()
    assert again.touched() == {("ü", "f-0"), ("q", "a-0"), ("q", "b-0")}
    assert again.replaced == {"q": ("a-0", "b-0")}


def test_unknown_and_missing_keys_are_fine():
    changed = body(partitionToWriteStats={"p": [{**STAT, "logFiles": ["x"], "new": {"a": 1}}]}, future=[1])
    (stat,) = CommitMetadata.from_json(changed, FILE).stats()
    assert stat.num_writes == 0
    assert stat.prev_commit == "null"
    assert stat.to_json()["logFiles"] == ["x"]
    assert CommitMetadata.from_json(b"{}", FILE).operation_type == "UNKNOWN"


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"extraMetadata": None},
        {"partitionToWriteStats": None},
        {"partitionToWriteStats": {"p": None}},
        {"partitionToWriteStats": {"p": [dict.fromkeys(STAT)]}},
        {"partitionToWriteStats": {"p": [{**STAT, "fileSizeInBytes": None, "logOffset": 7, "new": {"a": 1}}]}},
        {"extraMetadata": {"schema": "{}", "k": None}, "operationType": None, "compacted": None},
        {"partitionToReplaceFileIds": {"p": ["f-1"], "q": []}},
        {"partitionToReplaceFileIds": {"p": None}},
    ],
)
def test_a_summary_says_what_the_whole_says(changes):
    whole = CommitMetadata.from_json(body(**changes), FILE)
    summary = CommitOutline.from_json(body(**changes), FILE)
    assert summary == CommitOutline.of(whole)
    assert summary.touched() == whole.touched()
    assert summary.extra_metadata == whole.extra_metadata
    assert summary.schema == whole.extra_metadata.get("schema")
    found = [(file.file_id, file.path, file.size) for file in summary.written()]
    assert found == [(stat.file_id, stat.path, stat.file_size_in_bytes) for stat in whole.stats()]


def test_a_summary_has_the_numbers_of_each_file():
    numbers = {"fileSizeInBytes": 9, "numWrites": 3, "totalWriteBytes": 5, "logOffset": 4}
    changed = body(partitionToWriteStats={"p": [{**STAT, **numbers}]}, extraMetadata={"schema": "{}"})
    wanted = [WrittenFile("f-0", STAT["path"], "p", 9, 3, 5, 4)]
    for summary in (CommitOutline.from_json(changed, FILE), CommitOutline.of(CommitMetadata.from_json(changed, FILE))):
        assert list(summary.written()) == wanted


@in_both_forms
@pytest.mark.parametrize(
    "damaged",
    [
        b"",
        b"{",
        b"[]",
        b"\xff\xfe\x00",
        b"null",
        body()[:-7],
        b"[" * 100_000,
        body(partitionToWriteStats=[]),
        body(partitionToWriteStats={"p": {}}),
        body(partitionToWriteStats={"p": [1]}),
        body(partitionToWriteStats={"p": [{**STAT, "numWrites": "3"}]}),
        body(partitionToWriteStats={"p": [{**STAT, "path": 3}]}),
        body(partitionToReplaceFileIds={"p": [1]}),
        body(extraMetadata={"schema": {}}),
    ],
)
def test_damage_names_the_file(damaged, form):
    with pytest.raises(CorruptTableError, match=FILE) as caught:
        form.from_json(damaged, FILE)
    assert caught.value.file == FILE


@in_both_forms
@pytest.mark.parametrize(
    "changes",
    [
        {"partitionToWriteStats": {"p": [{**STAT, "path": "../../etc/x"}]}},
        {"partitionToWriteStats": {"p": [{**STAT, "path": "/etc/x"}]}},
        {"partitionToWriteStats": {"..": [STAT]}},
        {"partitionToWriteStats": {"p": [{**STAT, "fileId": "../x"}]}},
        {"partitionToWriteStats": {"p": [{**STAT, "partitionPath": "a/../.."}]}},
        {"partitionToReplaceFileIds": {"../q": ["f-0"]}},
        {"partitionToReplaceFileIds": {"q": ["../f-0"]}},
    ],
)
def test_paths_outside_the_table_are_refused(changes, form):
    for extra in ({}, {"extraMetadata": {"schema": "{}"}}):
        with pytest.raises(CorruptTableError, match="refused") as caught:
            form.from_json(body(**{**extra, **changes}), FILE)
        assert caught.value.file == FILE
