"""Archives of both layouts, built from the description of their format with struct, fastavro and pyarrow.

No archive in these tests was written by another writer, such as Hudi.
"""

from __future__ import annotations

import io
import json
import logging
import struct
from random import Random

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hoodoo.archived_timeline import Archive
from hoodoo.errors import CorruptTableError, UnsupportedTable
from hoodoo.storage import LocalStorage
from hoodoo.timeline import CommitMetadata, Instant, Timeline, WriteStat
from hoodoo.timeline.codec.commit_schemas import COMMIT_METADATA, REPLACE_COMMIT_METADATA

LOGS, HISTORY = ".hoodie/archived", ".hoodie/timeline/history"
FIRST, SECOND = f"{LOGS}/.commits_.archive.1_1-0-1", f"{LOGS}/.commits_.archive.2_1-0-1"


def time_of(number):
    return f"202401010000{number:02d}000"


def metadata_of(number, replaced=None):
    name = f"f-{number}_1-0-1_{time_of(number)}.parquet"
    stat = WriteStat(f"f-{number}", f"p/{name}", "p", num_writes=number)
    return CommitMetadata("INSERT", {"p": (stat,)}, {"schema": "{}"}, replaced and {"p": tuple(replaced)})


def record_of(metadata):
    """Return the metadata of a commit as fastavro decodes it from hoodoo's file."""
    (record,) = fastavro.reader(io.BytesIO(metadata.to_avro()))
    return record


def optional(name, type_):
    return {"name": name, "type": ["null", type_], "default": None}


ENTRY = {
    "type": "record",
    "name": "HoodieArchivedMetaEntry",
    "namespace": "org.apache.hudi.avro.model",
    "fields": [
        optional("hoodieCommitMetadata", COMMIT_METADATA),
        optional("commitTime", "string"),
        optional("actionType", "string"),
        {"name": "version", "type": ["int", "null"], "default": 1},
        optional("actionState", "string"),
        optional(
            "hoodieReplaceCommitMetadata",
            {
                **REPLACE_COMMIT_METADATA,
                # the second use of a named type is by its name
                "fields": [
                    optional(
                        "partitionToWriteStats",
                        {"type": "map", "values": {"type": "array", "items": "HoodieWriteStat"}},
                    ),
                    *REPLACE_COMMIT_METADATA["fields"][1:],
                ],
            },
        ),
        optional("stateTransitionTime", "string"),
    ],
}


def entry(number, action="commit", state="COMPLETED", metadata=None):
    key = "hoodieCommitMetadata" if metadata is None or metadata.replaced is None else "hoodieReplaceCommitMetadata"
    record = {"commitTime": time_of(number), "actionType": action, "version": 1, "actionState": state}
    return record if metadata is None else record | {key: record_of(metadata)}


def block(entries, schema=ENTRY, version=3, kind=3):
    """Return one block of a log file, with these entries as Avro records."""
    parsed = fastavro.parse_schema(schema)
    content = struct.pack(">II", version, len(entries))
    for record in entries:
        body = io.BytesIO()
        fastavro.schemaless_writer(body, parsed, record)
        content += struct.pack(">I", body.tell()) + body.getvalue()
    text = json.dumps(schema).encode()
    inner = struct.pack(">II", 1, kind) + struct.pack(">III", 1, 2, len(text)) + text
    inner += struct.pack(">Q", len(content)) + content + struct.pack(">I", 0)
    size = len(inner) + 8
    return b"#HUDI#" + struct.pack(">Q", size) + inner + struct.pack(">Q", size + 6)


def history(rows):
    """Return the bytes of a Parquet file with rows of (instant number, completion time, action, metadata bytes)."""
    times, completions, actions, bodies = zip(*rows, strict=True)
    columns = {
        "instantTime": [time_of(number) for number in times],
        "completionTime": completions,
        "action": actions,
        "metadata": pa.array(bodies, pa.binary()),
        "plan": pa.array([None] * len(rows), pa.binary()),
        "version": pa.array([1] * len(rows), pa.int32()),
    }
    sink = io.BytesIO()
    pq.write_table(pa.table(columns), sink)
    return sink.getvalue()


def manifest(*names):
    return json.dumps({"files": [{"fileName": name, "fileLen": 1} for name in names]}).encode()


@pytest.fixture
def storage(tmp_path):
    return LocalStorage(str(tmp_path))


