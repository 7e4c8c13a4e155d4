"""The places of cells, which are found by the bytes that end each key in large blocks, and one by one in others."""

from __future__ import annotations

import itertools
import random

import pyarrow as pa
import pytest

from hoodoo.format.hfile import cell_places as module
from hoodoo.format.hfile.cell_places import HEAD_BYTES, KEY_END, cell_places
from hoodoo.format.hfile.cells import Cells, encode_cells


def block(seed, count, lengths, traps=0):
    """Return the bytes of cells, and their places; the values of `traps` cells contain the bytes that end a key."""
    chance = random.Random(seed)
    keys = sorted({chance.randbytes(chance.choice(lengths)) for _ in range(count)})
    values = [chance.randbytes(chance.randint(0, 30)) for _ in keys]
    for place in chance.sample(range(len(values)), traps):
        values[place] = values[place] + KEY_END + b"\1"
    encoded = encode_cells(Cells(pa.array(keys, pa.large_binary()), pa.array(values, pa.large_binary()))).to_pylist()
    expected, start = [], 0
    for key, value, cell in zip(keys, values, encoded, strict=True):
        content = start + HEAD_BYTES
        value_at = content + len(key) + len(KEY_END)
        expected.append((start, content, content + len(key), value_at, value_at + len(value)))
        start += len(cell)
    return b"".join(encoded), expected


def rows(places):
    """Return places as one tuple for each cell."""
    columns = (places.starts, places.contents, places.key_ends, places.values, places.value_ends)
    return list(zip(*(column.tolist() for column in columns), strict=True))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("lengths", [[8], [3, 4, 5], range(1, 60)], ids=["one length", "three lengths", "many lengths"])
@pytest.mark.parametrize("traps", [0, 3])
def test_places(seed, lengths, traps):
    data, expected = block(seed, 700, lengths, traps)
    assert rows(cell_places(data, has_mvcc=True)) == expected


def test_marks_find_the_places_in_usual_blocks(monkeypatch):
    monkeypatch.setattr(module, "_one_by_one", None)
    for lengths in ([16], range(20, 40)):
        data, expected = block(1, 3000, lengths)
        assert rows(cell_places(data, has_mvcc=True)) == expected


@pytest.mark.parametrize("count", [20, 900], ids=["one by one", "by marks"])
def test_cells_without_numbers_of_versions(count):
    data, expected = block(1, count, [5, 6])
    bounds = [*(place[0] for place in expected), len(data)]
    plain = b"".join(data[a : b - 1] for a, b in itertools.pairwise(bounds))
    moved = [tuple(offset - n for offset in place) for n, place in enumerate(expected)]
    assert rows(cell_places(plain, has_mvcc=False)) == moved


@pytest.mark.parametrize("seed", range(30))
def test_damaged_bytes_have_the_same_result_both_ways(seed):
    chance = random.Random(seed)
    data = bytearray(block(seed, 400, [6, 7])[0])
    for _ in range(chance.randint(1, 3)):
        data[chance.randrange(len(data))] = chance.choice([0, 1, 0x7F, 0x80, 0x8F, 0xFF])
    if chance.random() < 0.3:
        del data[chance.randrange(len(data)) :]

    def result(work):
        try:
            return rows(work())
        except ValueError:
            return None

    plain = result(lambda: module._one_by_one(bytes(data), True))
    assert result(lambda: cell_places(bytes(data), has_mvcc=True)) == plain
    by_marks = module._by_marks(bytes(data), True)
    assert by_marks is None or rows(by_marks) == plain


@pytest.mark.parametrize(
    ("offset", "what"),
    [(HEAD_BYTES - 1, "wrong length"), (HEAD_BYTES + 8, "a column family"), (HEAD_BYTES + 17, "a type")],
)
@pytest.mark.parametrize("count", [20, 700])
def test_a_key_that_hudi_does_not_write_is_refused(offset, what, count):
    data = bytearray(block(1, count, [8])[0])
    data[offset] ^= 0x01
    with pytest.raises(ValueError, match=what):
        cell_places(bytes(data), has_mvcc=True)
