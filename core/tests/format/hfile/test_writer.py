"""Cells that were written are read again, in blocks of the given size."""

from __future__ import annotations

from itertools import pairwise

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hoodoo.errors import DataError
from hoodoo.format.hfile import Cells, Codec, HFileWriter, hfile_bytes

from .hfiles import cells, opened, pairs

TEXTS = st.binary(max_size=40)


@given(st.lists(st.tuples(TEXTS, TEXTS)), st.integers(1, 300), st.sampled_from(Codec), st.integers(1, 8))
def test_any_cells(written, block_bytes, codec, parts):
    written.sort(key=lambda pair: pair[0])
    out = []
    writer = HFileWriter(out.append, codec, block_bytes)
    for start in range(0, len(written), parts):
        writer.append(cells(written[start : start + parts]))
    writer.close({"schema": b"s"}, {"bloomFilter": b"text", "other": b""})
    file = opened(b"".join(out))
    assert pairs(file.all()) == written
    assert len(file) == len(written)
    assert (file.meta("bloomFilter"), file.meta("other")) == (b"text", b"")
    for key in {key for key, _ in written} | {b"x"}:
        assert pairs(file.lookup([key])) == [pair for pair in written if pair[0] == key]
        assert pairs(file.with_prefixes([key[:1]])) == [p for p in written if p[0].startswith(key[:1])]


def test_the_size_of_blocks():
    written = [(b"%05d" % number, b"v" * 10) for number in range(1000)]
    # two lengths, the length of the key, the key, ten bytes after it, the value, the MVCC number
    size = 8 + 2 + 5 + 10 + 10 + 1
    file = opened(hfile_bytes(cells(written), block_bytes=10 * size))
    assert len(file.index.root) == 100
    assert len(opened(hfile_bytes(cells(written), block_bytes=10 * size - 1)).index.root) == 112
    assert len(opened(hfile_bytes(cells(written))).index.root) == 1


def test_equal_keys_are_in_one_block():
    written = [(b"a", b"0"), *((b"b", b"%d" % number) for number in range(100)), (b"c", b"1")]
    file = opened(hfile_bytes(cells(written), block_bytes=60))
    assert all(one.key < other.key for one, other in pairwise(file.index.root))
    assert pairs(file.lookup([b"b"])) == written[1:-1]


def test_keys_of_an_index_may_be_long():
    long = b"k" * 30000
    file = opened(hfile_bytes(cells([(long, b"1"), (long + b"k", b"2")]), block_bytes=1))
    assert pairs(file.lookup([long + b"k"])) == [(long + b"k", b"2")]


@pytest.mark.parametrize("has_cells", [False, True])
def test_nulls_are_refused(has_cells):
    keys, values = pa.array([None, b"b"], pa.binary()), pa.array([b"1", b"2"], pa.binary())
    for one, other in ((keys, values), (values, keys), (pa.nulls(2, pa.binary()), values)):
        writer = HFileWriter([].append)
        if has_cells:
            writer.append(cells([(b"0", b"0")]))
        with pytest.raises(DataError, match="a key or a value of an HFile is null"):
            writer.append(Cells(one, other))


def test_keys_out_of_order_are_refused():
    with pytest.raises(DataError, match="ascending order"):
        hfile_bytes(cells([(b"b", b""), (b"a", b"")]))
    writer = HFileWriter([].append)
    writer.append(cells([(b"b", b"")]))
    with pytest.raises(DataError, match="ascending order"):
        writer.append(cells([(b"a", b"")]))


def test_a_long_key_is_refused():
    with pytest.raises(
        DataError, match="a key has 32768 bytes; shorten it to at most 32767 bytes, the limit of an HFile"
    ):
        hfile_bytes(cells([(b"k" * 32768, b"")]))
