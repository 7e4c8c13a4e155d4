"""HFile data blocks: those of Hudi's metadata tables, and those that hoodoo writes."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest

from hoodoo.errors import CorruptTableError, UnsupportedTable
from hoodoo.format.hfile import Cells, Codec
from hoodoo.format.log import BlockType, HeaderKey, read_blocks
from hoodoo.format.log.block_writer import command_block
from hoodoo.format.log.hfile_block import hfile_data_block, open_hfile_block
from hoodoo.storage import storage_for

CELLS = Cells(pa.array([b"a", b"b", b"c"], pa.large_binary()), pa.array([b"1", b"", b"3"], pa.large_binary()))


@pytest.mark.parametrize("name", ["mor6-by-0.15.0", "mor8-by-1.0.2", "mor9-avro"])
def test_blocks_of_metadata_tables(real_table, name):
    root = real_table(name)
    storage, seen = storage_for(root), 0
    for path in (root / ".hoodie/metadata").glob("*/.*.log.*[0-9]"):
        for block in read_blocks(storage, str(path.relative_to(root))):
            assert block.type in (BlockType.HFILE_DATA, BlockType.DELETE)
            if block.type is BlockType.HFILE_DATA:
                with open_hfile_block(storage, block) as file:
                    found = file.all()
                    assert len(found) == len(file) > 0
                    assert file.lookup(found.keys.to_pylist()[-1:]).values[-1] == found.values[-1]
                assert json.loads(block.schema_text)["name"] == "HoodieMetadataRecord"
                seen += 1
    assert seen


@pytest.mark.parametrize("codec", Codec)
def test_a_written_block(tmp_path, codec):
    body = hfile_data_block("20260101000000000", CELLS, '"bytes"', codec=codec)
    tmp_path.joinpath("f").write_bytes(b"".join([command_block("1", "2"), body, body]))
    storage = storage_for(tmp_path)
    _, *blocks = read_blocks(storage, "f")
    assert len(blocks) == 2
    for block in blocks:
        assert block.header == {HeaderKey.INSTANT_TIME: "20260101000000000", HeaderKey.SCHEMA: '"bytes"'}
        with open_hfile_block(storage, block) as file:
            assert file.all() == CELLS
            assert file.lookup([b"b", b"x"]) == Cells(CELLS.keys[1:2], CELLS.values[1:2])


def test_damage_names_the_position_in_the_log_file(tmp_path):
    first, body = command_block("1", "2"), bytearray(hfile_data_block("1", CELLS, '"bytes"'))
    at = body.index(b"DATABLK*")
    body[at + 40] ^= 1
    tmp_path.joinpath("f").write_bytes(first + body)
    storage = storage_for(tmp_path)
    *_, block = read_blocks(storage, "f")
    with open_hfile_block(storage, block) as file, pytest.raises(CorruptTableError, match="checksum") as caught:
        file.all()
    assert (caught.value.file, caught.value.offset) == ("f", len(first) + at)
    assert "the HFile in the block at byte" in str(caught.value)


def test_a_block_of_another_type_is_refused(tmp_path):
    tmp_path.joinpath("f").write_bytes(command_block("1", "2"))
    storage = storage_for(tmp_path)
    [block] = read_blocks(storage, "f")
    with (
        pytest.raises(UnsupportedTable, match="is of type COMMAND and contains no HFile"),
        open_hfile_block(storage, block),
    ):
        pass
