"""Numbers, sizes and durations in words."""

from __future__ import annotations

from datetime import timedelta

import pytest

from hoodoo.diagnosis.wording import counted, duration, size


@pytest.mark.parametrize(
    ("number", "noun", "text"),
    [(1, "row", "1 row"), (1200, "row", "1,200 rows"), (0, "file group", "0 file groups"), (2, "key", "2 keys")],
)
def test_nouns_are_in_the_plural_after_other_numbers_than_one(number, noun, text):
    assert counted(number, noun) == text


@pytest.mark.parametrize(
    ("number", "text"), [(0, "0 bytes"), (1023, "1023 bytes"), (1536, "1.5 KiB"), (3 << 40, "3.0 TiB")]
)
def test_sizes_have_a_suitable_unit(number, text):
    assert size(number) == text


@pytest.mark.parametrize(
    ("seconds", "text"), [(40, "40 s"), (720, "12 min"), (12600, "3.5 h"), (20 * 86400, "20 days"), (-40, "40 s")]
)
def test_durations_have_a_suitable_unit(seconds, text):
    assert duration(timedelta(seconds=seconds)) == text
