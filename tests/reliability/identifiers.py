"""Identifiers that a history repeats: file names, tokens and owners come from a seed.

They determine the order of the calls to the store, and thus which call of a history fails.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random

import pytest

__all__ = ["drawn_identifiers"]


@contextmanager
def drawn_identifiers(seed: str) -> Iterator[None]:
    """Draw UUIDs and secrets from a generator of random numbers with this seed."""
    drawn = Random(seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("uuid.uuid4", lambda: uuid.UUID(int=drawn.getrandbits(128), version=4))
        patch.setattr("secrets.randbits", drawn.getrandbits)
        patch.setattr("secrets.token_hex", lambda count: f"{drawn.getrandbits(8 * count):0{2 * count}x}")
        yield
