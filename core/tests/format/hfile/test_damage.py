"""A read of a damaged HFile with checksums raises an error that names the file, or returns the same cells."""

from __future__ import annotations

import random
import struct
import zlib
from pathlib import Path

import pytest

from hoodoo.errors import CorruptTableError, UnsupportedTable
from hoodoo.format.hfile import Codec, hfile_bytes
from hoodoo.format.hfile.block import DATA, FILE_INFO, ROOT_INDEX, encode_block
from hoodoo.format.hfile.cells import cell_key, encode_cells
from hoodoo.format.hfile.index import IndexEntry, encode_root
from hoodoo.format.hfile.trailer import Trailer, encode_info

from .hfiles import cells, opened, pairs

GOLDEN = Path(__file__).parents[4] / "tests/golden/hfiles"
WRITTEN = [(b"key-%03d" % number, b"value-%d" % (number * number)) for number in range(100)]
# without checksums and compression, a changed value cannot be found
CHECKED = ["hbase-gzip", "hbase-none", "hbase-unnumbered", "hbase-two-levels", "hbase-four-levels", "hudi-gzip"]


def made(blocks, *, keys=None, entries=None, last=None, last_cell=None):
    """Return an HFile with a block of each list of pairs, in any order; the other arguments make it inconsistent."""
    out, root = b"", []
    for number, block in enumerate(blocks):
        content = b"".join(value.as_py() for pair in block for value in encode_cells(cells([pair])))
        stored = encode_block(DATA, content, len(content))
        root.append(IndexEntry(cell_key(keys[number] if keys else block[0][0]), len(out), len(stored)))
        out += stored
    load = len(out)
    count = sum(map(len, blocks)) if entries is None else entries
    for content in (encode_root(root), b""):
        out += encode_block(ROOT_INDEX, content, len(content))
    last_cell = cell_key(last or blocks[-1][-1][0]) if last_cell is None else last_cell
    at, content = len(out), encode_info({"KEY_VALUE_VERSION": struct.pack(">i", 1), "hfile.LASTKEY": last_cell})
    out += encode_block(FILE_INFO, content, len(content))
    return out + Trailer(at, load, len(blocks), 0, count, 1, Codec.NONE).encode()


def read(data, start=0):
    return pairs(opened(data, start).all())


def result(way):
    """Return the result of a function, or the error about damaged bytes that it raises."""
    try:
        return way()
    except (CorruptTableError, UnsupportedTable) as error:
        return error


