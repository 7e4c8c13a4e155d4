"""Log files of merge-on-read tables: their blocks, and the rows and deletes in them."""

from hoodoo.format.log.blocks import BlockType, CorruptBlock, HeaderKey, LogBlock
from hoodoo.format.log.content import block_columns, decode_data, is_intact, read_content
from hoodoo.format.log.deletes import decode_deletes
from hoodoo.format.log.scanning import read_blocks, torn_block_instant

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
