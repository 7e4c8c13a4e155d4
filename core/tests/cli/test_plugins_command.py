"""`hoodoo plugins`: its lists, its details, and its exit codes."""

from __future__ import annotations

import json
import re
import sys
from textwrap import dedent

import pytest

from hoodoo.cli import plugins_command
from hoodoo.plugin import Catalogue

pytestmark = pytest.mark.slow

SOURCE = '''
    """The version with the larger value of a column wins."""
    from attrs import frozen
    from hoodoo.plugin import RowMerger, hookimpl, option
    from hoodoo.record import Law

    @frozen
    class Larger(RowMerger):
        laws = frozenset({Law.IDEMPOTENT})
        column: str = option(help="Column to [compare].")
        strict: bool = option(default=False, key="hoodie.larger.strict", help="Whether a tie keeps the older.")

        def merge(self, older, newer, context, config):
            return newer

    @hookimpl
    def hoodoo_merger():
        return Larger
'''


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Yield a function that installs a distribution with one plugin and its alias, in addition to the others."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delenv("HOODOO_PLUGINS", raising=False)
    monkeypatch.setenv("COLUMNS", "40")  # narrow: what a program reads must not depend on it
    modules = []

    def install(name, source, family="merger", module=None, distribution=None):
        module = module or f"cli_{family}_{name.replace('-', '_')}"
        distribution = distribution or f"clifake-{family}-{name}"
        info = tmp_path / f"{distribution.replace('-', '_')}-2.0.dist-info"
        info.mkdir()
        info.joinpath("METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 2.0\n")
        info.joinpath("entry_points.txt").write_text(
            f"[hoodoo.{family}]\n{name} = {module}\n[hoodoo.{family}.alias]\ncom.acme.{name.title()} = {module}\n"
        )
        tmp_path.joinpath(f"{module}.py").write_text(dedent(source))
        modules.append(module)

    yield install
    for module in modules:
        sys.modules.pop(module, None)


def test_list_shows_every_plugin_and_imports_none(install, hoodoo):
    install("larger-cli", SOURCE)
    install("bad-cli", "raise AssertionError('imported')\n")

    code, out, err = hoodoo("plugins", "list")

    assert (code, err) == (0, "")
    lines = [line.split() for line in out.splitlines()]
    assert lines[0] == ["family", "name", "distribution", "version"]
    assert ["merger", "larger-cli", "clifake-merger-larger-cli", "2.0"] in lines
    assert ["merger", "bad-cli", "clifake-merger-bad-cli", "2.0"] in lines


def test_list_as_json_of_one_family(install, hoodoo):
    install("larger-cli", SOURCE)
    install("other-cli", SOURCE, family="payload")

    code, out, _ = hoodoo("plugins", "list", "--family", "merger", "--json")

    assert code == 0
    rows = json.loads(out)
    assert {row["family"] for row in rows} == {"merger"}
    assert [row for row in rows if row["name"] == "larger-cli"] == [
        {
            "family": "merger",
            "name": "larger-cli",
            "distribution": "clifake-merger-larger-cli",
            "version": "2.0",
            "module": "cli_merger_larger_cli",
            "aliases": ["com.acme.Larger-Cli"],
            "allowed": True,
        }
    ]


def test_list_shows_what_the_allow_list_excludes(install, hoodoo, monkeypatch):
    install("larger-cli", SOURCE)
    install("other-cli", SOURCE)
    monkeypatch.setenv("HOODOO_PLUGINS", "merger:other-cli")

    _, out, _ = hoodoo("plugins", "list", "--family", "merger")

    allowed = {line.split()[1]: line.split()[-1] for line in out.splitlines()}
    assert (allowed["name"], allowed["larger-cli"], allowed["other-cli"]) == ("allowed", "no", "yes")


def test_show_prints_the_source_and_the_options(install, hoodoo):
    install("larger-cli", SOURCE)

    code, out, err = hoodoo("plugins", "show", "larger-cli")

    assert (code, err) == (0, "")
    for text in (
        "merger 'larger-cli'",
        "The version with the larger value of a column wins.",
        "clifake-merger-larger-cli 2.0",
        "com.acme.Larger-Cli",
        "idempotent: m(a, a) = a",
        "column                          str   required  Column to [compare].",
        "strict or hoodie.larger.strict  bool  false     Whether a tie keeps the older.",
    ):
        assert text in out


