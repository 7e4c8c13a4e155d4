"""Ranges of keys in an index of one level."""

from __future__ import annotations

import pytest

from hoodoo.format.hfile.block import Codec
from hoodoo.format.hfile.cells import cell_key
from hoodoo.format.hfile.index import EVERYTHING, DataIndex, IndexEntry, Span, decode_root, encode_root
from hoodoo.format.hfile.source import HFileDamage, HFileSource


def index(*keys):
    entries = [IndexEntry(cell_key(key), place * 10, 10) for place, key in enumerate(keys)]
    return DataIndex(HFileSource(lambda offset, length: b"", 1000, "HFile 'f'", "f"), entries, 1, Codec.NONE, 1000)


@pytest.mark.parametrize(
    ("span", "expected"),
    [
        (EVERYTHING, "bdf"),
        (Span.of_key(b"b"), "b"),
        (Span.of_key(b"c"), "b"),
        (Span.of_key(b"d"), "d"),
        (Span.of_key(b"z"), "f"),
        (Span.of_key(b"a"), ""),
        (Span.of_prefix(b"b"), "b"),
        (Span.of_prefix(b"c"), "bd"),
        (Span.of_prefix(b"\xff"), "f"),
        (Span(b"a", b"d"), "bd"),
    ],
)
def test_blocks_of_a_range(span, expected):
    found = [key.decode() for _, key, _ in index(b"b", b"d", b"f").blocks([span])]
    assert "".join(found) == expected


def test_several_blocks_with_the_same_first_key():
    assert len(list(index(b"a", b"b", b"b", b"c").blocks([Span.of_key(b"b")]))) == 2


def test_entries_of_a_root_index():
    entries = [IndexEntry(b"k" * length, length, 5) for length in (0, 1, 127, 128, 255, 256, 70000)]
    content = encode_root(entries)
    assert decode_root(content, len(entries), 0) == entries
    assert decode_root(content + b"more", len(entries), 0) == entries
    with pytest.raises(HFileDamage, match=r"an index that lacks entries \(number in the trailer: 8\)"):
        decode_root(content, 8, 0)
    with pytest.raises(HFileDamage, match="a key that is not complete"):
        decode_root(content[:-1], len(entries), 0)
