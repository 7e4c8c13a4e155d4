"""Log files made by hand: frames by `struct`, records one at a time by fastavro."""

from __future__ import annotations

import io
import json
import os
import struct
import zipfile
import zlib
from pathlib import Path
from types import SimpleNamespace

import fastavro
import pyarrow as pa
import pytest

from hoodoo.storage import storage_for

SHARED = Path(os.environ.get("HOODOO_SHARED") or Path(__file__).resolve().parents[5] / "shared")
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
    """Make a block with a mark and a CRC-32 behind its content."""
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
    """A block of Avro data."""
    return frame(3, {0: INSTANT, 2: schema_text}, records(schema_text, rows, version))


@pytest.fixture(scope="session")
def real_logs(tmp_path_factory):
    """The log files of the tables that Apache Hudi wrote: storage and path of each; metadata tables are left out."""
    tables = SHARED / "data" / "tables"
    if not tables.is_dir():
        pytest.skip(f"no real tables at {SHARED}; set HOODOO_SHARED to the folder that holds data/tables")
    found = []
    for archive in sorted(tables.glob("*mor*.zip")):
        folder = tmp_path_factory.mktemp(archive.stem)
        with zipfile.ZipFile(archive) as file:
            file.extractall(folder)
        (root,) = (path.parent.parent for path in folder.glob("*/.hoodie/hoodie.properties"))
        storage = storage_for(root)
        found += [(storage, info.path) for info in storage.walk() if ".log." in info.path]
    assert len(found) > 10
    return found
