"""Damaged Avro data blocks: the error names the block, and none of its bytes become rows."""

from __future__ import annotations

import json
import struct

import pyarrow as pa
import pytest

from hoodoo.errors import CorruptTableError, UnsupportedTable
from hoodoo.format.log import decode_data, read_blocks
from hoodoo.schema.avro_encode import from_avro, to_avro

FLAT_SCHEMA = pa.schema([("n", pa.int32()), ("c", pa.string()), pa.field("d", pa.float64(), nullable=False)])
NESTED_SCHEMA = pa.schema([*FLAT_SCHEMA, ("l", pa.list_(pa.string()))])
FLAT_ROWS = [{"n": i, "c": "text" * i, "d": i / 2, "l": ["x"] * i} for i in range(4)]


def read(made, body, schema):
    (block,) = read_blocks(made.storage(body), made.path)
    return list(decode_data(made.storage(body), block, schema))


@pytest.mark.parametrize("schema", [FLAT_SCHEMA, NESTED_SCHEMA], ids=["flat", "nested"])
@pytest.mark.parametrize(
    "damage",
    [
        lambda content: b"",
        lambda content: content[:7],
        lambda content: content[:-1],
        lambda content: content + b"\0",
        lambda content: content[:4] + struct.pack(">I", 3) + content[8:],
        lambda content: content[:4] + struct.pack(">I", 5) + content[8:],
        lambda content: content[:4] + struct.pack(">I", 2**32 - 1) + content[8:],
        lambda content: content[:8] + struct.pack(">I", 2**32 - 1) + content[12:],
        lambda content: content[:8] + struct.pack(">I", 0) + content[12:],
        # one byte less of the first record, and one more of the second: the number of bytes is right
        lambda content: content[:11] + bytes([content[11] - 1]) + content[12:],
        # a text whose length is greater than that of the whole
        lambda content: content.replace(b"\x08text", b"\xfe\xff\xff\xff\x0ftext"),
        lambda content: content.replace(b"\x08text", b"\x01text"),
        lambda content: content.replace(b"\x08text", b"\x08te\xff\xfe"),
    ],
)  # fmt: skip
def test_damaged_records_are_named(made, schema, damage):
    text = to_avro(schema, "t")
    content = made.records(text, FLAT_ROWS)
    before = made.frame(3, {0: "1", 2: text}, content)
    body = before + made.frame(3, {0: "1", 2: text}, damage(content))
    first, second = read_blocks(made.storage(body), made.path)
    assert sum(part.num_rows for part in decode_data(made.storage(body), first, schema)) == 4
    with pytest.raises(CorruptTableError, match=rf"block at byte {len(before)} of log file '{made.path}'") as caught:
        list(decode_data(made.storage(body), second, schema))
    assert (caught.value.file, caught.value.offset) == (made.path, len(before))


@pytest.mark.parametrize("encoded", [b"", b"\x10" + bytes(15), b"\1" * 65])
def test_invalid_decimals_are_damage(made, encoded):
    plain = {"type": "record", "name": "r", "fields": [{"name": "c", "type": "bytes"}]}
    decimal = {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2}
    text = json.dumps({"type": "record", "name": "r", "fields": [{"name": "c", "type": decimal}]})
    body = made.frame(3, {0: "1", 2: text}, made.records(json.dumps(plain), [{"c": encoded}]))
    with pytest.raises(CorruptTableError, match=r"(?i)decimal"):
        read(made, body, from_avro(text))


def of_fields(fields):
    return f'{{"type":"record","name":"r","fields":{fields}}}'


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (None, CorruptTableError),
        ("", CorruptTableError),
        ("{", CorruptTableError),
        ("[]", UnsupportedTable),
        (of_fields("3"), CorruptTableError),
        (of_fields('[{"name":"c","type":"strinf"}]'), UnsupportedTable),
        (of_fields('[{"name":"c","type":{"type":"int","logicalType":[]}}]'), CorruptTableError),
        (of_fields('[{"name":"c","type":"int"},{"name":"c","type":"int"}]'), CorruptTableError),
        # an array may hold any number of records without fields in no bytes
        (of_fields('[{"name":"c","type":{"type":"array","items":{"type":"record","fields":[]}}}]'), UnsupportedTable),
    ],
)
def test_invalid_schemas_are_named(made, text, error):
    header = {0: "1"} if text is None else {0: "1", 2: text}
    body = made.frame(3, header, made.records('{"type":"record","name":"r","fields":[]}', [{}]))
    with pytest.raises(error, match=r"block at byte 0 of log file"):
        read(made, body, pa.schema([("c", pa.int32())]))
