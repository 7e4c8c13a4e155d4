"""Blocks that hoodoo encodes, in a handmade table, merged by another reader of Hudi tables."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest

from hoodoo.format import BaseFileWriter
from hoodoo.format.log.block_writer import avro_data_block, command_block, delete_block, parquet_data_block
from hoodoo.schema.avro_encode import to_avro
from hoodoo.schema.meta_columns import with_meta
from hoodoo.storage import LocalStorage

hudi = pytest.importorskip("hudi", reason="the other reader, package `hudi`, is not installed")

DATA = pa.schema([("id", pa.string()), ("ts", pa.int64()), ("price", pa.decimal128(10, 2)), ("day", pa.date32())])
FULL = to_avro(with_meta(DATA), "t")
FILE_ID = "5e0b5f4c-2fd6-4b45-8c55-0a8a3e4b7a11-0"
TIMES = [f"2024010100000{i}000" for i in range(8)]
PROPERTIES = """\
hoodie.table.name=t
hoodie.table.type=MERGE_ON_READ
hoodie.table.version=6
hoodie.timeline.layout.version=1
hoodie.table.timeline.timezone=UTC
hoodie.table.recordkey.fields=id
hoodie.table.precombine.field=ts
hoodie.table.base.file.format=PARQUET
hoodie.compaction.payload.class=org.apache.hudi.common.model.DefaultHoodieRecordPayload
hoodie.table.keygenerator.class=org.apache.hudi.keygen.NonpartitionedKeyGenerator
"""


def rows(instant, keys, ts):
    count = len(keys)
    return pa.table(
        [
            [instant] * count,
            [f"{instant}_0_{i}" for i in range(count)],
            keys,
            [""] * count,
            [FILE_ID] * count,
            keys,
            [ts] * count,
            pa.array([ts * 100 + 25] * count).cast(pa.decimal128(20, 0)).cast(pa.decimal128(10, 2)),
            pa.array([ts] * count, pa.int32()).cast(pa.date32()),
        ],
        with_meta(DATA).names,
    ).cast(with_meta(DATA))


def commit(storage, instant, path):
    stat = {"fileId": FILE_ID, "path": path, "partitionPath": ""}
    metadata = {
        "partitionToWriteStats": {"": [stat]},
        "compacted": False,
        "extraMetadata": {"schema": to_avro(DATA, "t")},
        "operationType": "UPSERT",
    }
    storage.create(f".hoodie/{instant}.deltacommit.requested", b"")
    storage.create(f".hoodie/{instant}.deltacommit.inflight", b"")
    storage.create(f".hoodie/{instant}.deltacommit", json.dumps(metadata).encode())


@pytest.fixture
def table(tmp_path):
    storage = LocalStorage(str(tmp_path))
    storage.create(".hoodie/hoodie.properties", PROPERTIES.encode())
    base = f"{FILE_ID}_0-1-1_{TIMES[1]}.parquet"
    with BaseFileWriter(storage, base, DATA, to_avro(DATA, "t")) as file:
        file.write(rows(TIMES[1], [f"k{i}" for i in range(8)], 10))
    commit(storage, TIMES[1], base)
    return storage


def append(storage, instant, number, body):
    path = f".{FILE_ID}_{TIMES[1]}.log.{number}_0-1-{number}"
    storage.create(path, body)
    commit(storage, instant, path)


def found(storage):
    batches = hudi.HudiTableBuilder.from_base_uri(storage.root).build().read(hudi.HudiReadOptions())
    return {row["id"]: row for batch in batches for row in pa.record_batch(batch).to_pylist()}


def test_every_kind_of_block_is_read_by_another_reader(table):
    two, three, four, failed, rollback = TIMES[2:7]
    late = rows(two, ["k1"], 5)
    append(table, two, 1, avro_data_block(two, pa.concat_tables([rows(two, ["k0", "new"], 20), late]), FULL))
    keys = pa.array(["k2", "k3", "k4"])
    order = pa.array([20, 5, None], pa.int64())
    append(table, three, 2, delete_block(three, keys, pa.array([""] * 3), [order], FULL))
    append(table, four, 3, parquet_data_block(four, rows(four, ["k5"], 30), FULL))
    table.create(f".{FILE_ID}_{TIMES[1]}.log.4_0-1-4", avro_data_block(failed, rows(failed, ["k6"], 40), FULL))
    append(table, rollback, 5, command_block(rollback, failed))

    read = found(table)

    ordering = {key: row["ts"] for key, row in read.items()}
    assert ordering == {"k0": 20, "new": 20, "k1": 10, "k3": 10, "k5": 30, "k6": 10, "k7": 10}
    for key, instant, ts in (("k0", two, 20), ("k5", four, 30)):
        (expected,) = rows(instant, [key], ts).to_pylist()
        row = read[key]
        assert {name: row[name] for name in expected if name != "_hoodie_commit_seqno"} == {
            name: value for name, value in expected.items() if name != "_hoodie_commit_seqno"
        }


@pytest.mark.parametrize("ts", [5, 20])
def test_a_later_block_of_the_same_file_counts(table, ts):
    two = TIMES[2]
    keys, partitions = pa.array(["k0"]), pa.array([""])
    body = avro_data_block(two, rows(two, ["k0"], 15), FULL)
    body += delete_block(two, keys, partitions, [pa.array([ts], pa.int64())], FULL)
    append(table, two, 1, body)
    assert ("k0" in found(table)) == (ts < 15)