def check(data, expected):
    """Check that two ways of reading damaged bytes raise an error, or return what the undamaged bytes return."""
    keys = [key for key, _ in expected][:: max(len(expected) // 4, 1)]
    for found, right in (
        (result(lambda: read(data)), expected),
        (result(lambda: pairs(opened(data).lookup(keys))), [pair for pair in expected if pair[0] in keys]),
    ):
        if isinstance(found, CorruptTableError):
            assert found.file == "f"
            assert found.offset is not None
            assert 0 <= found.offset <= len(data)
        if isinstance(found, Exception):
            assert "HFile 'f'" in str(found)
        else:
            assert found == right


def test_the_helper_makes_valid_files():
    assert read(made([WRITTEN[:50], WRITTEN[50:]])) == WRITTEN


ROUNDS = [50, pytest.param(1000, marks=pytest.mark.nightly)]


@pytest.mark.parametrize("rounds", ROUNDS)
@pytest.mark.parametrize("codec", Codec)
def test_flipped_bits(codec, rounds):
    data = hfile_bytes(cells(WRITTEN), {"schema": b"s"}, block_bytes=500, codec=codec)
    generator = random.Random(codec * rounds)
    body = len(data) - 4096 + 130
    for _ in range(rounds):
        damaged = bytearray(data)
        damaged[generator.randrange(body)] ^= 1 << generator.randrange(8)
        check(bytes(damaged), WRITTEN)


@pytest.mark.parametrize("rounds", ROUNDS)
@pytest.mark.parametrize("name", CHECKED)
def test_flipped_bits_of_golden_files(name, rounds):
    data = (GOLDEN / f"{name}.hfile").read_bytes()
    expected = read(data)
    generator = random.Random(f"{name} {rounds}")
    body = len(data) - 4096 + 130
    for _ in range(rounds // 2):
        damaged = bytearray(data)
        damaged[generator.randrange(body)] ^= 1 << generator.randrange(8)
        check(bytes(damaged), expected)


def test_a_file_that_is_not_complete():
    data = hfile_bytes(cells(WRITTEN), block_bytes=500)
    for length in [*range(0, len(data), 97), len(data) - 1]:
        with pytest.raises(CorruptTableError) as caught:
            read(data[:length])
        assert caught.value.file == "f"


def test_bytes_after_the_file():
    with pytest.raises(CorruptTableError, match="not a trailer"):
        read(hfile_bytes(cells(WRITTEN)) + b"\0")


def test_another_version():
    data = hfile_bytes(cells(WRITTEN))[:-1] + b"\4"
    with pytest.raises(UnsupportedTable, match="HFile 'f' is an HFile of version 4; only version 3 is supported"):
        read(data)


def test_another_compression():
    data = hfile_bytes(cells(WRITTEN), codec=Codec.NONE)
    field = data.rindex(b"\x60\x02", 0, len(data) - 3900)
    with pytest.raises(UnsupportedTable, match=r"compression 6; only gzip \(1\) and none \(2\) are supported"):
        read(data[: field + 1] + b"\x06" + data[field + 2 :])


def test_keys_out_of_order_in_a_block():
    with pytest.raises(CorruptTableError, match="keys that are not in ascending order") as caught:
        read(made([WRITTEN[:50], [*WRITTEN[50:60], WRITTEN[55]]], last=WRITTEN[55][0]))
    assert caught.value.offset > 0


def test_blocks_out_of_order():
    with pytest.raises(CorruptTableError, match="an index whose keys are not in ascending order"):
        read(made([WRITTEN[50:], WRITTEN[:50]]))


def test_a_block_with_the_keys_of_another():
    keys = [WRITTEN[0][0], WRITTEN[50][0]]
    for blocks in ([WRITTEN[50:], WRITTEN[50:]], [WRITTEN[:50], WRITTEN[:50]]):
        with pytest.raises(CorruptTableError, match="keys are outside the range of its index entry"):
            read(made(blocks, keys=keys))
    file = opened(made([WRITTEN[50:], WRITTEN[50:]], keys=keys))
    with pytest.raises(CorruptTableError, match="keys are outside the range of its index entry"):
        file.lookup([WRITTEN[3][0]])


def test_another_number_of_cells():
    with pytest.raises(CorruptTableError, match="number of cells in its trailer: 100 instead of 99"):
        read(made([WRITTEN], entries=99))


def test_another_last_key():
    with pytest.raises(CorruptTableError, match="its last key is 'key-099', but its file info states another"):
        read(made([WRITTEN], last=b"key-098"))


@pytest.mark.parametrize(
    ("last_cell", "problem"), [(b"", "too short for a length"), (b"\x00\x09a", "whose content should have 9")]
)
def test_a_damaged_last_key(last_cell, problem):
    with pytest.raises(CorruptTableError, match=f"its file info has a damaged last key: a key .*{problem}"):
        read(made([WRITTEN], last_cell=last_cell))


def test_wrong_checksum_is_an_error_at_its_block():
    data = bytearray(made([WRITTEN[:50], WRITTEN[50:]]))
    second = data.index(DATA, 1)
    data[second + 60] ^= 1
    with pytest.raises(CorruptTableError, match="checksum does not match") as caught:
        read(bytes(data), start=1000)
    assert caught.value.offset == 1000 + second
    assert f"damaged at byte {1000 + second}" in str(caught.value)


def test_a_content_longer_than_stated_is_not_decompressed():
    content = zlib.compress(bytes(10_000_000), wbits=31)
    block = encode_block(DATA, content, 100)
    at = len(block)
    index = encode_root([IndexEntry(cell_key(b"key-000"), 0, at)])
    out = block
    for text in (index, b""):
        stored = zlib.compress(text, wbits=31)
        out += encode_block(ROOT_INDEX, stored, len(text))
    info = zlib.compress(encode_info({}), wbits=31)
    place = len(out)
    out += encode_block(FILE_INFO, info, len(encode_info({})))
    out += Trailer(place, at, 1, 0, 1, 1, Codec.GZIP).encode()
    with pytest.raises(CorruptTableError, match="content does not have the stated length 100"):
        read(out)


def test_cells_with_a_column_family():
    content = encode_cells(cells([(b"k", b"v")]))[0].as_py()
    wrong = content[:11] + b"\1" + content[12:]
    stored = encode_block(DATA, wrong, len(wrong))
    data = made([[(b"k", b"v")]])
    with pytest.raises(CorruptTableError, match="that Hudi does not write"):
        read(stored + data[len(stored) :])


@pytest.mark.parametrize("type_", [0, 1, 2])
def test_checksums_of_zeros_are_not_compared(type_):
    """The Rust crate `hudi-core` writes zeros instead of checksums, whatever type of checksum the header states."""
    data = bytearray(made([WRITTEN]))
    at = 0
    while data[at : at + 8] != b'TRABLK"$':
        on_disk, with_header = struct.unpack_from(">i", data, at + 8)[0], struct.unpack_from(">i", data, at + 29)[0]
        data[at + 24] = type_
        data[at + with_header : at + 33 + on_disk] = bytes(33 + on_disk - with_header)
        at += 33 + on_disk
    assert read(bytes(data)) == WRITTEN


def test_checksums_of_an_unknown_type():
    data = bytearray(made([WRITTEN]))
    data[24] = 7
    with pytest.raises(CorruptTableError, match="checksums of unknown type 7"):
        read(bytes(data))
