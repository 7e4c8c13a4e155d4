"""Hashes of strings are those of Java."""

from __future__ import annotations

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from hoodoo.keys.java_hash import Utf8Strings


def java(text):
    """Return `text.hashCode()` as a number without sign."""
    units = text.encode("utf-16-be")
    found = 0
    for place in range(0, len(units), 2):
        found = (31 * found + int.from_bytes(units[place : place + 2], "big")) & 0xFFFFFFFF
    return found


@given(st.lists(st.text()))
def test_any_strings(texts):
    strings = Utf8Strings.of(pa.array(texts, pa.large_string()))
    assert strings.hashes(strings.bounds[:-1], strings.bounds[1:]).tolist() == [java(text) for text in texts]


def test_known_values():
    texts = ["", "a", "hello", "The quick brown fox jumps over the lazy dog"]
    strings = Utf8Strings.of(pa.array(texts, pa.large_string()))
    assert strings.hashes(strings.bounds[:-1], strings.bounds[1:]).astype("int32").tolist() == [
        0,
        97,
        99162322,
        -609428141,
    ]