@pytest.fixture
def logs(storage):
    """Return an archive of layout 1: commits 1, 3 and 4, a clean, earlier states, and commit 5, which is active too."""
    first = [entry(1, state="INFLIGHT"), entry(1, metadata=metadata_of(1))]
    storage.create(FIRST, block(first) + block([entry(2, "clean")]))
    overwrite = entry(3, "replacecommit", metadata=metadata_of(3, ["f-1", "f-0"]))
    second = [entry(3, "replacecommit", "REQUESTED"), overwrite]
    second += [entry(4, state=None, metadata=metadata_of(4)), entry(5, metadata=metadata_of(5))]
    storage.create(SECOND, block(second))
    storage.create(f"{LOGS}/other", b"x")
    for number in (5, 6):
        storage.create(f".hoodie/{time_of(number)}.commit", metadata_of(number).to_json())
    return Archive(Timeline.load(storage))


@pytest.fixture
def files(storage):
    """Return a similar archive of layout 2: commit 1 was completed after 3, and the manifest does not list one file."""
    rows = [
        (1, time_of(4), "commit", metadata_of(1).to_avro()),
        (2, time_of(2), "clean", b"x"),
        (3, time_of(3), "replacecommit", metadata_of(3, ["f-1", "f-0"]).to_avro()),
    ]
    storage.create(f"{HISTORY}/{time_of(1)}_{time_of(3)}_0.parquet", history(rows))
    # a commit from before an upgrade: JSON, and no completion time
    storage.create(
        f"{HISTORY}/{time_of(4)}_{time_of(4)}_0.parquet", history([(4, None, "commit", metadata_of(4).to_json())])
    )
    storage.create(f"{HISTORY}/{time_of(0)}_{time_of(0)}_0.parquet", b"no longer named")
    names = (f"{time_of(1)}_{time_of(3)}_0.parquet", f"{time_of(4)}_{time_of(4)}_0.parquet")
    storage.create(f"{HISTORY}/manifest_9", manifest("20_20_0.parquet"))
    storage.create(f"{HISTORY}/manifest_10", manifest(*names))
    storage.create(f"{HISTORY}/_version_", b"10")
    storage.create(f".hoodie/timeline/{time_of(6)}_{time_of(7)}.commit", metadata_of(6).to_avro())
    return Archive(Timeline.load(storage, 2))


@pytest.fixture(params=["logs", "files"])
def archive(request):
    return request.getfixturevalue(request.param)


def test_what_was_archived(archive):
    assert [(instant.time, instant.action) for instant in archive.instants] == [
        (time_of(1), "commit"),
        (time_of(2), "clean"),
        (time_of(3), "replacecommit"),
        (time_of(4), "commit"),
    ]
    assert all(instant.is_completed for instant in archive.instants)
    assert [instant.time for instant in archive.commits] == [time_of(1), time_of(3), time_of(4)]
    assert [archive.commit_metadata(instant) for instant in archive.commits] == [
        metadata_of(1),
        metadata_of(3, ["f-1", "f-0"]),
        metadata_of(4),
    ]
    assert archive.replaced == {("p", "f-0"): time_of(3), ("p", "f-1"): time_of(3)}


def test_as_of_cuts_the_archive(archive):
    cut = Archive(archive.timeline.as_of(time_of(1)))
    assert [instant.time for instant in cut.instants] == [time_of(1)]
    assert cut.replaced == {}


def test_completion_times(logs, files, storage):
    assert logs.completion_time_of(time_of(1)) == time_of(1)
    assert files.completion_time_of(time_of(1)) == time_of(4)
    assert files.completion_time_of(time_of(4)) == time_of(4)
    assert files.completion_time_of(time_of(2)) is None
    assert files.completion_time_of(time_of(6)) is None


def test_commits_that_an_incremental_read_misses(logs, files):
    """Layout 1 compares instant times, layout 2 completion times; in `files`, commit 1 was completed after commit 3."""
    for archive in (logs, files):
        assert archive.commits_between(None, None)
        assert archive.commits_between(time_of(3), None)
        assert not archive.commits_between(time_of(4), None)
    assert [i.time for i in logs.commits_between(time_of(1), time_of(3))] == [time_of(3)]
    assert [i.time for i in files.commits_between(time_of(1), time_of(3))] == [time_of(3)]
    assert [i.time for i in files.commits_between(time_of(3), None)] == [time_of(1), time_of(4)]


@pytest.mark.parametrize("layout", [1, 2])
def test_no_archive(storage, layout):
    storage.create(f"{LOGS}/.gitkeep", b"")
    storage.create(f"{HISTORY}/.gitkeep", b"")
    archive = Archive(Timeline.load(storage, layout))
    assert archive.instants == ()
    assert not archive.commits_between(None, None)
    assert archive.replaced == {}


