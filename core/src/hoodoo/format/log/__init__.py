"""Log files of merge-on-read tables: their blocks, and the rows and deletes in them."""

from hoodoo.format.log.block import BlockType, CorruptBlock, HeaderKey, LogBlock
from hoodoo.format.log.block_content import block_columns, decode_data, is_intact, read_content
from hoodoo.format.log.block_scanner import read_blocks, torn_block_instant
from hoodoo.format.log.delete_block import decode_deletes

__all__ = [
    "BlockType",
    "CorruptBlock",
    "HeaderKey",
    "LogBlock",
    "block_columns",
    "decode_data",
    "decode_deletes",
    "is_intact",
    "read_blocks",
    "read_content",
    "torn_block_instant",
]
