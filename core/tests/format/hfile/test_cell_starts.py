"""The starts of cells, which are found by marks in large blocks and one by one in others."""

from __future__ import annotations

import itertools
import random

import pyarrow as pa
import pytest

from hoodoo.format.hfile import cell_starts as module
from hoodoo.format.hfile.cell_starts import KEY_END, cell_starts
from hoodoo.format.hfile.cells import Cells, encode_cells


def block(seed, count, lengths, traps=0):
    """Return the bytes of cells, and their starts; some values contain the bytes of a key's end."""
    chance = random.Random(seed)
    keys = sorted({chance.randbytes(chance.choice(lengths)) for _ in range(count)})
    values = [chance.randbytes(chance.randint(0, 30)) for _ in keys]
    for place in chance.sample(range(len(values)), traps):
        values[place] = values[place] + KEY_END + b"\1"
    encoded = encode_cells(Cells(pa.array(keys, pa.large_binary()), pa.array(values, pa.large_binary()))).to_pylist()
    starts = [0]
    for cell in encoded:
        starts.append(starts[-1] + len(cell))
    return b"".join(encoded), starts


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("lengths", [[8], [3, 4, 5], range(1, 60)], ids=["one length", "three lengths", "many lengths"])
@pytest.mark.parametrize("traps", [0, 3])
def test_starts(seed, lengths, traps):
    data, starts = block(seed, 700, lengths, traps)
    assert cell_starts(data, has_mvcc=True).tolist() == starts


def test_marks_find_the_starts_of_usual_blocks(monkeypatch):
    monkeypatch.setattr(module, "_one_by_one", None)
    for lengths in ([16], range(20, 40)):
        data, starts = block(1, 3000, lengths)
        assert cell_starts(data, has_mvcc=True).tolist() == starts


def test_cells_without_numbers_of_versions():
    data, starts = block(1, 900, [5, 6])
    plain = b"".join(data[a : b - 1] for a, b in itertools.pairwise(starts))
    assert cell_starts(plain, has_mvcc=False).tolist() == [start - n for n, start in enumerate(starts)]


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
            return work().tolist()
        except ValueError:
            return None

    plain = result(lambda: module._one_by_one(bytes(data), True))
    fast = result(lambda: cell_starts(bytes(data), has_mvcc=True))
    assert fast in (plain, None)
    by_marks = module._by_marks(bytes(data), True)
    assert by_marks is None or by_marks.tolist() == plain
