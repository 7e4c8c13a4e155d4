"""Fixtures: a small table, written with modules of the package, in both timeline layouts."""

from __future__ import annotations

from types import SimpleNamespace

import pyarrow as pa
import pytest

from hoodoo.filegroup import file_slices
from hoodoo.format import BaseFileName, BaseFileWriter, ensure_partition_metadata, new_file_id, read_base_file
from hoodoo.format.file_names import LogFileName
from hoodoo.format.log.block_writer import parquet_data_block
from hoodoo.properties import (
    NewKeys,
    NewRule,
    NewTable,
    create_properties,
    load_properties,
    new_table_properties,
)
from hoodoo.record import KeyConfig
from hoodoo.schema.avro_encode import to_avro, with_meta_fields
from hoodoo.schema.meta_columns import with_meta
from hoodoo.storage import LocalStorage
from hoodoo.timeline import CommitMetadata, Timeline, WriteStat
from hoodoo.txn import begin, create_marker

SCHEMA = pa.schema([("id", pa.int32()), ("city", pa.string()), ("value", pa.string())])
AVRO = to_avro(SCHEMA, "t")


def create_table(storage, version=6, table_type="COPY_ON_WRITE"):
    entries = new_table_properties(
        NewTable("t", SCHEMA, table_type, version=version),
        NewKeys(KeyConfig(("id",), ("city",)), "org.apache.hudi.keygen.SimpleKeyGenerator"),
        NewRule(
            merge_mode="COMMIT_TIME_ORDERING" if version > 6 else None,
            payload_class="org.apache.hudi.common.model.OverwriteWithLatestAvroPayload" if version == 6 else None,
        ),
    )
    create_properties(storage, entries)


def load(storage):
    properties = load_properties(storage)
    return Timeline.load(storage, properties.layout_version, properties.timeline_folder)


def write_file(storage, instant, city, ids, value, *, previous=None, token="0-0-0", file_id=None):
    """Write a base file with marker and partition metadata, as a task does, and return its write stat."""
    file_id = previous.file_id if previous else file_id or new_file_id()
    name = str(BaseFileName(file_id, token, instant))
    path = f"{city}/{name}"
    create_marker(storage, instant, path, "MERGE" if previous else "CREATE")
    ensure_partition_metadata(storage, city, instant)
    count = len(ids)
    columns = {
        "_hoodie_commit_time": [instant] * count,
        "_hoodie_commit_seqno": [f"{instant}_0_{n}" for n in range(count)],
        "_hoodie_record_key": [str(i) for i in ids],
        "_hoodie_partition_path": [city] * count,
        "_hoodie_file_name": [name] * count,
        "id": ids,
        "city": [city] * count,
        "value": [value] * count,
    }
    with BaseFileWriter(storage, path, SCHEMA, AVRO) as file:
        file.write(pa.table(columns, schema=with_meta(SCHEMA)))
    return WriteStat(
        file_id,
        path,
        city,
        previous.base_instant if previous else "null",
        num_writes=count,
        num_inserts=0 if previous else count,
        total_write_bytes=file.size,
        file_size_in_bytes=file.size,
    )


def log_rows(storage, instant, file_slice, ids, value, *, token="0-0-0"):
    """Write a log file of a slice, as a task does, and return its write stat."""
    layout = load(storage).layout
    version = 1 + max((log.version for log in file_slice.logs), default=0) if layout == 1 else 1
    base = file_slice.base_instant if layout == 1 else instant
    name = LogFileName(file_slice.file_id, base, version, token, is_cdc=False)
    path = f"{file_slice.partition}/{name}"
    create_marker(storage, instant, path, "APPEND" if layout == 1 else "CREATE")
    columns = {
        "_hoodie_commit_time": [instant] * len(ids),
        "_hoodie_commit_seqno": [f"{instant}_0_{n}" for n in range(len(ids))],
        "_hoodie_record_key": [str(i) for i in ids],
        "_hoodie_partition_path": [file_slice.partition] * len(ids),
        "_hoodie_file_name": [file_slice.file_id] * len(ids),
        "id": ids,
        "city": [file_slice.partition] * len(ids),
        "value": [value] * len(ids),
    }
    block = parquet_data_block(instant, pa.table(columns, schema=with_meta(SCHEMA)), with_meta_fields(AVRO))
    with storage.open_output(path) as sink:
        sink.write(block)
    return WriteStat(
        file_slice.file_id,
        path,
        file_slice.partition,
        file_slice.base_instant,
        num_writes=len(ids),
        num_update_writes=len(ids),
        total_write_bytes=len(block),
        file_size_in_bytes=len(block),
        base_file=file_slice.path.rpartition("/")[2] if layout == 1 else "",
        log_files=(str(name),),
    )


def metadata(*stats, operation="UPSERT", **more):
    partitions = {}
    for stat in stats:
        partitions.setdefault(stat.partition_path, []).append(stat)
    return CommitMetadata(operation, {p: tuple(s) for p, s in partitions.items()}, {"schema": AVRO}, **more)


def write(storage, value):
    """Commit new base files of partitions a and b with this value, and return the completed instant."""
    timeline = load(storage)
    slices = {s.partition: s for s in file_slices(storage, timeline)}
    with begin(storage, timeline) as transaction:
        stats = [
            write_file(storage, transaction.time, city, ids, value, previous=slices.get(city))
            for city, ids in (("a", [1, 2]), ("b", [3]))
        ]
        return transaction.commit(metadata(*stats))


def rows(storage):
    """Return (id, value) of the rows in all visible base files, sorted."""
    slices = file_slices(storage, load(storage))
    parts = [part for s in slices for part in read_base_file(storage, s.path, with_meta(SCHEMA))]
    return sorted((row["id"], row["value"]) for part in parts for row in part.to_pylist())


@pytest.fixture
def storage(tmp_path):
    storage = LocalStorage(str(tmp_path / "table"))
    create_table(storage)
    return storage


@pytest.fixture
def table():
    """Return the helpers above, for test modules."""
    return SimpleNamespace(
        create=create_table,
        write=write,
        write_file=write_file,
        metadata=metadata,
        rows=rows,
        schema=SCHEMA,
        log_rows=log_rows,
        load=load,
    )
