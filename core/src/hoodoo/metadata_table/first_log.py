"""Content of the first log of a file group of the metadata table, which has no records and makes the group visible."""

from __future__ import annotations

from hoodoo.format.log.block import BlockType, HeaderKey
from hoodoo.format.log.block_writer import encode_block

__all__ = ["first_log"]

_NO_DELETES = b"\0\0\0\3\0\0\0\1\0"
"""Content of a delete block without deletes: the version 3, the length 1, and an empty array in Avro."""


def first_log(instant: str) -> bytes:
    """Return the content of a log without records; its only block has the time `instant`.

    The block has no checksum: the crate hudi-core fails if other bytes follow the deletes.
    """
    return encode_block(BlockType.DELETE, {HeaderKey.INSTANT_TIME: instant}, _NO_DELETES, checksum=False)
