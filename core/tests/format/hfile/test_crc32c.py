"""The checksum has the values of RFC 3720, and those of a computation bit by bit."""

from __future__ import annotations

import random

import pytest

from hoodoo.format.hfile.crc32c import chunk_checksums, crc32c


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", 0),
        (b"123456789", 0xE3069283),
        (bytes(32), 0x8A9136AA),
        (b"\xff" * 32, 0x62A8AB43),
        (bytes(range(32)), 0x46DD794E),
        (bytes(reversed(range(32))), 0x113FDB5C),
    ],
)
def test_the_values_of_the_standard(data, expected):
    assert crc32c(data) == expected


def test_any_length():
    generator = random.Random(1)
    for length in (*range(10), 127, 128, 129, 255, 256, 257, 1000, 2047, 2048, 2049, 5000, 16384):
        data = generator.randbytes(length)
        expected = 0xFFFFFFFF
        for byte in data:
            expected ^= byte
            for _ in range(8):
                expected = expected >> 1 ^ (0x82F63B78 if expected & 1 else 0)
        assert crc32c(data) == expected ^ 0xFFFFFFFF


@pytest.mark.parametrize("chunk", [1, 100, 2048, 3000, 16384])
def test_chunks(chunk):
    data = random.Random(chunk).randbytes(20_000)
    assert chunk_checksums(data, chunk) == [crc32c(data[i : i + chunk]) for i in range(0, len(data), chunk)]
    assert chunk_checksums(b"", chunk) == []
