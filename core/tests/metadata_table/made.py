"""Metadata tables that tests make: blocks of given records, on timelines without content."""

from __future__ import annotations

import io
import json

import fastavro
import pyarrow as pa

from hoodoo.archived_timeline import load_timeline
from hoodoo.format.hfile import Cells, hfile_bytes
from hoodoo.format.log.block_writer import command_block, delete_block
from hoodoo.format.log.hfile_block import hfile_data_block
from hoodoo.metadata_table import MetadataTable
from hoodoo.properties import load_properties
from hoodoo.storage import storage_for

_WRAPPERS = {
    "Boolean": "boolean",
    "Int": "int",
    "Long": "long",
    "Double": "double",
    "Bytes": "bytes",
    "String": "string",
}
_VALUE = [
    "null",
    *(
        {"type": "record", "name": f"{name}Wrapper", "fields": [{"name": "value", "type": type_}]}
        for name, type_ in _WRAPPERS.items()
    ),
]


def _record(name, **fields):
    return {
        "type": "record",
        "name": name,
        "fields": [
            {"name": field, "type": type_, **({"default": None} if type_[0] == "null" else {})}
            for field, type_ in fields.items()
        ],
    }


SCHEMA = json.dumps(
    {
        **_record(
            "HoodieMetadataRecord",
            _hoodie_commit_time=["null", "string"],
            key="string",
            type="int",
            filesystemMetadata=[
                "null",
                {"type": "map", "values": _record("Info", size="long", isDeleted="boolean")},
            ],
            BloomFilterMetadata=[
                "null",
                _record("Bloom", type="string", timestamp="string", bloomFilter="bytes", isDeleted="boolean"),
            ],
            ColumnStatsMetadata=[
                "null",
                _record(
                    "Stats",
                    fileName=["null", "string"],
                    columnName=["null", "string"],
                    minValue=_VALUE,
                    maxValue=["null", *(f"{name}Wrapper" for name in _WRAPPERS)],
                    valueCount=["null", "long"],
                    nullCount=["null", "long"],
                    totalSize=["null", "long"],
                    totalUncompressedSize=["null", "long"],
                    isDeleted="boolean",
                    isTightBound="boolean",
                    valueType=["null", _record("ValueType", typeOrdinal="int", additionalInfo=["null", "string"])],
                ),
            ],
            recordIndexMetadata=[
                "null",
                _record(
                    "Location",
                    partitionName=["null", "string"],
                    fileIdHighBits=["null", "long"],
                    fileIdLowBits=["null", "long"],
                    fileIndex=["null", "int"],
                    instantTime=["null", "long"],
                    fileId=["null", "string"],
                    fileIdEncoding="int",
                    position=["null", "long"],
                ),
            ],
            SecondaryIndexMetadata=["null", _record("Secondary", isDeleted="boolean")],
        )
    }
)
_PARSED = fastavro.parse_schema(json.loads(SCHEMA))


def files(**sizes):
    """Return a record with files; a size of None is a deletion."""
    entries = {name: {"size": size or 0, "isDeleted": size is None} for name, size in sizes.items()}
    return {"type": 2, "filesystemMetadata": entries}


def secondary(is_deleted=False):
    return {"type": 7, "SecondaryIndexMetadata": {"isDeleted": is_deleted}}


def location(partition, file_id, encoding=1, high=-1, low=-1, index=-1, time=0):
    found = {"partitionName": partition, "fileId": file_id, "fileIdEncoding": encoding, "instantTime": time}
    return {
        "type": 5,
        "recordIndexMetadata": {
            **found,
            "fileIdHighBits": high,
            "fileIdLowBits": low,
            "fileIndex": index,
            "position": None,
        },
    }


def stats(file, column, low, high, *, wrapper="Long", deleted=False, tight=False, value_type=None, count=1):
    def wrapped(value):
        return None if value is None else (f"{wrapper}Wrapper", {"value": value})

    return {
        "type": 3,
        "ColumnStatsMetadata": {
            "fileName": file,
            "columnName": column,
            "minValue": wrapped(low),
            "maxValue": wrapped(high),
            "valueCount": count,
            "nullCount": 0,
            "totalSize": 10,
            "totalUncompressedSize": 20,
            "isDeleted": deleted,
            "isTightBound": tight,
            "valueType": None
            if value_type is None
            else {"typeOrdinal": value_type[0], "additionalInfo": value_type[1]},
        },
    }


def cells(records):
    """Return the cells of records by key, in the order of the keys."""
    encoded = []
    for record in (record for _, record in sorted(records.items())):
        stream = io.BytesIO()
        fastavro.schemaless_writer(stream, _PARSED, {"key": "", **record})
        encoded.append(stream.getvalue())
    return Cells(
        pa.array(sorted(key.encode() for key in records), pa.large_binary()), pa.array(encoded, pa.large_binary())
    )


def base_file(records):
    return hfile_bytes(cells(records), {"schema": SCHEMA.encode()})


def data(instant, records):
    return hfile_data_block(instant, cells(records), SCHEMA)


def deletes(instant, *keys):
    return delete_block(instant, pa.array(keys, pa.string()), pa.array([""] * len(keys)), [], SCHEMA)


rollback = command_block


class Made:
    """Table without data files, whose instants have no content, and its metadata table."""

    def __init__(self, root, version=9, partitions="files"):
        self.root, self.version = root, version
        self.layout = 1 if version < 8 else 2
        self.folder = root / ".hoodie/metadata"
        common = {"hoodie.table.version": version, "hoodie.timeline.layout.version": self.layout}
        self._properties(root, {**common, "hoodie.table.name": "t", "hoodie.table.metadata.partitions": partitions})
        self._properties(
            self.folder,
            {**common, "hoodie.table.name": "t_metadata", "hoodie.table.type": "MERGE_ON_READ"},
        )

    def _properties(self, root, entries):
        path = root / ".hoodie/hoodie.properties"
        path.parent.mkdir(parents=True)
        path.write_text(
            "".join(f"{key}={value}\n" for key, value in {"hoodie.table.type": "COPY_ON_WRITE", **entries}.items())
        )

    def _instant(self, root, name):
        folder = root / (".hoodie" if self.layout == 1 else ".hoodie/timeline")
        folder.mkdir(parents=True, exist_ok=True)
        folder.joinpath(name).write_text("{}")

    def commit(self, *times, action="deltacommit"):
        """Complete instants of both tables; each is completed before the next one begins."""
        for time in times:
            self.begin(time, action)
            self._instant(self.root, f"{time}.commit" if self.layout == 1 else f"{time}_{time[:-1]}9.commit")

    def begin(self, time, action="deltacommit"):
        """Complete an instant of the metadata table only."""
        self._instant(self.folder, f"{time}.{action}" if self.layout == 1 else f"{time}_{time[:-1]}9.{action}")

    def pending(self, time):
        self._instant(self.root, f"{time}.commit.requested")

    def write(self, partition, name, *parts):
        path = self.folder / partition / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"".join(parts))

    def open(self):
        storage = storage_for(self.root)
        properties = load_properties(storage)
        return MetadataTable.open(storage, properties, load_timeline(storage, properties))


def time(number):
    """Return an instant time: `number`, from 0 to 59, is its second."""
    return f"202601010000{number:02}000"
