"""Data blocks with an HFile, which occur in the logs of the metadata table."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from hoodoo.errors import UnsupportedTable
from hoodoo.format.hfile import Cells, Codec, HFile, HFileSource, hfile_bytes
from hoodoo.format.log.block import BlockType, HeaderKey, LogBlock
from hoodoo.format.log.block_content import open_content
from hoodoo.format.log.block_writer import encode_block
from hoodoo.storage import Storage

__all__ = ["hfile_data_block", "open_hfile_block"]


@contextmanager
def open_hfile_block(storage: Storage, block: LogBlock) -> Iterator[HFile]:
    """Open the HFile in a data block; it can be read until the context ends.

    Args:
        storage: The table's files.
        block: A block of type `HFILE_DATA`.

    Raises:
        CorruptTableError: The log file does not exist, or the block or its HFile is damaged.
        UnsupportedTable: The block is of another type, or the HFile has another version or an unsupported compression.
    """
    if block.type is not BlockType.HFILE_DATA:
        raise UnsupportedTable(
            f"{block} is of type {block.type.name} and contains no HFile; disable the metadata table and create it "
            "again",
            code="log_block",
        )
    with open_content(storage, block) as content:
        yield HFile.open(
            HFileSource(content.at, block.content_length, f"the HFile in {block}", block.file, block.content_offset)
        )


def hfile_data_block(instant: str, cells: Cells, avro_schema: str, *, codec: Codec = Codec.GZIP) -> bytes:
    """Return a block of records in an HFile.

    Args:
        instant: The time of the delta commit that writes the block.
        cells: The records: record keys in the order of their bytes, and Avro datums.
        avro_schema: The schema of the datums.
        codec: Compression of the HFile.

    Raises:
        DataError: A key is too long, a key or a value is null, or the keys are not in ascending order.
    """
    header: dict[int, str] = {HeaderKey.INSTANT_TIME: instant, HeaderKey.SCHEMA: avro_schema}
    return encode_block(BlockType.HFILE_DATA, header, hfile_bytes(cells, codec=codec))
