"""Avro schema of the records of a partition of the metadata table: that of its newest file."""

from __future__ import annotations

from hoodoo.errors import CorruptTableError
from hoodoo.format.hfile import open_hfile
from hoodoo.format.log import BlockType, LogBlock, read_blocks
from hoodoo.metadata_table.metadata_table import FOLDER, MetadataTable
from hoodoo.metadata_table.partition_kind import PartitionKind
from hoodoo.metadata_table.shards import Shard
from hoodoo.storage import Storage, join

__all__ = ["record_schema"]


def record_schema(metadata_table: MetadataTable, partition: str) -> str:
    """Return the Avro schema of `HoodieMetadataRecord`, in JSON, with which new records of a partition are written.

    Releases of Hudi have different schemas. A file of a release is read with the schema that it contains, so the schema
    of the newest file is right for the release that maintains the table. A partition that has no records yet gets the
    schema of the partition `files`.

    Raises:
        CorruptTableError: No file has a schema, or a file is missing.
    """
    for name in dict.fromkeys((partition, str(PartitionKind.FILES))):
        text = _newest(metadata_table, name)
        if text is not None:
            return text
    path = join(FOLDER, partition)
    raise CorruptTableError(f"no file of '{path}' has a schema; let Hudi build the metadata table again", file=path)


def _newest(metadata_table: MetadataTable, partition: str) -> str | None:
    shards = metadata_table.shards(partition)
    logs = sorted((log for shard in shards for log in shard.logs), key=lambda log: log.order, reverse=True)
    for log in logs:
        text = _of_log(metadata_table.storage, log.path)
        if text is not None:
            return text
    bases = sorted((shard for shard in shards if shard.base is not None), key=lambda s: s.base_instant, reverse=True)
    for shard in bases:
        text = _of_base(metadata_table.storage, shard)
        if text is not None:
            return text
    return None


def _of_log(storage: Storage, path: str) -> str | None:
    found = None
    for block in read_blocks(storage, path):
        if isinstance(block, LogBlock) and block.type is BlockType.HFILE_DATA:
            found = block.schema_text or found
    return found


def _of_base(storage: Storage, shard: Shard) -> str | None:
    if shard.base is None:
        return None
    with open_hfile(storage, shard.base.path) as file:
        return file.schema_text
