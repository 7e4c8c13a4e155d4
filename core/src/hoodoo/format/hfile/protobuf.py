"""Messages in the encoding of Protocol Buffers, with numbers and bytes as fields: trailer and file info of HFiles."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

__all__ = ["decode_delimited", "decode_message", "encode_delimited", "encode_message"]

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_LONGEST_VARINT = 10
_SIZES = {_FIXED64: 8, _FIXED32: 4}

Value = int | bytes


def decode_message(data: bytes) -> Mapping[int, list[Value]]:
    """Return the values of a message by field number, in their order.

    Raises:
        ValueError: The bytes are not a message.
    """
    fields: dict[int, list[Value]] = {}
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        kind = tag & 7
        value: Value
        if kind == _VARINT:
            value, at = _varint(data, at)
        elif kind in (_BYTES, *_SIZES):
            length, at = _varint(data, at) if kind == _BYTES else (_SIZES[kind], at)
            if length > len(data) - at:
                raise ValueError(f"a field of length {length} in a message of length {len(data)}")
            value, at = data[at : at + length], at + length
        else:
            raise ValueError(f"a field of wire type {kind} in a message")
        fields.setdefault(tag >> 3, []).append(value)
    return fields


def decode_delimited(data: bytes) -> Mapping[int, list[Value]]:
    """Return the values of a message that follows its length, as `decode_message` does; later bytes are ignored.

    Raises:
        ValueError: The bytes are not a length and a message.
    """
    length, at = _varint(data, 0)
    if length > len(data) - at:
        raise ValueError(f"a message whose length {length} exceeds the remaining length {len(data) - at}")
    return decode_message(data[at : at + length])


def encode_message(fields: Iterable[tuple[int, Value]]) -> bytes:
    """Return the encoded message of pairs of a field number and a value, in the given order."""
    parts = []
    for number, value in fields:
        if isinstance(value, int):
            parts += [_encoded(number << 3 | _VARINT), _encoded(value)]
        else:
            parts += [_encoded(number << 3 | _BYTES), _encoded(len(value)), value]
    return b"".join(parts)


def encode_delimited(message: bytes) -> bytes:
    """Return the length of a message, followed by the message."""
    return _encoded(len(message)) + message


def _varint(data: bytes, at: int) -> tuple[int, int]:
    number = 0
    for place in range(_LONGEST_VARINT):
        if at + place >= len(data):
            raise ValueError("a number that is not complete")
        byte = data[at + place]
        number |= (byte & 0x7F) << 7 * place
        if byte < 0x80:
            return number, at + place + 1
    raise ValueError(f"a number of more than {_LONGEST_VARINT} bytes")


def _encoded(number: int) -> bytes:
    number &= 0xFFFFFFFFFFFFFFFF
    encoded = bytearray()
    while number > 0x7F:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    encoded.append(number)
    return bytes(encoded)
