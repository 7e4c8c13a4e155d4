"""Save modes of a write."""

from __future__ import annotations

import pytest

from hoodoo.errors import OptionError
from hoodoo.options.parsing.save_mode import save_mode


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("append", "append"),
        ("Append", "append"),
        ("OVERWRITE", "overwrite"),
        (" Ignore ", "ignore"),
        ("ErrorIfExists", "errorifexists"),
        ("error", "errorifexists"),
        ("default", "errorifexists"),
    ],
)
def test_modes_are_those_of_spark_in_any_case(given, expected):
    assert save_mode(given) == expected


@pytest.mark.parametrize("given", ["", "replace", "append,overwrite", None, 1])
def test_another_mode_is_an_error_that_names_the_modes(given):
    with pytest.raises(OptionError, match=r"mode is .*; choose one of: append, overwrite, errorifexists, ignore"):
        save_mode(given)
