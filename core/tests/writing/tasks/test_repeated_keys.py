"""Check of a batch without repeated keys."""

from __future__ import annotations

import pyarrow as pa
import pytest

from hoodoo.errors import DataError
from hoodoo.writing.tasks.repeated_keys import check_no_repeats


def test_different_keys_pass() -> None:
    check_no_repeats(pa.array(["a", "b"]), 2)
    check_no_repeats(pa.array([], pa.string()), 0)


def test_repeated_keys_are_named_once() -> None:
    with pytest.raises(DataError, match="such as 'b', 'c' occur in several incoming rows; set the option") as raised:
        check_no_repeats(pa.array(["a", "b", "c", "b", "c", "b"]), 3)
    assert raised.value.code == "repeated_key"
