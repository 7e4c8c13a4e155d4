"""Commits in Avro: schemas and codecs of other writers, the output for other readers, JSON in layout 2."""

from __future__ import annotations

import io

import fastavro
import hudi
import pyarrow as pa
import pytest

from hoodoo.errors import CorruptTableError, UnsupportedTable
from hoodoo.storage import LocalStorage
from hoodoo.timeline import CommitMetadata, Timeline, WriteStat

FILE = ".hoodie/timeline/20240101000000000_20240101000000500.commit"
STAT = {"fileId": "f-0", "path": "p/f-0_1-0-1_20240101000000000.parquet", "partitionPath": "p"}
METADATA = CommitMetadata(
    "INSERT_OVERWRITE",
    {
        "ü": (
            WriteStat("f-0", "ü/f-0_1-0-1_20240101000000000.parquet", "ü", num_writes=3, total_create_time=7),
            WriteStat(
                "g-0",
                "ü/.g-0_20240101000000000.log.1_0-1-2",
                "ü",
                base_file="",
                log_files=(".g-0_20240101000000000.log.1_0-1-2",),
                extra={"logVersion": 1, "logOffset": 0, "totalLogBlocks": 2},
            ),
        )
    },
    {"schema": "{}", "k": "v"},
    {"q": ("a-0", "b-0")},
)


def container(record, schema, codec="null", times=1):
    body = io.BytesIO()
    fastavro.writer(body, fastavro.parse_schema(schema), [record] * times, codec=codec)
    return body.getvalue()


def schema_of(**fields):
    optional = [{"name": name, "type": ["null", type_], "default": None} for name, type_ in fields.items()]
    return {"type": "record", "name": "HoodieCommitMetadata", "namespace": "org.apache.hudi", "fields": optional}


def map_of(type_):
    return {"type": "map", "values": type_}


def stats_of(**fields):
    stat = {"type": "record", "name": "S", "fields": [{"name": n, "type": ["null", t]} for n, t in fields.items()]}
    return map_of({"type": "array", "items": stat})


def test_round_trip():
    body = METADATA.to_avro()
    (record,) = fastavro.reader(io.BytesIO(body))
    assert record["partitionToReplaceFileIds"] == {"q": ["a-0", "b-0"]}
    assert record["partitionToWriteStats"]["ü"][1]["logFiles"] == list(METADATA.write_stats["ü"][1].log_files)
    again = CommitMetadata.from_avro(body, FILE)
    assert again == METADATA
    assert CommitMetadata.from_json(again.to_json(), FILE) == METADATA
    assert CommitMetadata.from_avro(CommitMetadata("UPSERT").to_avro(), FILE).replaced is None


@pytest.mark.parametrize("codec", ["null", "deflate"])
def test_a_schema_with_fewer_and_other_fields(codec):
    schema = schema_of(
        partitionToWriteStats=stats_of(fileId="string", path="string", partitionPath="string", rowsOfTomorrow="long"),
        newToUs="double",
        extraMetadata=map_of({"type": "string", "avro.java.string": "String"}),
    )
    record = {
        "partitionToWriteStats": {"p": [STAT | {"rowsOfTomorrow": 3}]},
        "newToUs": 0.5,
        "extraMetadata": {"schema": "{}"},
    }
    metadata = CommitMetadata.from_avro(container(record, schema, codec), FILE)
    assert metadata.extra_metadata["schema"] == "{}"
    assert metadata.operation_type == "UNKNOWN"
    (stat,) = metadata.stats()
    assert (stat.file_id, stat.num_writes, stat.prev_commit) == ("f-0", 0, "null")
    assert stat.extra == {"rowsOfTomorrow": 3}


@pytest.mark.parametrize(
    ("schema", "record"),
    [
        (schema_of(operationType="long"), {"operationType": 3}),
        (schema_of(extraMetadata="string"), {"extraMetadata": "x"}),
        (schema_of(partitionToWriteStats=map_of("string")), {"partitionToWriteStats": {"p": "x"}}),
        (
            schema_of(partitionToWriteStats=stats_of(fileId="bytes")),
            {"partitionToWriteStats": {"p": [{"fileId": b"x"}]}},
        ),
        (
            schema_of(partitionToWriteStats=stats_of(numWrites="string")),
            {"partitionToWriteStats": {"p": [{"numWrites": "3"}]}},
        ),
        (
            schema_of(partitionToWriteStats=stats_of(runtimeStats=map_of("string"))),
            {"partitionToWriteStats": {"p": [{"runtimeStats": {"totalScanTime": "3"}}]}},
        ),
        (map_of("string"), {}),
        ("string", "text"),
    ],
)
def test_records_of_wrong_types(schema, record):
    if isinstance(schema, dict) and schema["type"] == "map":
        schema = schema_of(partitionToReplaceFileIds=map_of("string"))
        record = {"partitionToReplaceFileIds": {"p": "a-0"}}
    with pytest.raises(CorruptTableError, match=FILE) as caught:
        CommitMetadata.from_avro(container(record, schema), FILE)
    assert caught.value.file == FILE