DECLARING = '''
    """A rule that declares everything."""
    from attrs import frozen
    from hoodoo.plugin import MergeMode, PartialUpdate, hookimpl, option
    from hoodoo.record import Law

    @frozen
    class Declaring:
        laws = frozenset({Law.IDEMPOTENT})
        whole_versions = True
        reasons = {0: "late", 1: "newer"}
        uses = (("aggregate", "sum"), ("aggregate", "max"))
        delete_rules = ("builtin-flag", "dms-op")
        merge_mode = MergeMode("CUSTOM", "5f7c0a9e", partial_updates=(PartialUpdate("FILL", {"fill": True}),))
        column: str = option(default="source", help="Source.")

        @property
        def keeps_with_deletes(self):
            return (self.column, "ts")

        def needs(self, schema, config):
            return (self.column,)

        def prepare(self, newer, config):
            return {}

        def merge(self, older, newer, context, config):
            return newer

    @hookimpl
    def hoodoo_merger():
        return Declaring
'''


def test_show_prints_every_declared_member(install, hoodoo):
    install("declaring", DECLARING)

    code, out, err = hoodoo("plugins", "show", "declaring")

    assert (code, err) == (0, "")
    facts = [line.strip() for line in out.splitlines()]
    for text in (
        "keeps_with_deletes source, ts",
        "whole_versions     yes",
        "uses               aggregate:sum, aggregate:max",
        "delete_rules       builtin-flag, dms-op",
        "merge_mode         name: CUSTOM",
        "strategy_id: 5f7c0a9e",
        "partial_updates: (name: FILL, options: (fill: yes))",
        "reasons            0: late",
        "1: newer",
        "methods            needs, prepare",
    ):
        assert text in facts

    _, out, _ = hoodoo("plugins", "show", "declaring", "--json")
    shown = json.loads(out)
    assert shown["declares"]["keeps_with_deletes"] == ["source", "ts"]
    assert shown["declares"]["merge_mode"]["partial_updates"] == [{"name": "FILL", "options": {"fill": True}}]
    assert shown["methods"] == ["needs", "prepare"]


def test_show_prints_members_of_payloads_and_those_that_depend_on_options(install, hoodoo):
    source = DECLARING.replace("hoodoo_merger", "hoodoo_payload").replace(
        'option(default="source", help', "option(help"
    )
    source = source.replace("MergeMode, PartialUpdate,", "Substitute,").replace(
        'merge_mode = MergeMode("CUSTOM", "5f7c0a9e", partial_updates=(PartialUpdate("FILL", {"fill": True}),))',
        'hudi_class = "com.acme.P"; substitute = Substitute("event-time", {"a": "b"}, ("Op", "D"))',
    )
    for method in ("pre_combine", "combine_and_get_update_value", "get_insert_value"):
        source = source.replace(
            "        def merge(", f"        def {method}(self, *rest):\n            pass\n\n        def merge("
        )
    install("declaring-payload", source, family="payload")

    code, out, _ = hoodoo("plugins", "show", "payload:declaring-payload")

    assert code == 0
    facts = [line.strip() for line in out.splitlines()]
    for text in (
        "keeps_with_deletes depends on the options",
        "hudi_class         com.acme.P",
        "substitute         merger: event-time",
        "options: (a: b)",
        "delete: Op, D",
    ):
        assert text in facts


def test_a_terminal_gets_a_table_that_keeps_brackets(install, hoodoo, monkeypatch):
    install("larger-cli", SOURCE)
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)

    code, out, _ = hoodoo("plugins", "show", "larger-cli")

    assert code == 0
    assert "Column to [compare]." in out


def test_show_as_json_by_alias(install, hoodoo):
    install("larger-cli", SOURCE)

    code, out, _ = hoodoo("plugins", "show", "com.acme.Larger-Cli", "--json")

    assert code == 0
    shown = json.loads(out)
    assert (shown["family"], shown["name"], shown["version"]) == ("merger", "larger-cli", "2.0")
    assert shown["description"] == "The version with the larger value of a column wins."
    assert shown["laws"] == ["IDEMPOTENT"]
    assert shown["options"] == [
        {
            "name": "column",
            "key": None,
            "type": "str",
            "required": True,
            "default": None,
            "help": "Column to [compare].",
        },
        {
            "name": "strict",
            "key": "hoodie.larger.strict",
            "type": "bool",
            "required": False,
            "default": False,
            "help": "Whether a tie keeps the older.",
        },
    ]


