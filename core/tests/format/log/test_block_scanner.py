"""Search for blocks: whole blocks are kept, damaged ones are reported, and nothing else is lost."""

from __future__ import annotations

import struct

import pytest

from hoodoo.errors import CorruptTableError, UnsupportedTable
from hoodoo.format import BaseFileName
from hoodoo.format.file_names import LogFileName, is_log_file
from hoodoo.format.log import BlockType, CorruptBlock, HeaderKey, LogBlock, read_blocks, read_content
from hoodoo.storage import LocalStorage


def blocks(made, body):
    return list(read_blocks(made.storage(body), made.path))


def shape(found):
    """Return kind, offset and length of each part of a log file."""
    return [("corrupt" if isinstance(part, CorruptBlock) else "block", part.offset, part.length) for part in found]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (".f-0_20240101000000000.log.1_0-10-23", ("f-0", "20240101000000000", 1, "0-10-23", False)),
        (".f-0_20240101000000000.log.12_0-10-23.cdc", ("f-0", "20240101000000000", 12, "0-10-23", True)),
        (".f-0_20240101000000.log.3", ("f-0", "20240101000000", 3, "", False)),
    ],
)
def test_log_file_names_both_ways(text, parts):
    name = LogFileName.parse(text)
    assert name == parts
    assert str(name) == text
    assert is_log_file(text)
    assert BaseFileName.parse(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "f-0_20240101000000000.log.1_0-1-2",
        ".f-0_20240101000000000.log.1_0-1",
        ".f-0_20240101000000000.log.1_0-1-2.crc",
        ".f-0_20240101000000000.log.x_0-1-2",
        ".f-0_20240101000000000.log.99999999999_0-1-2",
        # the file that macOS adds to a file on a foreign disk
        "._.f-0_20240101000000000.log.1_0-1-2",
        ".commits_.archive.1_1-0-1",
        ".hoodie_partition_metadata",
    ],
)
def test_other_names_are_not_log_files(text):
    assert LogFileName.parse(text) is None


def test_a_block_has_the_values_of_its_header(made):
    header = {
        HeaderKey.INSTANT_TIME: "1",
        HeaderKey.SCHEMA: "{}é",
        HeaderKey.IS_PARTIAL: "true",
        HeaderKey.COMPACTED_BLOCK_TIMES: "2, 3",
        99: "later",
    }
    body = made.frame(3, header, b"content", footer={7: "x"})
    (block,) = blocks(made, body)
    assert (block.offset, block.length, block.end) == (0, len(body), len(body))
    assert block.type is BlockType.AVRO_DATA
    assert (block.instant, block.schema_text, block.is_partial) == ("1", "{}é", True)
    assert block.compacted_times == ("2", "3")
    assert block.header[99] == "later"
    assert read_content(made.storage(body), block) == b"content"


def test_a_rollback_names_its_target(made):
    (block,) = blocks(made, made.frame(0, {0: "2", 1: "1", 3: "0"}))
    assert (block.type, block.instant, block.target_instant) == (BlockType.COMMAND, "2", "1")
    assert (block.is_partial, block.compacted_times, block.schema_text) == (False, (), None)


def test_a_file_may_have_many_blocks_or_none(made):
    one, two = made.frame(3, {0: "1"}, b"a"), made.frame(1, {0: "2"}, b"b" * 100_000)
    assert blocks(made, b"") == []
    assert shape(blocks(made, one + two + one)) == [
        ("block", 0, len(one)),
        ("block", len(one), len(two)),
        ("block", len(one) + len(two), len(one)),
    ]


def test_a_torn_tail_is_reported_and_hides_nothing(made):
    whole = made.frame(3, {0: "1"}, b"content")
    for cut in range(1, len(whole)):
        found = blocks(made, whole + whole[:cut])
        assert shape(found) == [("block", 0, len(whole)), ("corrupt", len(whole), cut)]


def test_a_torn_block_in_the_middle_hides_nothing_behind_it(made):
    first, second = made.frame(3, {0: "1"}, b"content" * 20), made.frame(5, {0: "2"}, b"more")
    for cut in range(1, len(first)):
        found = blocks(made, first[:cut] + second + second)
        assert shape(found) == [
            ("corrupt", 0, cut),
            ("block", cut, len(second)),
            ("block", cut + len(second), len(second)),
        ], cut


