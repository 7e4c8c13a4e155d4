"""Aggregate functions that are plugins: found by name, rejected if a name is ambiguous, and checked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest

from hoodoo.aggregates import column_function, uses_of
from hoodoo.errors import (
    AmbiguousPlugin,
    BrokenPlugin,
    DataError,
    PluginFault,
    PluginNotAllowed,
    SchemaError,
    UnknownOption,
    UnknownPlugin,
)
from hoodoo.record import Law

Install = Callable[..., str]
ONE = pa.array([1], pa.int64())


def source(add: str = "return newer", *, accepts: str = "return True", head: str = "") -> str:
    return f"""
from hoodoo.errors import DataError

@frozen
class Rule:
    times: int = option(default=1)
    laws = frozenset({{Law.IDEMPOTENT}})
    takes = "a number"
    {head}

    def accepts(self, type_):
        {accepts}

    def add(self, older, newer):
        {add}

    def retract(self, older, newer):
        {add}
"""


def test_a_function_is_selected_by_its_name_and_takes_its_options(install: Install) -> None:
    install(source("return pc.multiply(newer, self.times)"), "aggregate", "times-newer")

    function = column_function("x", {"agg": "Times_Newer", "times": "3", "ignore-retract": "true"}, "sum")

    assert function.name == "times-newer"
    assert function.add(ONE, ONE).to_pylist() == [3]
    assert function.retract(ONE, ONE) is ONE
    assert function.laws == {Law.IDEMPOTENT}
    assert column_function("x", {}, "times-newer").function.times == 1  # type: ignore[attr-defined]


def test_an_option_that_it_lacks_is_named_with_function_and_column(install: Install) -> None:
    install(source(), "aggregate", "times-newer")

    message = r"aggregate function 'times-newer' \(times-newer 1\.0\) of column 'x' has no option 'tims'; did you mean"
    with pytest.raises(UnknownOption, match=message):
        column_function("x", {"agg": "times-newer", "tims": 3}, "")


def test_used_plugins_are_listed_once_each(install: Install) -> None:
    install(source(), "aggregate", "times-newer")
    functions = [
        column_function(name, {"agg": agg}, "")
        for name, agg in zip("abc", ["sum", "times_newer", "TIMES-NEWER"], strict=True)
    ]

    assert uses_of(functions) == (("aggregate", "times-newer"),)


def test_an_unknown_name_is_answered_with_similar_names_of_both_kinds(install: Install) -> None:
    install(source(), "aggregate", "maxi")

    with pytest.raises(UnknownPlugin, match=r"column 'x' has no aggregate function 'maxx', .*'max' or 'maxi'"):
        column_function("x", {"agg": "maxx"}, "")


@pytest.mark.parametrize("alias", [False, True])
def test_a_plugin_with_the_name_of_a_built_in_function_is_never_ignored(
    install: Install, tmp_path: Any, alias: bool
) -> None:
    install(source(), "aggregate", "other" if alias else "sum")
    if alias:
        points = tmp_path / "site" / "other-1.0.dist-info" / "entry_points.txt"
        points.write_text(points.read_text() + "[hoodoo.aggregate.alias]\nSUM = other\n")

    with pytest.raises(AmbiguousPlugin, match=r"column 'x'.* by 'sum', .*\((other|sum) 1\.0\).*pip uninstall"):
        column_function("x", {"agg": "Sum"}, "")
    assert column_function("x", {"agg": "max"}, "").plugin is None


def test_the_allow_list_counts(install: Install, monkeypatch: pytest.MonkeyPatch) -> None:
    install(source(), "aggregate", "times-newer")
    monkeypatch.setenv("HOODOO_PLUGINS", "builtin")

    with pytest.raises(PluginNotAllowed, match=r"column 'x'.*add 'aggregate:times-newer' to HOODOO_PLUGINS"):
        column_function("x", {"agg": "times-newer"}, "")


@pytest.mark.parametrize(
    ("head", "said"),
    [
        ("laws = {Law.IDEMPOTENT}", "must claim its laws in a class attribute"),
        ("takes = 3", r"must say the columns that it accepts, in words in a class .* takes = '\.\.\.'"),
    ],
)
def test_a_class_that_is_not_a_function_is_broken(install: Install, head: str, said: str) -> None:
    install(source(head=head), "aggregate", "odd")

    with pytest.raises(BrokenPlugin, match=rf"column 'x' .*'odd' \(odd 1\.0\).*{said}"):
        column_function("x", {"agg": "odd"}, "")


@pytest.mark.parametrize("method", ["add", "retract"])
@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("return 1 / 0", "raised ZeroDivisionError: division by zero"),
        ("return pc.add_checked(newer, 2**63 - 1)", "raised ArrowInvalid: overflow"),
        ("return newer.slice(1)", "must return 1 values of type int64, got 0 values"),
        ("return newer.cast('int32')", "must return 1 values of type int64, got 1 values of type int32"),
        ("return newer.to_pylist()", "must return 1 values of type int64, got list"),
        ("return None", "got NoneType"),
    ],
)
def test_results_are_checked(install: Install, method: str, body: str, said: str) -> None:
    install(source(body), "aggregate", "odd")

    with pytest.raises(PluginFault) as fault:
        getattr(column_function("x", {"agg": "odd"}, ""), method)(ONE, ONE)
    assert str(fault.value).startswith("aggregate function 'odd' (odd 1.0) in column 'x' ")
    assert said in str(fault.value)


def test_an_error_of_hoodoo_is_not_a_fault_of_the_plugin(install: Install) -> None:
    install(source("raise DataError('too large', code='overflow')"), "aggregate", "odd")

    with pytest.raises(DataError, match=r"^too large$"):
        column_function("x", {"agg": "odd"}, "").add(ONE, ONE)


def test_a_chunked_result_becomes_one_array(install: Install) -> None:
    install(source("return pa.chunked_array([newer])"), "aggregate", "chunks")

    assert column_function("x", {"agg": "chunks"}, "").add(ONE, ONE).equals(ONE)


def test_accepts_is_called_and_checked(install: Install) -> None:
    install(source(accepts="return pa.types.is_string(type_)"), "aggregate", "texts")
    install(source(accepts="return type_.nothing"), "aggregate", "odd")

    with pytest.raises(SchemaError, match="'texts' takes a number, and column 'x' is int64"):
        column_function("x", {"agg": "texts"}, "").add(ONE, ONE)
    with pytest.raises(PluginFault, match=r"'odd' \(odd 1\.0\) in column 'x' raised AttributeError"):
        column_function("x", {"agg": "odd"}, "").add(ONE, ONE)
