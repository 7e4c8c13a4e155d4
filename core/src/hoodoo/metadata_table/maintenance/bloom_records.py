"""Records of the partition `bloom_filters`: the bloom filter of each base file, as in its footer."""

from __future__ import annotations

import io
import json
from functools import cache
from typing import Any

import fastavro
import pyarrow as pa

from hoodoo.format.bloom.key_footer import stored_filter
from hoodoo.format.file_names import BaseFileName
from hoodoo.format.parquet.parquet_reader import open_base_file
from hoodoo.metadata_table.content.hashed_keys import bloom_key
from hoodoo.metadata_table.maintenance.changed_files.parallel import in_threads
from hoodoo.metadata_table.maintenance.record_schema import record_schema
from hoodoo.metadata_table.maintenance.table_change import RecordChange, TableChange
from hoodoo.metadata_table.metadata_table import MetadataTable
from hoodoo.storage import name_of
from hoodoo.timeline import WriteStat

__all__ = ["filter_datum", "records"]

_KIND = 4
_MEMBER = "BloomFilterMetadata"


def records(metadata_table: MetadataTable, change: TableChange) -> RecordChange:
    """Return the bloom filters of the base files that a change adds, and the filters' keys for those that it removes.

    A base file without a filter has no record: a look-up reads its keys.

    Args:
        metadata_table: The metadata table, without the change.
        change: The files that an instant adds to the table and removes from it.

    Raises:
        CorruptTableError: A file is missing or damaged, or the metadata table has no schema.
        UnsupportedTable: A base file cannot be read.
    """
    schema = record_schema(metadata_table)

    def encoded(stat: WriteStat) -> tuple[bytes, bytes] | None:
        with open_base_file(metadata_table.storage, stat.path or "") as file:
            found = stored_filter(file)
        if found is None:
            return None
        key = bloom_key(stat.partition_path or "", name_of(stat.path or ""))
        return key.encode(), filter_datum(schema, *found, change.instant)

    stats = [stat for stat in change.stats if BaseFileName.parse(name_of(stat.path or "")) is not None]
    cells = dict(filter(None, in_threads(encoded, stats, metadata_table.storage)))
    removed = [
        bloom_key(partition, name).encode()
        for partition, names in change.removed.items()
        for name in sorted(names)
        if BaseFileName.parse(name) is not None
    ]
    return RecordChange(*(pa.array(found, pa.large_binary()) for found in (list(cells), list(cells.values()), removed)))


def filter_datum(schema: str, text: bytes, kind: str, instant: str) -> bytes:
    """Return the Avro datum of a bloom filter.

    Args:
        schema: The Avro schema of the records.
        text: The filter as base64.
        kind: The type of the filter, as the footer names it.
        instant: The instant time that the record gets.
    """
    content = {"type": kind, "timestamp": instant, "bloomFilter": text, "isDeleted": False}
    stream = io.BytesIO()
    fastavro.schemaless_writer(stream, _parsed(schema), {"key": "", "type": _KIND, _MEMBER: content})
    return stream.getvalue()


@cache
def _parsed(schema: str) -> Any:
    return fastavro.parse_schema(json.loads(schema))