def test_a_marker_in_the_rest_of_a_torn_block_is_no_block(made):
    torn = made.frame(3, {0: "1"}, b"..#HUDI#" * 50 + struct.pack(">Q", 40) * 10)[:-20]
    good = made.frame(3, {0: "2"}, b"#HUDI# as content")
    assert shape(blocks(made, torn + good)) == [("corrupt", 0, len(torn)), ("block", len(torn), len(good))]


def test_a_marker_across_the_edge_of_what_is_read_at_once_is_found(made):
    good = made.frame(3, {0: "2"})
    for length in range(64 * 1024 - 8, 64 * 1024 + 8):
        assert shape(blocks(made, bytes(length) + good)) == [("corrupt", 0, length), ("block", length, len(good))]


def test_a_whole_block_before_other_bytes_is_kept(made):
    good = made.frame(3, {0: "1"}, b"content")
    found = blocks(made, good + b"garbage" + good)
    assert shape(found) == [
        ("block", 0, len(good)),
        ("corrupt", len(good), 7),
        ("block", len(good) + 7, len(good)),
    ]


@pytest.mark.parametrize("size", [0, 31, 2**31, 2**40, 2**63, 2**64 - 1])
def test_absurd_block_sizes_are_reported(made, size):
    good = made.frame(3, {0: "1"}, b"content")
    damaged = good[:6] + struct.pack(">Q", size) + good[14:]
    assert shape(blocks(made, damaged + good)) == [("corrupt", 0, len(good)), ("block", len(good), len(good))]


@pytest.mark.parametrize(
    "inside",
    [
        struct.pack(">I", 2**32 - 1),  # header entries
        struct.pack(">III", 1, 0, 2**32 - 1),  # bytes of an entry
        struct.pack(">IIIB", 1, 0, 1, 0xFF),  # an entry that is not a text
        struct.pack(">IQ", 0, 2**63),  # bytes of content
        struct.pack(">IQ", 0, 3),
        struct.pack(">IQI", 0, 0, 2),  # footer entries
    ],
)
def test_damage_within_a_frame_takes_that_block_only(made, inside):
    body = struct.pack(">II", 1, 3) + inside
    body += bytes(max(0, 24 - len(body)))
    damaged = b"#HUDI#" + struct.pack(">Q", len(body) + 8) + body + struct.pack(">Q", len(body) + 14)
    good = made.frame(3, {0: "1"})
    assert shape(blocks(made, damaged + good)) == [("corrupt", 0, len(damaged)), ("block", len(damaged), len(good))]


@pytest.mark.parametrize(
    ("body", "what"),
    [
        (lambda made: made.frame(3, {0: "1"}, version=2), "log format version 2"),
        (lambda made: made.frame(7, {0: "1"}), "type 7"),
        (lambda made: made.frame(0, {0: "1", 1: "0", 3: "1"}), "command of unknown type '1'"),
    ],
)
def test_what_is_not_known_is_refused(made, body, what):
    before = made.frame(3, {0: "1"})
    with pytest.raises(UnsupportedTable, match=rf"{made.path}' has, at byte {len(before)}, .*{what}"):
        blocks(made, before + body(made))


def test_a_block_that_its_writer_marked_as_corrupt_is_corrupt(made):
    (found,) = blocks(made, made.frame(2, {0: "1"}))
    assert isinstance(found, CorruptBlock)
    assert "marked" in found.reason


def test_blocks_that_are_not_read_here_are_recognised(made):
    found = blocks(made, made.frame(4, {0: "1"}) + made.frame(6, {0: "1"}))
    assert [block.type for block in found] == [BlockType.HFILE_DATA, BlockType.CDC_DATA]


def test_a_file_that_is_gone_or_shrinks_is_an_error(tmp_path, made):
    storage = LocalStorage(str(tmp_path))
    with pytest.raises(CorruptTableError, match="is gone"):
        list(read_blocks(storage, made.path))
    body = made.frame(3, {0: "1"}, b"content")
    storage.create(made.path, body)
    (block,) = read_blocks(storage, made.path)
    assert isinstance(block, LogBlock)
    storage.replace(made.path, body[:-20])
    with pytest.raises(CorruptTableError, match="the file ends at byte"):
        read_content(storage, block)
