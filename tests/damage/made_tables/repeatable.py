"""Tables whose files have the same bytes each time: instants, file ids and write tokens come from a seed."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import numpy.random  # noqa: F401 - its import draws a number
import pytest

from hoodoo.timeline import instant_time

__all__ = ["repeatable"]

_FIRST = datetime(2026, 1, 1, tzinfo=UTC)
_STEP = timedelta(milliseconds=7)


@contextmanager
def repeatable(seed: str) -> Iterator[None]:
    """Let this process write with times from a fixed clock, and with random names from a seed."""
    drawn, looks = Random(seed), iter(range(1, 10**9))

    class Clock(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> datetime:  # type: ignore[override]
            return (_FIRST + next(looks) * _STEP).astimezone(tz or UTC)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(instant_time, "datetime", Clock)
        patch.setattr("uuid.uuid4", lambda: uuid.UUID(int=drawn.getrandbits(128), version=4))
        patch.setattr("secrets.randbits", drawn.getrandbits)
        patch.setattr("secrets.token_hex", lambda count: f"{drawn.getrandbits(8 * count):0{2 * count}x}")
        yield