def test_cleans_alone_do_not_make_a_read_incomplete(storage):
    storage.create(FIRST, block([entry(2, "clean"), entry(3, "rollback")]))
    assert not Archive(Timeline.load(storage)).commits_between(None, None)


def test_a_compaction_is_archived_as_a_commit(storage):
    storage.create(FIRST, block([entry(1, "compaction", "INFLIGHT"), entry(1, metadata=metadata_of(1))]))
    assert Archive(Timeline.load(storage)).instants == (Instant(time_of(1), "commit"),)


def test_the_folder_can_be_another(storage):
    storage.create(f".hoodie/old/{FIRST.rpartition('/')[2]}", block([entry(1, metadata=metadata_of(1))]))
    timeline = Timeline.load(storage, 1, archive_folder=".hoodie/old")
    assert len(Archive(timeline).commits) == 1
    assert Archive(Timeline.load(storage)).commits == ()


def test_a_torn_block_is_skipped_and_reported(storage, caplog):
    whole = block([entry(1, metadata=metadata_of(1))])
    storage.create(FIRST, whole + block([entry(2, metadata=metadata_of(2))])[:-30])
    with caplog.at_level(logging.WARNING):
        assert [i.time for i in Archive(Timeline.load(storage)).instants] == [time_of(1)]
    assert f"'{FIRST}'" in caplog.text
    assert f"at offset {len(whole)}" in caplog.text


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (block([entry(1)], version=2), "content version 2"),
        (block([entry(1)], kind=5), "PARQUET_DATA"),
    ],
)
def test_other_blocks_are_refused(storage, body, message):
    storage.create(FIRST, body)
    with pytest.raises(UnsupportedTable, match=message):
        _ = Archive(Timeline.load(storage)).instants


def test_a_damaged_record_is_named(storage):
    body = bytearray(block([entry(1, metadata=metadata_of(1))]))
    at = body.index(b"p/f-1_1-0-1") - 1
    body[at] ^= 0x7F
    storage.create(FIRST, bytes(body))
    with pytest.raises(CorruptTableError, match="is damaged") as caught:
        _ = Archive(Timeline.load(storage)).instants
    assert (caught.value.file, caught.value.offset) == (FIRST, 0)


def test_without_a_version_the_latest_manifest_counts(files, storage):
    storage.delete(f"{HISTORY}/_version_")
    again = Archive(Timeline.load(storage, 2))
    assert again.instants == files.instants
    storage.create(f"{HISTORY}/_version_", b"9")
    with pytest.raises(CorruptTableError, match=r"20_20_0\.parquet.*gone"):
        _ = Archive(Timeline.load(storage, 2)).instants


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "not a manifest"),
        (b"[]", "a list instead of an object"),
        (b'{"files": 3}', "files is a whole number instead of a list"),
        (manifest("../../x_1_0.parquet"), "not an archive file"),
        (b'{"files": [{}]}', "not an archive file"),
    ],
)
def test_a_damaged_manifest_is_named(files, storage, body, message):
    storage.replace(f"{HISTORY}/manifest_10", body)
    with pytest.raises(CorruptTableError, match=message) as caught:
        _ = Archive(Timeline.load(storage, 2)).instants
    assert caught.value.file == f"{HISTORY}/manifest_10"


def test_a_missing_manifest_is_named(files, storage):
    storage.delete(f"{HISTORY}/manifest_10")
    with pytest.raises(CorruptTableError, match="manifest_10', the manifest that the archive names, does not exist"):
        _ = Archive(Timeline.load(storage, 2)).instants


@pytest.mark.parametrize("layout", [1, 2])
def test_damaged_bytes_end_in_a_value_or_an_error(request, storage, layout):
    archive = request.getfixturevalue("logs" if layout == 1 else "files")
    path = SECOND if layout == 1 else f"{HISTORY}/{time_of(1)}_{time_of(3)}_0.parquet"
    body = storage.read(path)
    random = Random(layout)
    outcomes = set()
    for number in range(150):
        damaged = bytearray(body)
        damaged[random.randrange(len(body))] ^= 1 << random.randrange(8)
        storage.replace(path, bytes(damaged[: random.randrange(len(body))] if number % 10 == 0 else damaged))
        again = Archive(archive.timeline)
        try:
            assert len([again.commit_metadata(instant) for instant in again.commits]) <= 3
            outcomes.add("read")
        except (CorruptTableError, UnsupportedTable) as error:
            outcomes.add(type(error).__name__)
    assert {"read", "CorruptTableError"} <= outcomes
