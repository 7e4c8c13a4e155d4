"""Every flipped bit of a block with a checksum is detected, and blocks without a checksum are read."""

from __future__ import annotations

import pyarrow as pa
import pytest

from hoodoo.errors import CorruptTableError, UnsupportedTable
from hoodoo.format.log import BlockType, LogBlock, decode_data, decode_deletes, is_intact, read_blocks
from hoodoo.format.log.block_writer import avro_data_block, command_block, delete_block
from hoodoo.schema.avro_encode import to_avro

SCHEMA = pa.schema([("k", pa.string()), ("n", pa.int64())])
ROWS = pa.table({"k": ["a", "b"], "n": [1, 2]}, SCHEMA)
TEXT = to_avro(SCHEMA, "t")


def blocks(instant):
    return {
        "data": avro_data_block(instant, ROWS, TEXT),
        "delete": delete_block(instant, pa.array(["a"]), pa.array([""]), [pa.array([7])], TEXT),
        "command": command_block(instant, "20240101000000001"),
    }


def decoded(storage, block):
    if block.type is BlockType.COMMAND:
        if not is_intact(storage, block):
            raise CorruptTableError("command", file=block.file)
        return [block.header]
    if block.type is BlockType.DELETE:
        return decode_deletes(storage, block, [pa.int64()]).to_pylist()
    return [row for part in decode_data(storage, block, SCHEMA) for row in part.to_pylist()]


@pytest.mark.parametrize("kind", ["data", "delete", "command"])
def test_no_flipped_bit_gives_other_rows(made, kind):
    """A flipped bit of the frame, the header, the content or the checksum never gives other rows."""
    body = blocks(made.instant)[kind]
    [intact] = read_blocks(made.storage(body), made.path)
    assert intact.checksum is not None
    before, outcomes = decoded(made.storage(body), intact), []
    for bit in range(8 * len(body)):
        damaged = bytearray(body)
        damaged[bit // 8] ^= 1 << bit % 8
        storage = made.storage(bytes(damaged))
        try:
            [found] = read_blocks(storage, made.path)
            if isinstance(found, LogBlock) and (found.header, found.type) == (intact.header, intact.type):
                assert decoded(storage, found) == before, bit
                outcomes.append("same")
            elif isinstance(found, LogBlock):
                assert not is_intact(storage, found), bit
                outcomes.append("header")
            else:
                outcomes.append("no block")
        except (CorruptTableError, UnsupportedTable):
            outcomes.append("error")
    assert "same" not in outcomes
    assert {"header", "no block", "error"} <= set(outcomes)


def test_a_block_without_a_checksum_is_read(made):
    body = made.data(TEXT, ROWS.to_pylist())
    [block] = read_blocks(made.storage(body), made.path)
    assert block.checksum is None
    assert is_intact(made.storage(body), block)
    assert decoded(made.storage(body), block) == ROWS.to_pylist()


def test_a_large_block_is_checked_piece_by_piece(made, monkeypatch):
    from hoodoo.format.log import block_content as content

    monkeypatch.setattr(content, "_KEPT", 100)
    body = avro_data_block(made.instant, ROWS, TEXT)
    [block] = read_blocks(made.storage(body), made.path)
    assert decoded(made.storage(body), block) == ROWS.to_pylist()
    at = body.index(b"\x02a\x02") + 1
    damaged = made.storage(body[:at] + b"c" + body[at + 1 :])
    with pytest.raises(CorruptTableError, match="checksum does not match"):
        decoded(damaged, block)
