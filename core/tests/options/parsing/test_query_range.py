"""The range of commits of a query."""

from __future__ import annotations

import pytest

from hoodoo.options import NoEffectWarning, ReadOptions, query_range


@pytest.mark.parametrize("query_type", ["snapshot", "incremental"])
def test_the_range_is_that_of_the_options(query_type: str, recwarn: pytest.WarningsRecorder) -> None:
    assert query_range(ReadOptions(query_type=query_type, begin="1", end="2")) == ("1", "2")
    assert query_range(ReadOptions(query_type="read_optimized")) == (None, None)
    assert not recwarn.list


@pytest.mark.parametrize("given", [{"begin": "1"}, {"end": "2"}])
def test_a_read_optimized_query_has_no_range(given: dict[str, str]) -> None:
    with pytest.warns(NoEffectWarning, match="read_optimized"):
        assert query_range(ReadOptions(query_type="read_optimized", **given)) == (None, None)
