"""Handmade tables whose oldest instants were archived, in both layouts."""

from __future__ import annotations

import io
import json
import struct
import zlib
from pathlib import Path
from typing import Any

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq

from hoodoo.timeline import CommitMetadata, WriteStat
from hoodoo.timeline.codec.commit_schemas import COMMIT_METADATA, REPLACE_COMMIT_METADATA

__all__ = ["archive_of_layout_1", "archive_of_layout_2"]

TIMES = [f"2024010100000{number}000" for number in range(6)]


def metadata(number: int) -> CommitMetadata:
    stat = WriteStat(f"f-{number}", f"p/f-{number}_1-0-1_{TIMES[number]}.parquet", "p", num_writes=number)
    replaced = {"p": ("f-0",)} if number % 2 else None
    return CommitMetadata("INSERT", {"p": (stat,)}, {"schema": "{}"}, replaced)


def action(number: int) -> str:
    return "replacecommit" if number % 2 else "commit"


def table(root: Path, version: int, layout: int) -> None:
    (root / ".hoodie").mkdir(parents=True)
    (root / ".hoodie/hoodie.properties").write_text(
        "hoodie.table.name=t\nhoodie.table.type=COPY_ON_WRITE\n"
        f"hoodie.table.version={version}\nhoodie.timeline.layout.version={layout}\n"
        f"hoodie.table.checksum={zlib.crc32(b'.t')}\n"
    )


def archive_of_layout_1(root: Path) -> None:
    table(root, 6, 1)
    (root / ".hoodie/archived").mkdir()
    (root / ".hoodie/archived/.commits_.archive.1_1-0-1").write_bytes(
        block([entry(number) for number in range(3)]) + block([entry(number) for number in range(3, 6)])
    )


def archive_of_layout_2(root: Path) -> None:
    table(root, 9, 2)
    history = root / ".hoodie/timeline/history"
    history.mkdir(parents=True)
    names = []
    for numbers in (range(3), range(3, 6)):
        name = f"{TIMES[numbers[0]]}_{TIMES[numbers[-1]]}_0.parquet"
        columns = {
            "instantTime": [TIMES[number] for number in numbers],
            "completionTime": [f"{TIMES[number][:-1]}9" for number in numbers],
            "action": [action(number) for number in numbers],
            "metadata": pa.array([metadata(number).to_avro() for number in numbers], pa.binary()),
        }
        options = {"write_page_checksum": True, "store_schema": False, "write_statistics": False}
        pq.write_table(pa.table(columns), history / name, **options)
        names.append(name)
    manifest = {"files": [{"fileName": name, "fileLen": (history / name).stat().st_size} for name in names]}
    (history / "manifest_2").write_text(json.dumps(manifest))
    (history / "_version_").write_text("2")


def optional(name: str, type_: Any) -> dict[str, Any]:
    return {"name": name, "type": ["null", type_], "default": None}


# the second use of a named type is by its name
_STATS = {"type": "map", "values": {"type": "array", "items": "HoodieWriteStat"}}
ENTRY = {
    "type": "record",
    "name": "HoodieArchivedMetaEntry",
    "namespace": "org.apache.hudi.avro.model",
    "fields": [
        optional("hoodieCommitMetadata", COMMIT_METADATA),
        optional("commitTime", "string"),
        optional("actionType", "string"),
        optional("actionState", "string"),
        optional(
            "hoodieReplaceCommitMetadata",
            {
                **REPLACE_COMMIT_METADATA,
                "fields": [optional("partitionToWriteStats", _STATS), *REPLACE_COMMIT_METADATA["fields"][1:]],
            },
        ),
    ],
}


def entry(number: int) -> dict[str, Any]:
    [record] = fastavro.reader(io.BytesIO(metadata(number).to_avro()))
    key = "hoodieReplaceCommitMetadata" if number % 2 else "hoodieCommitMetadata"
    return {"commitTime": TIMES[number], "actionType": action(number), "actionState": "COMPLETED", key: record}


def block(entries: list[dict[str, Any]]) -> bytes:
    """Return one Avro block of a log file."""
    schema = fastavro.parse_schema(ENTRY)
    content = struct.pack(">II", 3, len(entries))
    for record in entries:
        body = io.BytesIO()
        fastavro.schemaless_writer(body, schema, record)
        content += struct.pack(">I", body.tell()) + body.getvalue()
    text = json.dumps(ENTRY).encode()
    inner = struct.pack(">II", 1, 3) + struct.pack(">III", 1, 2, len(text)) + text
    inner += struct.pack(">Q", len(content)) + content + struct.pack(">I", 0)
    size = len(inner) + 8
    return b"#HUDI#" + struct.pack(">Q", size) + inner + struct.pack(">Q", size + 6)
