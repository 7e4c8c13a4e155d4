"""Values as JSON and as short text."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal

import pytest

from hoodoo.explain.render.short_values import MOST, plain, short


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None),
        (True, True),
        (1.5, 1.5),
        (float("nan"), "nan"),
        (float("-inf"), "-inf"),
        (Decimal("1.10"), "1.10"),
        (timedelta(days=1), "1 day, 0:00:00"),
        (datetime(2026, 1, 2, 3, tzinfo=UTC), "2026-01-02T03:00:00+00:00"),
        (date(2026, 1, 2), "2026-01-02"),
        (time(3, 4), "03:04:00"),
        (b"\x00\xff", "00ff"),
        ((1, b"\x01"), [1, "01"]),
        ({1: {"a": Decimal(2)}}, {"1": {"a": "2"}}),
    ],
)
def test_plain_values(value, expected):
    assert plain(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [(None, "null"), ("a b", "a b"), (1, "1"), (date(2026, 1, 2), "2026-01-02"), (b"\xff", "ff"), ([1], "[1]")],
)
def test_short_values(value, expected):
    assert short(value) == expected


def test_long_text_is_shortened_to_the_limit():
    assert short("x" * MOST) == "x" * MOST
    shortened = short("x" * (MOST + 1))
    assert len(shortened) == MOST
    assert shortened == "x" * (MOST - 1) + "…"