@pytest.mark.parametrize(
    "stat",
    [
        STAT | {"path": "../../etc/x"},
        STAT | {"path": "/etc/x"},
        STAT | {"fileId": "../x"},
        STAT | {"partitionPath": "a/../.."},
        STAT | {"baseFile": "../../x"},
        STAT | {"logFiles": ["../../x"]},
    ],
)
def test_paths_outside_the_table_are_refused(stat):
    stat = {"baseFile": None, "logFiles": None} | stat
    logs = {"type": "array", "items": "string"}
    fields = stats_of(fileId="string", path="string", partitionPath="string", baseFile="string", logFiles=logs)
    schema = schema_of(partitionToWriteStats=fields)
    with pytest.raises(CorruptTableError, match="refused"):
        CommitMetadata.from_avro(container({"partitionToWriteStats": {"p": [stat]}}, schema), FILE)


def test_other_codecs_are_named():
    body = METADATA.to_avro().replace(b"\x14avro.codec\x08null", b"\x14avro.codec\x08zstd")
    with pytest.raises(UnsupportedTable, match=r"\.commit.*'zstd'") as caught:
        CommitMetadata.from_avro(body, FILE)
    assert caught.value.code == "avro_codec"


def test_a_file_holds_one_record_and_nothing_else():
    body = METADATA.to_avro()
    record = CommitMetadata("UPSERT").to_avro()
    (value,) = fastavro.reader(io.BytesIO(record))
    schema = fastavro.reader(io.BytesIO(record)).writer_schema
    for damaged in (b"", body[:-1], body + b"x", container(value, schema, times=2), container(value, schema, times=0)):
        with pytest.raises(CorruptTableError, match="not a complete Avro file"):
            CommitMetadata.from_avro(damaged, FILE)


def test_a_bomb_is_not_unpacked():
    schema = schema_of(operationType="string")
    body = container({"operationType": "x" * (64 << 20)}, schema, "deflate")
    assert len(body) < 1 << 20
    with pytest.raises(CorruptTableError, match="more than 200 times"):
        CommitMetadata.from_avro(body, FILE)


def test_layout_2_holds_json_from_before_an_upgrade(tmp_path):
    storage = LocalStorage(str(tmp_path))
    storage.create(".hoodie/timeline/20240101000000000.commit", METADATA.to_json())
    storage.create(".hoodie/timeline/20240102000000000_20240102000000500.replacecommit", METADATA.to_avro())
    timeline = Timeline.load(storage, 2)
    assert [timeline.commit_metadata(instant) for instant in timeline.commits] == [METADATA, METADATA]


def test_layout_1_holds_json_only(tmp_path):
    storage = LocalStorage(str(tmp_path))
    storage.create(".hoodie/20240101000000000.commit", METADATA.to_avro())
    timeline = Timeline.load(storage)
    with pytest.raises(CorruptTableError, match="not commit metadata in JSON"):
        timeline.commit_metadata(timeline.commits[0])
    with pytest.raises(CorruptTableError, match="not commit metadata in JSON"):
        timeline.commit_outline(timeline.commits[0])


@pytest.mark.parametrize(
    "name",
    ["sample_table_cow__v8_nonpartitioned", "sample_table_cow__v9_txns_simple_overwrite", "cow9-clustered"],
)
def test_another_reader_reads_the_commits_that_we_write(name, unzipped, timeline_at, real_rows, tmp_path):
    root = tmp_path / "table"
    copied(unzipped(name), root)
    timeline = timeline_at(root)
    for instant in timeline.commits:
        body = timeline.commit_metadata(instant).to_avro()
        timeline.storage.replace(timeline.path_of(instant), body)
    batches = hudi.HudiTableBuilder.from_base_uri(str(root)).build().read(hudi.HudiReadOptions())
    found, wanted = pa.Table.from_batches(batches).to_pylist(), real_rows(name).to_pylist()
    key = "_hoodie_record_key"
    assert len(wanted) > 0
    assert sorted(found, key=lambda row: row[key]) == sorted(wanted, key=lambda row: row[key])


def copied(source, target):
    for path in source.rglob("*"):
        if path.is_file():
            copy = target / path.relative_to(source)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(path.read_bytes())
