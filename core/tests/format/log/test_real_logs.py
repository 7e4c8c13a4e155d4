"""Log files that Apache Hudi wrote: every byte accounted for, every record as fastavro reads it, and damage to them."""

from __future__ import annotations

import io
import json
import random
import struct

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hoodoo.errors import CorruptTableError, SchemaError, UnsupportedTable
from hoodoo.format.file_names import LogFileName
from hoodoo.format.log import (
    BlockType,
    CorruptBlock,
    block_columns,
    decode_data,
    decode_deletes,
    read_blocks,
    read_content,
)
from hoodoo.schema.avro_encode import from_avro

DATA = (BlockType.AVRO_DATA, BlockType.PARQUET_DATA)


def blocks_of(real_logs, *types):
    for storage, path in real_logs:
        for block in read_blocks(storage, path):
            if block.type in types:
                yield storage, block


def test_blocks_make_up_the_files(real_logs):
    types = set()
    for storage, path in real_logs:
        end = 0
        for block in read_blocks(storage, path):
            assert not isinstance(block, CorruptBlock)
            assert block.offset == end
            assert block.instant.isdigit()
            types.add(block.type)
            end = block.end
        assert end == len(storage.read(path))
        assert str(LogFileName.parse(path.rpartition("/")[2])) == path.rpartition("/")[2]
    assert types == {BlockType.COMMAND, BlockType.DELETE, *DATA}


def test_avro_records_are_those_that_fastavro_reads(real_logs):
    seen = 0
    for storage, block in blocks_of(real_logs, BlockType.AVRO_DATA):
        schema = fastavro.parse_schema(json.loads(block.schema_text))
        content = io.BytesIO(read_content(storage, block))
        version, count = struct.unpack(">II", content.read(8))
        expected = []
        for _ in range(count):
            (length,) = struct.unpack(">I", content.read(4))
            expected.append(fastavro.schemaless_reader(io.BytesIO(content.read(length)), schema))
        found = pa.concat_tables(decode_data(storage, block, from_avro(block.schema_text)))
        assert version == 3
        maps = [field.name for field in found.schema if pa.types.is_map(field.type)]
        rows = [
            {**row, **{name: dict(row[name]) for name in maps if row[name] is not None}} for row in found.to_pylist()
        ]
        assert rows == expected
        assert block_columns(storage, block) == found.schema.names
        seen += found.num_rows
    assert seen >= 10


def test_parquet_blocks_are_those_that_pyarrow_reads(real_logs):
    seen = 0
    for storage, block in blocks_of(real_logs, BlockType.PARQUET_DATA):
        expected = pq.read_table(io.BytesIO(read_content(storage, block)))
        found = pa.concat_tables(decode_data(storage, block, from_avro(block.schema_text)))
        assert found.to_pylist() == expected.to_pylist()
        assert block_columns(storage, block) == expected.schema.names
        seen += found.num_rows
    assert seen >= 4


def test_deletes_name_keys_and_have_no_order(shared_logs):
    seen = []
    for storage, block in blocks_of(shared_logs, BlockType.DELETE):
        found = decode_deletes(storage, block, [pa.int64()])
        assert found.column("unordered").to_pylist() == [True] * found.num_rows
        assert found.column("ordering_0").null_count == found.num_rows
        partition = block.file.rpartition("/")[0]
        assert set(found.column("partition_path").to_pylist()) == {partition}
        seen += found.column("record_key").to_pylist()
    assert {"TXN-002", "TXN-005", "txn_id:TXN-002,account_id:ACC-B"} <= set(seen)


def read_all(storage, path, schema):
    """Yield the decoded rows and deletes of a log file, without those of corrupt blocks."""
    for block in read_blocks(storage, path):
        if isinstance(block, CorruptBlock):
            continue
        if block.type in DATA:
            yield from decode_data(storage, block, schema)
        elif block.type is BlockType.DELETE:
            yield decode_deletes(storage, block, [pa.int64()])


def damaged(body, chance):
    """Return the body of a file with flipped bits, without its end, or with an extreme number among its bytes."""
    kind = chance.choice(["flip", "flip", "cut", "absurd"])
    at = chance.randrange(len(body))
    if kind == "cut":
        return body[:at]
    if kind == "absurd":
        number = chance.choice([0, 1, 2**31 - 1, 2**31, 2**32 - 1, 2**40, 2**63 - 1, 2**63, 2**64 - 1])
        form = ">Q" if number >= 2**32 or chance.random() < 0.5 else ">I"
        new = struct.pack(form, number)
        return body[:at] + new + body[at + len(new) :]
    changed = bytearray(body)
    for _ in range(chance.choice([1, 1, 1, 4])):
        changed[chance.randrange(len(body))] ^= 1 << chance.randrange(8)
    return bytes(changed)


# SchemaError: the damaged bits of a header name another type
TYPED = (CorruptTableError, UnsupportedTable, SchemaError)


@pytest.mark.parametrize("seed", range(4))
def test_damage_ends_in_rows_or_in_a_typed_error(real_logs, made, seed):
    chance = random.Random(seed)
    outcomes = {"rows": 0, "errors": 0}
    for storage, path in real_logs:
        body = storage.read(path)
        texts = [block.schema_text for block in read_blocks(storage, path)]
        schema = from_avro(texts[0]) if texts[0] else pa.schema([("c", pa.string())])
        for _ in range(25):
            message = ""
            try:
                for table in read_all(made.storage(damaged(body, chance)), path, schema):
                    table.validate(full=True)
            except TYPED as error:
                message = str(error)
            outcomes["errors" if message else "rows"] += 1
            assert not message or path in message
    assert min(outcomes.values()) > 20
