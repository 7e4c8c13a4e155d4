"""Malicious files: depth, counts, decompression bombs, and instants that contradict each other."""

from __future__ import annotations

import functools
import io
import json
import struct
import zlib
from random import Random

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.damage.made_tables.kinds import (
    COMMAND_6,
    DELETES_9,
    KINDS,
    OVERWRITTEN_6,
    OVERWRITTEN_9,
    PLAIN_6,
    TRIPS_6,
    TRIPS_8,
    Kind,
    files,
)

pytestmark = pytest.mark.slow

DEEP = 100_000


def long(number):
    """Return a number in Avro's encoding."""
    number = number << 1 if number >= 0 else (-number << 1) - 1
    encoded = b""
    while number > 0x7F:
        encoded += bytes([number & 0x7F | 0x80])
        number >>= 7
    return encoded + bytes([number])


def avro_file(schema, count, body, codec=b"null"):
    text = json.dumps(schema).encode() if not isinstance(schema, bytes) else schema
    entries = (b"avro.schema", text, b"avro.codec", codec)
    header = b"".join(long(len(part)) + part for part in entries)
    return b"Obj\x01" + long(2) + header + long(0) + b"S" * 16 + long(count) + long(len(body)) + body + b"S" * 16


def inflatable(megabytes):
    """Return the Deflate-compressed bytes of an Avro value that consists of `megabytes` MiB of zeros."""
    packer = zlib.compressobj(9, wbits=-15)
    parts = [packer.compress(part) for part in (long(megabytes << 20), *[bytes(1 << 20)] * megabytes)]
    return b"".join([*parts, packer.flush()])


RECURSIVE = {"type": "record", "name": "r", "fields": [{"name": "r", "type": "r"}]}
NULLS = {"type": "record", "name": "r", "fields": [{"name": "a", "type": {"type": "array", "items": "null"}}]}
BYTES = {"type": "record", "name": "r", "fields": [{"name": "a", "type": "bytes"}]}
STRINGS = {"type": "record", "name": "r", "fields": [{"name": "a", "type": {"type": "array", "items": "string"}}]}


def json_bodies():
    """Return malicious commit metadata in JSON, by description."""
    return {
        "deep lists": b"[" * DEEP,
        "deep objects": b'{"partitionToWriteStats":' * DEEP,
        "a deep key": b'{"x":' + b"[" * 900 + b"]" * 900 + b"}",
        "a long number": b'{"partitionToWriteStats":{"":[{"fileId":"f","numWrites":' + b"9" * 10_000 + b"}]}}",
        "no object": b"[]",
        "not finite": b'{"partitionToWriteStats":{"":[{"numWrites":Infinity}]}}',
        "keys twice": b'{"operationType":1,"operationType":"x"}',
    }


@functools.cache
def avro_bodies():
    """Return malicious Avro files by description; one takes a second to make."""
    return {
        "a schema that contains itself": avro_file(RECURSIVE, 1, b""),
        "a deep schema": avro_file(b'{"type":"array","items":' * DEEP, 1, b""),
        "nulls without end": avro_file(NULLS, 1, long(2**60) + long(0)),
        "strings without end": avro_file(STRINGS, 1, long(2**40) + b"\0" * 100),
        "a negative count": avro_file(STRINGS, 1, long(-(2**62)) + long(1)),
        "a long value": avro_file(BYTES, 1, long(2**62)),
        "many records": avro_file(BYTES, 2**62, b"\0"),
        "a bomb": avro_file(BYTES, 1, inflatable(600), b"deflate"),
        "an unknown codec": avro_file(BYTES, 1, b"\0", b"zstandard"),
    }


def replaced_by(bodies):
    return {what: lambda _, body=body: body for what, body in bodies.items()}


@pytest.mark.parametrize(
    ("kind", "bodies"),
    [
        ("commits in JSON", json_bodies),
        ("replace commits in JSON", json_bodies),
        ("commits in JSON", avro_bodies),
        ("replace commits in Avro", avro_bodies),
        ("replace commits in Avro", json_bodies),
        ("plans of pending compactions", avro_bodies),
        ("plans of pending clusterings", avro_bodies),
    ],
)
def test_instants_that_do_harm(kind, bodies, case_of):
    assert case_of(KINDS[kind]).try_bodies(replaced_by(bodies()))


ODD = [None, 0, -1, 2**70, 1.5, "", "odd", [], {}, [[]], {"type": "record"}, True]


