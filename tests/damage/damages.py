"""Functions that damage the bytes of a file, with a random generator that a test seeds."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from random import Random

__all__ = ["DAMAGES", "Damage", "Span"]

Span = tuple[int, int]
"""A span: the first byte, and the one after the last."""

Damage = Callable[[bytes, Sequence[Span], Random], bytes]
"""A function that returns damaged bytes for the bytes of a file and the spans to damage."""

# as lengths of four and eight bytes in both orders, as Avro numbers, as digits
_ABSURD = [
    *(struct.pack(code, 2**31 - 1) for code in (">I", "<I")),
    *(struct.pack(code, 2**32 - 1) for code in (">I", "<I")),
    *(struct.pack(code, 2**63 - 1) for code in (">Q", "<Q")),
    struct.pack(">q", -1),
    struct.pack(">Q", 2**40),
    b"\xfe\xff\xff\xff\x0f",
    b"\xff" * 9 + b"\x01",
    b"\x80" * 12,
    b"\x01",
    b"9" * 30,
    b"-1",
]


def bit_flip(body: bytes, spans: Sequence[Span], random: Random) -> bytes:
    at = _place(spans, random)
    return body[:at] + bytes([body[at] ^ 1 << random.randrange(8)]) + body[at + 1 :]


def truncation(body: bytes, spans: Sequence[Span], random: Random) -> bytes:
    return body[: random.choice([0, 1, len(body) // 2, len(body) - 1, *(_place(spans, random) for _ in range(12))])]


def zeroed_tail(body: bytes, spans: Sequence[Span], random: Random) -> bytes:
    """Damage a file like a file system that made its length durable but not its last pages."""
    at = _place(spans, random)
    return body[:at] + bytes(len(body) - at)


def absurd_length(body: bytes, spans: Sequence[Span], random: Random) -> bytes:
    at, absurd = _place(spans, random), random.choice(_ABSURD)
    return body[:at] + absurd + body[at + len(absurd) :]


def absurd_number(body: bytes, spans: Sequence[Span], random: Random) -> bytes:
    """Insert an absurd length in place of one byte, which moves the following bytes; see `absurd_length`."""
    at = _place(spans, random)
    return body[:at] + random.choice(_ABSURD) + body[at + 1 :]


def swapped_bytes(body: bytes, spans: Sequence[Span], random: Random) -> bytes:
    at, length = _place(spans, random), random.choice([1, 2, 4, 8, 64])
    return body[:at] + body[at + length : at + 2 * length] + body[at : at + length] + body[at + 2 * length :]


def duplicated_tail(body: bytes, spans: Sequence[Span], random: Random) -> bytes:
    return body + body[_place(spans, random) :]


def zeros_inserted(body: bytes, spans: Sequence[Span], random: Random) -> bytes:
    at = _place(spans, random)
    return body[:at] + bytes(random.choice([1, 2, 8, 100])) + body[at:]


def _place(spans: Sequence[Span], random: Random) -> int:
    """Return the position of a byte of the spans; all have the same probability."""
    at = random.randrange(sum(end - start for start, end in spans))
    for start, end in spans:
        if at < end - start:
            return start + at
        at -= end - start
    raise AssertionError("the place lies beyond the spans")


DAMAGES: dict[str, Damage] = {
    damage.__name__.replace("_", " "): damage
    for damage in (
        bit_flip,
        truncation,
        zeroed_tail,
        absurd_length,
        absurd_number,
        swapped_bytes,
        duplicated_tail,
        zeros_inserted,
    )
}
