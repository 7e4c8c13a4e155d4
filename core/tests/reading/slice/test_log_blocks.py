"""Valid blocks of logs, and their order."""

from __future__ import annotations

import pytest

from hoodoo.filegroup import LogFile
from hoodoo.format.log import HeaderKey
from hoodoo.format.log.block import BlockType
from hoodoo.format.log.block_writer import command_block, encode_block
from hoodoo.reading.slice.log_blocks import Committed, valid_blocks
from hoodoo.storage import LocalStorage

EVERYTHING = Committed(None)


@pytest.fixture
def valid(tmp_path):
    """Return a function that writes each list of blocks to a log, and returns the instants of the valid blocks."""

    def run(*logs, committed=EVERYTHING, commits=()):
        storage = LocalStorage(str(tmp_path))
        found = []
        for number, blocks in enumerate(logs, 1):
            path = f".f_1.log.{number}_0-0-0"
            with storage.open_output(path) as sink:
                sink.write(b"".join(blocks))
            found.append(LogFile(path, storage.size(path), "1", number, "0-0-0", commits))
        return [block.instant for block in valid_blocks(storage, found, committed)]

    return run


def data(instant, compacted=""):
    header = {HeaderKey.INSTANT_TIME: instant, HeaderKey.SCHEMA: "{}"}
    if compacted:
        header[HeaderKey.COMPACTED_BLOCK_TIMES] = compacted
    return encode_block(BlockType.AVRO_DATA, header, b"")


def test_blocks_come_in_the_order_of_their_logs(valid):
    assert valid([data("1"), data("2")], [data("3")]) == ["1", "2", "3"]


def test_a_rollback_revokes_the_blocks_of_an_instant_at_any_position(valid):
    assert valid([data("1"), data("2")], [command_block("4", "2"), data("3"), data("2")]) == ["1", "3"]


def test_blocks_of_other_instants_are_not_valid_in_layout_1(valid):
    committed = Committed("2", frozenset({"2", "4"}))
    assert valid([data("1"), data("2"), data("3"), data("4")], committed=committed) == ["1", "2", "4"]


def test_blocks_after_a_bound_are_not_valid(valid):
    committed = Committed("1", frozenset({"1", "2"}), bound="1")
    assert valid([data("1"), data("2")], committed=committed) == ["1"]


def test_a_log_compaction_takes_the_place_of_the_newest_block_that_it_replaced(valid):
    blocks = [data("1"), data("2"), data("3"), data("4", compacted="1,2")]
    assert valid(blocks) == ["4", "3"]


def test_a_log_compaction_may_be_compacted_again(valid):
    blocks = [data("1"), data("2"), data("3", compacted="1,2"), data("4"), data("5", compacted="3,4")]
    assert valid(blocks) == ["5"]


def test_an_instant_older_than_the_timeline_was_committed():
    committed = Committed("5", frozenset())
    assert committed.is_archived("4")
    assert not committed.is_archived("5")
    assert not Committed(None).is_archived("4")
