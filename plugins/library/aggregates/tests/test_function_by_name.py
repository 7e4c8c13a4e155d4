"""Aggregate functions by name: they are found and get their options; an unknown or ambiguous name is refused."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from hoodoo_library_aggregates import column_function, uses_of

from hoodoo.errors import AmbiguousPlugin, BrokenPlugin, PluginNotAllowed, UnknownOption, UnknownPlugin
from hoodoo.plugin import default_catalogue
from hoodoo.record import Law

Install = Callable[..., None]
ONE = pa.array([1], pa.int64())


MODULE = """
import pyarrow.compute as pc
from attrs import frozen
from hoodoo.plugin import hookimpl, option
from hoodoo.record import Law

@frozen
class Function:
    times: int = option(default=1)
    laws = frozenset({Law.IDEMPOTENT})
    takes = TAKES

    def accepts(self, type_):
        return True

    def add(self, older, newer):
        return pc.multiply(newer, self.times)

    def retract(self, older, newer):
        return newer

@hookimpl
def hoodoo_aggregate():
    return Function
"""


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Yield a function that installs version 1.0 of a distribution with one aggregate function of the same name.

    The aggregate function may have an alias.
    """
    monkeypatch.syspath_prepend(str(tmp_path))
    made = []

    def install(name: str, *, alias: str | None = None, takes: str = "'a number'") -> None:
        module = f"made_{name.replace('-', '_')}"
        made.append(module)
        info = tmp_path / f"{module}-1.0.dist-info"
        info.mkdir()
        info.joinpath("METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        aliases = f"[hoodoo.aggregate.alias]\n{alias} = {module}\n" if alias else ""
        info.joinpath("entry_points.txt").write_text(f"[hoodoo.aggregate]\n{name} = {module}\n{aliases}")
        tmp_path.joinpath(f"{module}.py").write_text(f'"""A function."""\n{MODULE.replace("TAKES", takes)}')
        default_catalogue.cache_clear()

    yield install
    default_catalogue.cache_clear()
    for module in made:
        sys.modules.pop(module, None)


def test_a_function_is_selected_by_its_name_and_takes_its_options(install: Install) -> None:
    install("times-newer")

    function = column_function("x", {"agg": "Times_Newer", "times": "3", "ignore-retract": "true"}, "sum")

    assert function.name == "times-newer"
    assert function.add(ONE, ONE).to_pylist() == [3]
    assert function.retract(ONE, ONE) is ONE
    assert function.laws == {Law.IDEMPOTENT}
    assert column_function("x", {}, "times-newer").function.times == 1  # type: ignore[attr-defined]


def test_an_option_that_it_lacks_is_named_with_function_and_column(install: Install) -> None:
    install("times-newer")

    message = r"aggregate function 'times-newer' \(times-newer 1\.0\) of column 'x' has no option 'tims'; did you mean"
    with pytest.raises(UnknownOption, match=message):
        column_function("x", {"agg": "times-newer", "tims": 3}, "")


def test_a_merger_uses_each_function_once(install: Install) -> None:
    install("times-newer")
    functions = [
        column_function(name, {"agg": agg}, "")
        for name, agg in zip("abc", ["sum", "times_newer", "TIMES-NEWER"], strict=True)
    ]

    assert uses_of(functions) == (("aggregate", "sum"), ("aggregate", "times-newer"))


def test_an_unknown_name_is_answered_with_near_ones(install: Install) -> None:
    install("maxi")

    with pytest.raises(UnknownPlugin, match=r"column 'x' .*no aggregate function named 'maxx' .*'max' or 'maxi'"):
        column_function("x", {"agg": "maxx"}, "")


@pytest.mark.parametrize(("name", "alias"), [("sum", None), ("other", "SUM")])
def test_a_name_of_two_functions_is_refused(install: Install, name: str, alias: str | None) -> None:
    """A built-in function does not take precedence over an installed function of the same name."""
    install(name, alias=alias)

    with pytest.raises(AmbiguousPlugin, match=rf"column 'x'.* 'Sum' is offered .* {name} 1\.0.*pip uninstall"):
        column_function("x", {"agg": "Sum"}, "")
    assert column_function("x", {"agg": "max"}, "").plugin.distribution == "hoodoo-aggregate-max"


def test_the_allow_list_counts(install: Install, monkeypatch: pytest.MonkeyPatch) -> None:
    install("times-newer")
    monkeypatch.setenv("HOODOO_PLUGINS", "builtin")

    with pytest.raises(PluginNotAllowed, match=r"column 'x'.*add 'aggregate:times-newer' to HOODOO_PLUGINS"):
        column_function("x", {"agg": "times-newer"}, "")


def test_a_broken_function_is_named_with_the_column(install: Install) -> None:
    install("odd", takes="3")

    with pytest.raises(BrokenPlugin, match=r"column 'x' .*'odd' \(odd 1\.0\).* must state the columns that it accepts"):
        column_function("x", {"agg": "odd"}, "")