def places(value, path=()):
    """Yield the path of each part of a JSON document."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from places(item, (*path, key))


def put(document, path, value):
    *above, last = path
    for key in above:
        document = document[key]
    document[last] = value


@pytest.mark.parametrize("within", ["document", "schema"])
def test_odd_values_in_the_place_of_others(within, case_of):
    case = case_of(Kind("commits", OVERWRITTEN_6, files(".hoodie/*.replacecommit")))
    [file] = case.kind.files(case.root)
    body = file.read_bytes()
    document = json.loads(body)
    parts = [path for path in places(document if within == "document" else schema_of(document)) if path]
    random = Random(within)
    for number in range(150):
        path, odd = random.choice(parts), random.choice(ODD)
        changed = json.loads(body)
        if within == "schema":
            schema = schema_of(changed)
            put(schema, path, odd)
            changed["extraMetadata"]["schema"] = json.dumps(schema)
        else:
            put(changed, path, odd)
        file.write_text(json.dumps(changed))
        result = case.look()
        assert result["outcome"] in ("rows", "hoodoo error"), f"{number}, {path} = {odd!r}: {result}"
        # a schema may have fewer entries without being damaged, and a default fills columns of other files
        wrong = None if within == "schema" else case.judge(result)
        assert wrong is None or "partitionToReplaceFileIds" in path, f"{number}, {path} = {odd!r}: {wrong}"


def schema_of(document):
    return json.loads(document["extraMetadata"]["schema"])


def log_block(content, schema, type_=3, instant="20250331030645735"):
    header = b"".join(struct.pack(">II", key, len(text)) + text for key, text in ((0, instant.encode()), (2, schema)))
    inner = struct.pack(">III", 1, type_, 2) + header + struct.pack(">Q", len(content)) + content + bytes(4)
    size = len(inner) + 8
    return b"#HUDI#" + struct.pack(">Q", size) + inner + struct.pack(">Q", size + 6)


def records(*bodies):
    return struct.pack(">II", 3, len(bodies)) + b"".join(struct.pack(">I", len(body)) + body for body in bodies)


@functools.cache
def bomb():
    """Return a Parquet file of 40 KB with a page of 400 MB."""
    sink = io.BytesIO()
    rows = pa.table({"_hoodie_record_key": pa.array([b"\0" * 50_000] * 8_000, pa.binary())})
    options = {"compression": "zstd", "use_dictionary": False, "data_page_size": 1 << 30, "write_statistics": False}
    pq.write_table(rows, sink, write_batch_size=len(rows), **options)
    return sink.getvalue()


KEY = [{"name": "_hoodie_record_key", "type": "string"}]
ROW = json.dumps({"type": "record", "name": "r", "fields": KEY}).encode()


def log_bodies():
    """Return malicious blocks of log files, by description."""
    return {
        "a schema that contains itself": log_block(records(b"\0"), json.dumps(RECURSIVE).encode()),
        "a deep schema": log_block(records(b"\0"), b'{"type":"array","items":' * 10_000),
        "nulls without end": log_block(records(long(2**60) + long(0)), json.dumps(NULLS).encode()),
        "strings without end": log_block(records(long(2**40) + bytes(100)), json.dumps(STRINGS).encode()),
        "a long value": log_block(records(long(2**50)), ROW),
        "a negative length": log_block(records(long(-5)), ROW),
        "many records": log_block(struct.pack(">II", 3, 2**32 - 1), ROW),
        "many deletes": log_block(struct.pack(">II", 3, 5) + long(2**40)[:5], ROW, 1),
        "deletes without end": log_block(struct.pack(">II", 3, 20) + (long(2**50) + bytes(20))[:20], ROW, 1),
        "a parquet bomb": log_block(bomb(), ROW, 5),
        "a long block": b"#HUDI#" + struct.pack(">Q", 2**63 - 1) + bytes(100),
        "marks alone": b"#HUDI#" * 50_000,
    }


def test_log_files_that_do_harm(case_of):
    found = case_of(KINDS["frames of Avro blocks"]).try_bodies(replaced_by(log_bodies()))
    assert {result["outcome"] for result in found} == {"hoodoo error"}


def test_a_base_file_with_a_bomb(case_of):
    found = case_of(KINDS["footers of base files"]).try_bodies(replaced_by({"a bomb": bomb()}))
    assert [result["outcome"] for result in found].count("rows") == 1, "the file of the older slice is not read"
    assert any("would expand" in result.get("message", "") for result in found)


@pytest.mark.parametrize("version", [b"9999999999", b"0", b"4294967296", b"-1", b"99999999999999999999"])
def test_log_files_with_absurd_version_numbers(version, case_of):
    """The file then has another name: the one that the commit names is missing."""
    case = case_of(KINDS["frames of Avro blocks"])
    [log] = KINDS["frames of Avro blocks"].files(case.root)
    log.rename(log.with_name(log.name.replace(".log.1_", f".log.{version.decode()}_")))
    assert case.look()["outcome"] == "hoodoo error"
    (log.parent / log.name).write_bytes(b"")
    assert case.look()["outcome"] == "hoodoo error"


@pytest.mark.parametrize(
    ("table", "pattern", "other"),
    [
        (OVERWRITTEN_9, ".hoodie/timeline/20260403183955124_*.commit", "20260403183955124_20991231000000000.commit"),
        (OVERWRITTEN_9, ".hoodie/timeline/20260403183955124_*.commit", "20260403183955124.replacecommit"),
        (TRIPS_6, ".hoodie/20250331030645735.deltacommit", "20250331030645735.commit"),
    ],
)
def test_one_instant_completed_twice(table, pattern, other, case_of):
    case = case_of(Kind("instants", table, files(pattern)))
    [file] = case.kind.files(case.root)
    file.with_name(other).write_bytes(file.read_bytes())
    result = case.look()
    assert result["type"] == "CorruptTableError"
    assert "completed twice" in result["message"]


@pytest.mark.parametrize("table", [TRIPS_6, TRIPS_8, PLAIN_6, COMMAND_6, DELETES_9])
def test_a_commit_without_its_schema(table, case_of):
    """The schema is also in another commit or in the properties, or its absence is an error."""

    def blanked(body):
        at = body.find(b'"schema"') + 1 if b'"schema"' in body else body.find(b"\x0cschema") + 1
        return body[:at] + b"nobody" + body[at + 6 :]

    pattern = files(".hoodie/*commit", ".hoodie/timeline/*commit")
    case_of(Kind("commits", table, pattern)).try_bodies({"no schema": blanked})


def test_fastavro_takes_the_crafted_files_for_avro():
    """The files are rejected for their effect, not because they are malformed."""
    record = next(iter(fastavro.reader(io.BytesIO(avro_file(BYTES, 1, long(3) + b"abc")))))
    assert record == {"a": b"abc"}
