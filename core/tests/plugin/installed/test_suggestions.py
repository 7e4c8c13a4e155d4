"""One error for several plugins that are not installed."""

from __future__ import annotations

from hoodoo.errors import UnknownPlugin
from hoodoo.plugin.installed.suggestions import all_missing

ONE = UnknownPlugin("no merger named 'a-b'", plugin=("merger", "a-b"))
WITH = UnknownPlugin("merger 'a-b': pip install acme==1", plugin=("merger", "A_B"), requirement="acme==1")
OTHER = UnknownPlugin("no lock", plugin=("lock", "zk"), requirement="acme==1")


def test_one_missing_plugin_keeps_its_error() -> None:
    assert all_missing([ONE]) is ONE
    assert all_missing([ONE, UnknownPlugin("again", plugin=("merger", "a-b"))]) is ONE


def test_of_two_errors_for_a_plugin_the_one_with_a_requirement_is_taken() -> None:
    assert all_missing([ONE, WITH]) is all_missing([WITH, ONE]) is WITH


def test_an_alias_of_an_official_plugin_is_the_same_plugin() -> None:
    name = UnknownPlugin("no 'zk'", plugin=("lock", "zk"), requirement="hoodoo-lock-zk")
    alias = UnknownPlugin("no 'com.Zk'", plugin=("lock", "com.Zk"), requirement="hoodoo-lock-zk")

    assert all_missing([name, alias]) is name


def test_several_are_named_with_one_command() -> None:
    error = all_missing([all_missing([WITH, OTHER]), UnknownPlugin("no hook 'h'", plugin=("pre_commit", "h"))])

    assert str(error) == (
        "3 plugins are not installed: merger 'A_B', lock provider 'zk', pre-commit hook 'h'; install them: "
        "pip install acme==1; no hook 'h'"
    )
    assert [part.plugin for part in error.parts] == [("merger", "A_B"), ("lock", "zk"), ("pre_commit", "h")]