def test_a_name_of_two_families_is_shown_for_both_or_for_the_one_that_is_named(install, hoodoo):
    install("larger-cli", SOURCE)
    install(
        "larger-cli", SOURCE.replace("hoodoo_merger", "hoodoo_delete_rule").replace("merge(", "is_delete("), "delete"
    )

    def shown(*arguments):
        code, out, _ = hoodoo("plugins", "show", *arguments, "--json")
        assert code == 0
        return json.loads(out)

    assert [plugin["family"] for plugin in shown("larger-cli")] == ["merger", "delete"]
    assert shown("larger-cli", "--family", "delete")["family"] == "delete"
    assert shown("delete:larger-cli")["family"] == "delete"


@pytest.mark.nightly
def test_a_broken_plugin_is_shown_with_its_error(install, hoodoo):
    install("bad-cli", "import a_module_that_nobody_has\n")

    code, out, err = hoodoo("plugins", "show", "bad-cli")
    assert code == 1
    assert "clifake-merger-bad-cli 2.0" in out
    assert "error: merger 'bad-cli' (clifake-merger-bad-cli 2.0)" in err
    assert "No module named 'a_module_that_nobody_has'" in err
    assert "Traceback" not in err

    code, out, _ = hoodoo("plugins", "show", "bad-cli", "--json")
    assert code == 1
    assert "a_module_that_nobody_has" in json.loads(out)["error"]


def test_an_unknown_name_is_a_message_without_a_traceback(install, hoodoo):
    install("larger-cli", SOURCE)

    code, out, err = hoodoo("plugins", "show", "larger-cly")

    assert (code, out) == (1, "")
    assert err == "error: no plugin named 'larger-cly' is installed; did you mean 'larger-cli'?\n"


def test_a_name_offered_twice_is_a_message_naming_both(install, hoodoo):
    install("larger-cli", SOURCE)
    install("larger-cli", SOURCE, module="cli_second", distribution="clifake-second")

    code, _, err = hoodoo("plugins", "show", "larger-cli")

    assert code == 1
    assert "clifake-merger-larger-cli 2.0 and clifake-second 2.0" in err


FUNCTION = """
    'The newer text.'
    from attrs import frozen
    from hoodoo.plugin import hookimpl, option
    from hoodoo.record import Law

    @frozen
    class Newer:
        laws = frozenset({Law.IDEMPOTENT})
        takes = "text"
        strict: bool = option(default=False, help="Whether it is.")

        def accepts(self, type_): ...
        def add(self, older, newer): ...

    @hookimpl
    def hoodoo_aggregate():
        return Newer
"""


@pytest.fixture
def core_alone(monkeypatch):
    """Let the command find no plugins."""
    monkeypatch.setattr(plugins_command, "Catalogue", lambda: Catalogue([]))


def test_no_aggregate_function_comes_with_the_core(hoodoo, core_alone):
    assert hoodoo("plugins", "list", "--family", "aggregate") == (0, "no aggregate function is installed\n", "")


def test_an_official_function_that_is_not_installed_is_answered_with_its_distribution(hoodoo, core_alone):
    code, _, err = hoodoo("plugins", "show", "aggregate:listagg")

    assert code == 1
    assert "no aggregate function named 'listagg' is installed; try: pip install hoodoo-aggregate-listagg" in err


def test_an_aggregate_function_is_listed_and_shown_with_options_and_laws(hoodoo, install):
    install("newer-text", FUNCTION, "aggregate")

    _, listed, _ = hoodoo("plugins", "list", "--family", "aggregate")
    code, shown, _ = hoodoo("plugins", "show", "aggregate:newer_text")

    assert re.search(r"^aggregate +newer-text +clifake-aggregate-newer-text +2\.0$", listed, re.MULTILINE)
    assert code == 0
    assert shown.startswith("aggregate function 'newer-text'\n  The newer text.\n")
    assert re.search(r"claims +idempotent", shown)
    assert re.search(r"^strict +bool +false", shown, re.MULTILINE)


@pytest.mark.nightly
@pytest.mark.parametrize("form", [[], ["--json"]])
def test_the_list_warns_of_plugins_that_are_not_declared(hoodoo, install, tmp_path, form):
    install("lost", SOURCE, family="mergers")

    code, out, err = hoodoo("plugins", "list", *form)

    assert code == 0
    assert "lost" not in out
    assert err.startswith("warning: clifake-mergers-lost 2.0 declares 'lost'")
    assert 'write [project.entry-points."hoodoo.merger"] in its pyproject.toml' in err
    code, _, err = hoodoo("plugins", "show", "lost")
    assert code == 1
    assert "no plugin named 'lost' is installed; likely cause: clifake-mergers-lost 2.0 declares 'lost'" in err
