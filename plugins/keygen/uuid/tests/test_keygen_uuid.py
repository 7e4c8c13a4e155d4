"""The key generator `uuid`: random keys; within one write, the key of a row does not change."""

from __future__ import annotations

import uuid
from typing import ClassVar

import numpy as np
import pyarrow as pa
from hoodoo_keygen_uuid import UuidKeyGenerator

from hoodoo.keys import ARRIVAL, PARTITION_BITS
from hoodoo.record import KeyConfig
from hoodoo.testing import KeyGeneratorSuite

SEED = "00112233445566778899aabbccddeeff"
NUMBERS = [0, 1, (3 << PARTITION_BITS) + 17]


class TestUuid(KeyGeneratorSuite):
    plugin = "uuid"
    config = KeyConfig((), ("part",), seed=SEED)
    columns: ClassVar = {ARRIVAL: "long"}
    values: ClassVar = {ARRIVAL: NUMBERS}


def keys(numbers: list[int], seed: str = SEED) -> list[str]:
    return UuidKeyGenerator().record_keys(pa.table({ARRIVAL: numbers}), KeyConfig(seed=seed)).to_pylist()


def test_they_are_uuids_of_version_4() -> None:
    for key in keys(NUMBERS):
        assert str(uuid.UUID(key)) == key
        assert (uuid.UUID(key).version, uuid.UUID(key).variant) == (4, uuid.RFC_4122)


def test_each_row_and_each_write_has_its_own() -> None:
    numbers = [*range(50_000), *(n + (1 << PARTITION_BITS) for n in range(50_000))]

    assert len({*keys(numbers), *keys(numbers, SEED[::-1])}) == 4 * 50_000
    assert keys(numbers[::-1]) == keys(numbers)[::-1]


def test_every_digit_takes_every_value() -> None:
    digits = np.array([list(key) for key in keys(list(range(5_000)))])
    counts = [len(set(digits[:, place])) for place in range(36)]

    assert [counts[place] for place in (8, 13, 14, 18, 19, 23)] == [1, 1, 1, 1, 4, 1]
    assert all(counts[place] == 16 for place in range(36) if place not in (8, 13, 14, 18, 19, 23))


def test_no_rows_have_no_keys() -> None:
    assert keys([]) == []
