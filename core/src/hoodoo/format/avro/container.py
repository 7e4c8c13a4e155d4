"""Avro object containers in memory, as input for decoders."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["container", "long", "record"]

_SYNC = bytes(range(16))


def record(fields: Sequence[Mapping[str, Any]], name: str = "record", namespace: str = "") -> str:
    """Return the Avro schema of a record with the given fields, as JSON."""
    return json.dumps({"type": "record", "name": name, "namespace": namespace, "fields": fields})


def container(schema: str, count: int, content: Sequence[bytes | memoryview]) -> bytes:
    """Return a container of one uncompressed block.

    Args:
        schema: The schema of one value, as JSON.
        count: Number of values.
        content: The bytes of the values, in any number of parts.
    """
    entries = (b"avro.schema", schema.encode(), b"avro.codec", b"null")
    return b"".join(
        [
            b"Obj\x01",
            long(2),
            *(part for entry in entries for part in (long(len(entry)), entry)),
            long(0),
            _SYNC,
            long(count),
            long(sum(map(len, content))),
            *content,
            _SYNC,
        ]
    )


def long(number: int) -> bytes:
    """Return the Avro encoding of a number that is not negative."""
    number <<= 1
    encoded = bytearray()
    while number > 0x7F:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    encoded.append(number)
    return bytes(encoded)
