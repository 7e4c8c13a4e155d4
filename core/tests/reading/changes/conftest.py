"""Small tables that record changes, and change logs as Hudi writes them."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest

import hoodoo
from hoodoo.format.log import BlockType, read_blocks, read_content
from hoodoo.format.log.block_writer import avro_data_block, encode_block
from hoodoo.schema.avro_encode import to_avro
from hoodoo.storage import storage_for
from hoodoo.testing.engine import write_arrow

SCHEMA = pa.schema([("id", pa.string()), ("p", pa.string()), ("ts", pa.int64()), ("v", pa.string())])
OPTIONS = {
    "table_name": "t",
    "record_key": "id",
    "partition_by": "p",
    "ordering": "ts",
    "clean_automatic": False,
    "archive_automatic": False,
}
CDC = "hoodie.table.cdc"
NULL_OR_TEXT = {"type": ["null", "string"], "default": None}


def change_block(instant, rows, image=SCHEMA):
    """Return a block of a change log with rows (dictionaries of one of the three forms)."""
    record = json.loads(to_avro(image, "image"))
    fields = []
    for name in rows[0]:
        type_ = NULL_OR_TEXT
        if name in ("before", "after"):
            type_ = {"type": ["null", record], "default": None}
            record = f"{record['namespace']}.{record['name']}" if isinstance(record, dict) else record
        fields.append({"name": name, **type_})
    schema = json.dumps({"type": "record", "name": "CDC", "fields": fields})
    images = pa.struct(list(image))
    types = [(name, images if name in ("before", "after") else pa.string()) for name in rows[0]]
    return avro_data_block(instant, pa.Table.from_pylist(rows, pa.schema(types)), schema)


def write_log(root, path, data_block):
    """Write a change log of one block, whose header and content are those of a data block."""
    file, storage = root / path, storage_for(root)
    file.write_bytes(data_block)
    [block] = read_blocks(storage, path)
    file.write_bytes(encode_block(BlockType.CDC_DATA, block.header, read_content(storage, block)))


class Recorded:
    """A table of rows (key, partition, ordering value, value) whose properties state that it records changes."""

    def __init__(self, path: Path, version: int = 6, **options):
        self.path = path
        self.options = OPTIONS | {"hoodie.write.table.version": version} | options
        self._properties = path / ".hoodie" / "hoodie.properties"
        self.mode = "data_before_after"

    def write(self, *rows, schema=SCHEMA, **options):
        """Write rows and return the instant."""
        if self._properties.exists():
            self._set_properties()
        table = pa.table(dict(zip(schema.names, zip(*rows, strict=True), strict=True)), schema=schema)
        instant = write_arrow(table, self.path, self.options | options).instant
        self.record(self.mode)
        return instant

    def record(self, mode):
        """Set the properties that the table records changes, and in which mode."""
        self.mode = mode
        self._set_properties(f"{CDC}.enabled=true", f"{CDC}.supplemental.logging.mode={mode.upper()}")

    def stop(self):
        """Set the property that the table records no changes."""
        self._set_properties(f"{CDC}.enabled=false")

    def compact(self):
        """Compact the table while its properties state that it records no changes."""
        self.stop()
        self.table.compact()
        self.record(self.mode)

    def _set_properties(self, *added):
        lines = [line for line in self._properties.read_text().splitlines() if CDC not in line]
        self._properties.write_text("".join(f"{line}\n" for line in (*lines, *added)))

    @property
    def table(self):
        return hoodoo.Table(self.path)

    @property
    def storage(self):
        return storage_for(self.path)

    def splits(self, **query):
        """Return the splits of changes, in the order of commits."""
        found = self.table.splits(query_type="incremental", incremental_format="cdc", **query)
        return sorted(found, key=lambda split: (split.instant, split.partition, split.file_id))

    def changes(self, **query):
        """Return the changes (operation, key and value before, key and value after), sorted by commit."""

        def image(text):
            return None if text is None else (json.loads(text)["id"], json.loads(text)["v"])

        found = self.table.to_arrow(query_type="incremental", incremental_format="cdc", **query).to_pylist()
        rows = [(row["ts_ms"], row["op"], image(row["before"]), image(row["after"])) for row in found]
        return [row[1:] for row in sorted(rows, key=repr)]

    def add_logs(self, mode):
        """Write change logs for all commits that rewrote base files, and name the logs in the commits (layout 1)."""
        self.record(mode)
        for split in self.splits():
            if split.before is None or split.after is None:
                continue
            rows = []
            for row in split.read().read_all().to_pylist():
                before, after = (json.loads(row[side] or "null") for side in ("before", "after"))
                key = (after or before)["id"]
                rows.append(
                    {
                        "data_before_after": {"op": row["op"], "ts_ms": row["ts_ms"], "before": before, "after": after},
                        "data_before": {"op": row["op"], "record_key": key, "before": before},
                        "op_key_only": {"op": row["op"], "record_key": key},
                    }[mode]
                )
            self._add_log(split, change_block(split.instant, rows))

    def _add_log(self, split, data_block):
        path = f"{split.partition}/.{split.file_id}_{split.instant}.log.1_0-0-0.cdc"
        file = self.path / path
        write_log(self.path, path, data_block)
        commit = self.path / ".hoodie" / f"{split.instant}.commit"
        document = json.loads(commit.read_text())
        for stat in document["partitionToWriteStats"][split.partition]:
            if stat["fileId"] == split.file_id:
                stat["cdcStats"] = {path: file.stat().st_size}
        commit.write_text(json.dumps(document))


@pytest.fixture
def recorded(tmp_path):
    """Return a copy-on-write table of version 6 that records changes; its first write creates it."""
    return Recorded(tmp_path / "t")


@pytest.fixture
def logged(tmp_path):
    """Return a merge-on-read table of version 9 that records changes; its first write creates it."""
    return Recorded(tmp_path / "logged", 9, table_type="MERGE_ON_READ")


@pytest.fixture
def story():
    """Return a function that writes four commits to a table, and returns the expected changes.

    The commits are inserts, an upsert with an update and an insert, an upsert with a late row and an update, and a
    delete.
    """

    def run(made):
        made.write(("a", "x", 5, "1"), ("b", "x", 5, "1"), ("c", "y", 5, "1"))
        made.write(("a", "x", 6, "2"), ("n", "x", 6, "2"))
        made.write(("a", "x", 1, "late"), ("c", "y", 7, "2"))
        made.write(("b", "x", 7, ""), operation="delete")
        return [
            ("i", None, ("a", "1")),
            ("i", None, ("b", "1")),
            ("i", None, ("c", "1")),
            ("i", None, ("n", "2")),
            ("u", ("a", "1"), ("a", "2")),
            ("u", ("c", "1"), ("c", "2")),
            ("d", ("b", "1"), None),
        ]

    return run
