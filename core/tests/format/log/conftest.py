"""Log files made by hand: frames by `struct`, records one at a time by fastavro."""

from __future__ import annotations

import io
import json
import struct
import zlib
from types import SimpleNamespace

import fastavro
import pyarrow as pa
import pytest

from hoodoo.storage import storage_for

PATH = "p/.f-0_20240101000000000.log.1_0-1-2"
INSTANT = "20240101000000000"


class InMemory:
    """Store with one file, which it returns for every path."""

    def __init__(self, body):
        self.body = body

    def open_input(self, path):
        return pa.BufferReader(self.body)


def entries(header):
    body = struct.pack(">I", len(header))
    for key, text in header.items():
        body += struct.pack(">II", key, len(text.encode())) + text.encode()
    return body


def frame(type_, header, content=b"", version=1, footer=None):
    body = struct.pack(">II", version, type_) + entries(header)
    body += struct.pack(">Q", len(content)) + content + entries(footer or {})
    return b"#HUDI#" + struct.pack(">Q", len(body) + 8) + body + struct.pack(">Q", len(body) + 14)


def sealed(type_, header, content=b""):
    """Return a block with a mark and a CRC-32 behind its content."""
    head = struct.pack(">II", 1, type_) + entries(header) + struct.pack(">Q", len(content) + 12)
    content += b"#HOODOO\x01"
    return frame(type_, header, content + struct.pack(">I", zlib.crc32(head + content)))


def records(schema_text, rows, version=3):
    schema = fastavro.parse_schema(json.loads(schema_text))
    content = struct.pack(">II", version, len(rows))
    for row in rows:
        record = io.BytesIO()
        fastavro.schemaless_writer(record, schema, row)
        content += struct.pack(">I", record.tell()) + record.getvalue()
    return content


@pytest.fixture(scope="session")
def made():
    """Return the functions with which the tests create log files."""
    return SimpleNamespace(
        path=PATH,
        instant=INSTANT,
        storage=InMemory,
        entries=entries,
        frame=frame,
        sealed=sealed,
        records=records,
        data=data,
    )


def data(schema_text, rows, version=3):
    """Return a block of Avro data."""
    return frame(3, {0: INSTANT, 2: schema_text}, records(schema_text, rows, version))


@pytest.fixture(scope="session", params=["shared", "golden"])
def real_logs(request):
    """Return storage and path of the log files that Apache Hudi wrote, except those of metadata tables."""
    return request.getfixturevalue(f"{request.param}_logs")


@pytest.fixture(scope="session")
def golden_logs(real_table):
    tables = [
        "mor6-by-0.15.0",
        "mor6-log-compaction-by-0.15.0",
        "mor6-parquet-by-0.15.0",
        "mor6-rolled-back-by-0.15.0",
        "mor8-by-1.0.2",
        "mor8-parquet-by-1.0.2",
        "mor9-avro",
        "mor9-merge-into",
        "mor9-parquet",
    ]
    return logs_of(real_table(name) for name in tables)


@pytest.fixture(scope="session")
def shared_logs(real_table, shared_data):
    return logs_of(real_table(archive.stem) for archive in sorted((shared_data / "tables").glob("*mor*.zip")))


def logs_of(roots):
    """Return pairs of storage and path, one for each log file of the tables outside of their metadata tables."""
    found = []
    for root in roots:
        storage = storage_for(root)
        found += [
            (storage, info.path)
            for info in storage.walk()
            if ".log." in info.path and not info.path.endswith(".crc") and "/metadata/" not in info.path
        ]
    assert len(found) > 10
    return found
