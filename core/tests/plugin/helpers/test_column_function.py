"""Aggregate function of a column: checks of the column, of the result of the function, and of its errors."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa
import pytest

from hoodoo.errors import BrokenPlugin, DataError, PluginFault, SchemaError
from hoodoo.plugin import default_catalogue
from hoodoo.plugin.helpers.column_function import ColumnFunction

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


def in_column_x(name: str) -> ColumnFunction:
    plugin = default_catalogue().load("aggregate", name)
    return ColumnFunction("x", plugin.info, plugin.make({}))


@pytest.mark.parametrize(
    ("head", "said"),
    [
        ("laws = {Law.IDEMPOTENT}", "must declare its laws in a class attribute"),
        ("takes = 3", r"must state the columns that it accepts, in words in a class .* takes = '\.\.\.'"),
    ],
)
def test_a_class_that_is_no_function_is_broken(install: Install, head: str, said: str) -> None:
    install(source(head=head), "aggregate", "odd")

    with pytest.raises(BrokenPlugin, match=rf"'odd' \(odd 1\.0\).*{said}"):
        in_column_x("odd")


@pytest.mark.parametrize("method", ["add", "retract"])
@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("return 1 / 0", "raised ZeroDivisionError: division by zero"),
        ("return pc.add_checked(newer, 2**63 - 1)", "raised ArrowInvalid: overflow"),
        ("return newer.slice(1)", "must return 1 value of type int64, got 0 values"),
        ("return newer.cast('int32')", "must return 1 value of type int64, got 1 value of type int32"),
        ("return newer.to_pylist()", "must return 1 value of type int64, got list"),
        ("return None", "got NoneType"),
    ],
)
def test_what_it_answers_with_is_checked(install: Install, method: str, body: str, said: str) -> None:
    install(source(body), "aggregate", "odd")

    with pytest.raises(PluginFault) as fault:
        getattr(in_column_x("odd"), method)(ONE, ONE)
    assert str(fault.value).startswith("aggregate function 'odd' (odd 1.0) in column 'x' ")
    assert said in str(fault.value)


def test_what_it_refuses_by_an_error_of_ours_is_no_fault(install: Install) -> None:
    install(source("raise DataError('too large', code='overflow')"), "aggregate", "odd")

    with pytest.raises(DataError, match=r"^too large$"):
        in_column_x("odd").add(ONE, ONE)


@pytest.mark.parametrize("method", ["add", "retract"])
def test_a_result_that_the_column_cannot_hold_is_no_fault(install: Install, method: str) -> None:
    install(source("raise OverflowError('9 is too large')"), "aggregate", "odd")

    message = (
        r"^function 'odd' of column 'x' has a result that the column cannot hold: 9 is too large; use a wider type$"
    )
    with pytest.raises(DataError, match=message) as refusal:
        getattr(in_column_x("odd"), method)(ONE, ONE)
    assert refusal.value.code == "overflow"


def test_an_answer_in_chunks_is_one_array(install: Install) -> None:
    install(source("return pa.chunked_array([newer])"), "aggregate", "chunks")

    assert in_column_x("chunks").add(ONE, ONE).equals(ONE)


def test_accepts_is_asked_and_checked(install: Install) -> None:
    install(source(accepts="return pa.types.is_string(type_)"), "aggregate", "texts")
    install(source(accepts="return type_.nothing"), "aggregate", "odd")

    with pytest.raises(SchemaError, match="'texts' takes a number, and column 'x' is int64"):
        in_column_x("texts").add(ONE, ONE)
    with pytest.raises(PluginFault, match=r"'odd' \(odd 1\.0\) in column 'x' raised AttributeError"):
        in_column_x("odd").add(ONE, ONE)
