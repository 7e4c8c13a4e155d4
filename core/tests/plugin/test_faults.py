"""Faults of plugins: the line of the plugin's code and the keys are in the second line of the message."""

from __future__ import annotations

import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

import pyarrow as pa
import pytest

from hoodoo.errors import DataError, PluginFault
from hoodoo.plugin.base import BaseMerger
from hoodoo.plugin.completion import completed
from hoodoo.plugin.faults import PluginCalls, keys_text, place_of

KEYS = pa.array(["a", "b", "a", "c", "d"])


class Rule:
    laws = frozenset[Any]()

    def merge(self, *arguments: Any) -> Any:
        return self.helper()

    def helper(self) -> Any:
        raise ValueError("first\nsecond")


def raised(calls: PluginCalls, *arguments: Any) -> PluginFault:
    with pytest.raises(PluginFault) as caught:
        calls.run("merge", lambda: calls.plugin.merge(), *arguments)  # type: ignore[attr-defined]
    return caught.value


def test_the_innermost_line_of_the_plugin_and_the_keys_follow_the_first_line() -> None:
    fault = raised(PluginCalls("merger 'mine'", Rule()), KEYS)

    line = Rule.helper.__code__.co_firstlineno + 1
    assert str(fault).splitlines() == [
        "merger 'mine' raised ValueError: first",
        f"  File \"{__file__}\", line {line}, in helper; keys such as 'a', 'b', 'c' (5 in this call)",
        "second",
    ]


def test_a_completed_plugin_is_found_behind_its_adapter() -> None:
    fault = raised(PluginCalls("merger 'mine'", completed(Rule(), BaseMerger)))

    assert fault.place == f'File "{__file__}", line {Rule.helper.__code__.co_firstlineno + 1}, in helper'
    assert fault.keys == ""


def test_a_wrong_result_has_the_line_of_the_method() -> None:
    fault = PluginCalls("merger 'mine'", completed(Rule(), BaseMerger)).fault("merge", "returned nothing", KEYS)

    assert str(fault).startswith("merger 'mine' returned nothing\n")
    assert fault.place == f'File "{__file__}", line {Rule.merge.__code__.co_firstlineno}, in merge'


def test_a_method_of_the_core_is_not_shown_as_the_plugin() -> None:
    class Short(BaseMerger):
        pass

    assert PluginCalls("merger 'mine'", Short()).fault("insert", "returned nothing").place == ""


def test_a_fault_within_a_fault_keeps_its_place_and_keys() -> None:
    def inner() -> None:
        raise PluginFault("it returned text", place='File "x.py", line 3', keys="key 'b'")

    with pytest.raises(PluginFault) as caught:
        PluginCalls("merger 'mine'", Rule()).run("merge", inner, KEYS)

    assert str(caught.value) == "merger 'mine': it returned text\n  File \"x.py\", line 3; key 'b'"


def test_an_error_about_rows_is_not_a_fault() -> None:
    def refuse() -> None:
        raise DataError("no deletes here")

    with pytest.raises(DataError, match=r"^no deletes here$"):
        PluginCalls("merger 'mine'", Rule()).run("merge", refuse, KEYS)


def test_an_error_in_code_that_a_plugin_calls_has_the_line_of_the_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tmp_path.joinpath("acme_rule.py").write_text(
        dedent("""
        import json

        class Rule:
            def merge(self):
                return json.loads("{")
        """)
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    try:
        from acme_rule import Rule as Other  # type: ignore[import-not-found]
    finally:
        sys.modules.pop("acme_rule", None)

    fault = raised(PluginCalls("merger 'mine'", Other()))

    assert fault.place == f'File "{tmp_path / "acme_rule.py"}", line 6, in merge'


def test_a_syntax_error_has_its_own_line() -> None:
    with pytest.raises(SyntaxError) as caught:
        compile("x = 1\ny = (", "acme.py", "exec")

    assert place_of(caught.value, ["acme"]) == 'File "acme.py", line 2'


def test_keys_are_described_when_there_are_some() -> None:
    assert keys_text(None) == ""
    assert keys_text(pa.array([], pa.string())) == ""
    assert keys_text(lambda: "rows such as id=7") == "rows such as id=7"
