"""Application of a function once per distinct value, and examples of values for error messages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

__all__ = ["example_rows", "examples", "map_distinct"]

_SHOWN = 3


def map_distinct(values: pa.Array, function: Callable[[Any], str]) -> pa.Array:
    """Map every value to a string, and nulls to nulls; `function` is called once per distinct value."""
    encoded = values.dictionary_encode()
    texts = pa.array([function(value) for value in encoded.dictionary.to_pylist()], type=pa.string())
    return texts.take(encoded.indices)


def example_rows(bad: pa.Array) -> str:
    """Return a phrase about the true values of a boolean array: their number, and the positions of the first few."""
    rows = pc.indices_nonzero(bad).to_pylist()
    shown = ", ".join(str(row) for row in rows[:_SHOWN])
    total = "1 row" if len(bad) == 1 else f"{len(bad)} rows"
    return f"{len(rows)} of {total} (counted from 0: {shown}{', ...' if len(rows) > _SHOWN else ''})"


def examples(values: list[Any]) -> str:
    """Return the first few values as text, quoted and separated by commas."""
    return ", ".join(repr(value) for value in values[:_SHOWN]) + (", ..." if len(values) > _SHOWN else "")
