"""HFiles in memory, for tests."""

from __future__ import annotations

import pyarrow as pa

from hoodoo.format.hfile import Cells, HFile, HFileSource


def cells(pairs):
    """Return the cells with these pairs of key and value, which are bytes."""
    keys, values = zip(*pairs, strict=True) if pairs else ((), ())
    return Cells(pa.array(keys, pa.large_binary()), pa.array(values, pa.large_binary()))


def pairs(found):
    return list(zip(found.keys.to_pylist(), found.values.to_pylist(), strict=True))


def opened(data, start=0):
    """Return the HFile in the bytes `data`, which begin at position `start` of a file."""
    return HFile.open(
        HFileSource(lambda offset, length: data[offset : offset + length], len(data), "HFile 'f'", "f", start)
    )
