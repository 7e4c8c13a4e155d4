"""Content of the first log of a file group of the metadata table, which has no record: it makes the group visible."""

from __future__ import annotations

from hoodoo.format.log.block import BlockType, HeaderKey
from hoodoo.format.log.block_writer import encode_block

__all__ = ["first_log"]

_NO_DELETES = b"\0\0\0\3\0\0\0\1\0"
"""Content of a block of deletes without a delete: version 3, one byte, the number of deletes."""


def first_log(instant: str) -> bytes:
    """Return the content of a log without records; its block has the time `instant`.

    It has no checksum: the crate hudi-core fails if other bytes follow the deletes.
    """
    return encode_block(BlockType.DELETE, {HeaderKey.INSTANT_TIME: instant}, _NO_DELETES, checksum=False)
