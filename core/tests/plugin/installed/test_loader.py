"""Loading of plugins: only selected ones, with checks before and after the import, and errors that explain."""

from __future__ import annotations

from textwrap import dedent

import pytest

from hoodoo.errors import BrokenPlugin, PluginFault
from hoodoo.plugin import Catalogue

HEAD = """
    from attrs import frozen
    from hoodoo.plugin import RowMerger, RowPayload, hookimpl, option
    from hoodoo.record import Law
"""


def merger(body: str, head: str = HEAD) -> str:
    return head + body + "\n    @hookimpl\n    def hoodoo_merger():\n        return Rule\n"


def test_loading_one_plugin_imports_no_other(site, explodes):
    site.install_merger("good")
    site.install_merger("left", explodes("left"))
    site.install_merger("right", explodes("right"))

    plugin = site.catalogue().load("merger", "good")

    assert plugin.cls.__name__ == "Newest"
    assert plugin.description == "The newer arrival wins."
    assert site.modules == {"fake_good"}


def test_a_broken_plugin_affects_only_its_selection(site):
    site.install_merger("good")
    site.install_merger("bad", "import a_module_that_nobody_has\n", version="3.1")
    catalogue = site.catalogue()

    with pytest.raises(BrokenPlugin, match=r"merger 'bad' \(fake-bad 3\.1\).*No module named") as caught:
        catalogue.load("merger", "bad")

    assert isinstance(caught.value.__cause__, ModuleNotFoundError)
    assert catalogue.make("merger", "good", {}).__class__.__name__ == "Newest"


def test_a_module_that_exits_is_broken_and_the_process_goes_on(site):
    site.install_merger("quits", "raise SystemExit(3)\n")

    with pytest.raises(BrokenPlugin, match="SystemExit: 3"):
        site.catalogue().load("merger", "quits")


def test_a_missing_module_is_named(site):
    site.install("d", {"hoodoo.merger": {"gone": "module_that_was_removed"}})

    with pytest.raises(BrokenPlugin, match=r"merger 'gone' \(d 1\.0\).*module_that_was_removed"):
        site.catalogue().load("merger", "gone")


@pytest.mark.parametrize(
    "requirement", ["hoodoo-core>=99", "hoodoo_core<0.0.1", "Hoodoo.Core==99.*; python_version > '3'"]
)
def test_a_core_bound_that_does_not_fit_is_said_before_the_import(site, explodes, requirement):
    site.install_merger("future", explodes("future"), requires=["attrs", requirement])

    with pytest.raises(BrokenPlugin, match=r"merger 'future' \(fake-future 1\.0\).* it needs hoodoo-core"):
        site.catalogue().load("merger", "future")
    assert site.modules == set()


def test_a_core_bound_that_fits_or_does_not_apply_is_no_obstacle(site):
    site.install_merger(
        "fits",
        requires=["hoodoo-core>=0.0.1,<99", "hoodoo-core>=99; extra == 'dev'", "hoodoo-core>=99; python_version < '3'"],
    )

    assert site.catalogue().load("merger", "fits").info.name == "fits"


def test_a_hook_with_arguments_that_the_core_does_not_give_is_refused(site):
    site.install_merger("greedy", HEAD + "\n    @hookimpl\n    def hoodoo_merger(table):\n        return None\n")

    with pytest.raises(BrokenPlugin, match=r"merger 'greedy'.*hoodoo_merger.*table"):
        site.catalogue().load("merger", "greedy")


def test_a_misspelt_hook_is_named(site):
    site.install_merger("typo", HEAD + "\n    @hookimpl\n    def hoodoo_mergr():\n        return None\n")

    with pytest.raises(BrokenPlugin, match="unknown hook 'hoodoo_mergr'"):
        site.catalogue().load("merger", "typo")


def test_the_hook_of_another_family_is_named(site):
    site.install_merger("mixed", HEAD + "\n    @hookimpl\n    def hoodoo_payload():\n        return None\n")

    with pytest.raises(BrokenPlugin, match=r"does not implement hoodoo_merger\(\); it implements hoodoo_payload"):
        site.catalogue().load("merger", "mixed")


def test_a_forgotten_marker_is_explained(site):
    site.install_merger("plain", HEAD + "\n    def hoodoo_merger():\n        return None\n")

    with pytest.raises(BrokenPlugin, match=r"does not implement hoodoo_merger\(\), or does not mark it with @hookimpl"):
        site.catalogue().load("merger", "plain")


def test_a_hook_that_raises_is_named_with_its_error(site):
    site.install_merger("raises", HEAD + "\n    @hookimpl\n    def hoodoo_merger():\n        raise KeyError('boom')\n")

    with pytest.raises(BrokenPlugin, match=r"hoodoo_merger\(\) raised KeyError: 'boom'"):
        site.catalogue().load("merger", "raises")


MERGE = "        def merge(self, *arguments): ...\n"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("    Rule = None\n", r"hoodoo_merger\(\) must return a class, got an object of type NoneType"),
        ("    class Rule:\n        laws = frozenset()\n", "class Rule has no method 'merge'"),
        ("    class Rule(RowMerger):\n        pass\n", "class Rule has no method 'merge'"),
        ("    class Rule:\n" + MERGE, "class Rule must declare its laws"),
        ("    class Rule:\n        laws = {Law.IDEMPOTENT}\n" + MERGE, "must declare its laws"),
        ("    class Rule:\n        laws = frozenset({'idempotent'})\n" + MERGE, "must declare its laws"),
        (
            "    @frozen\n    class Rule:\n        laws: frozenset[Law] = frozenset()\n" + MERGE,
            "without an annotation",
        ),
        (
            "    @frozen\n    class Rule(RowMerger):\n        when: complex = option(default=1j)\n" + MERGE,
            "option 'when' has type complex, which options cannot have",
        ),
        (
            "    @frozen\n    class Rule(RowMerger):\n        x: 'Nowhere' = option(default=1)\n" + MERGE,
            "the type of an option cannot be resolved: name 'Nowhere' is not defined",
        ),
    ],
)
def test_a_class_that_breaks_the_contract_is_refused(site, body, message):
    site.install_merger("wrong", merger(body))

    with pytest.raises(BrokenPlugin, match=rf"merger 'wrong' \(fake-wrong 1\.0\).*{message}"):
        site.catalogue().load("merger", "wrong")


@pytest.mark.parametrize("decorator", ["", "    @dataclass\n"])
def test_options_of_a_class_that_is_not_an_attrs_class_are_refused(site, decorator):
    body = "    from dataclasses import dataclass\n" + decorator
    body += (
        "    class Rule(RowMerger):\n        limit: int = option(default=1)\n        text: str = option(default='x')\n"
    )
    site.install_merger("plain", merger(body + MERGE))

    with pytest.raises(
        BrokenPlugin,
        match=r"class Rule declares options \('limit', 'text'\) and is not an .*; write @frozen above it",
    ):
        site.catalogue().load("merger", "plain")


def test_a_required_option_after_one_with_a_default_is_explained(site):
    body = "    @frozen\n    class Rule(RowMerger):\n        limit: int = option(default=1)\n"
    body += "        text: str = option()\n"
    site.install_merger("unordered", merger(body + MERGE))

    with pytest.raises(BrokenPlugin) as caught:
        site.catalogue().load("merger", "unordered")
    text = str(caught.value)
    assert "; option 'text' has no default and follows one with a default: declare it first, or write @frozen" in text
    assert f'(File "{site.path / "fake_unordered.py"}", line ' in text


def test_an_unknown_hook_is_answered_with_the_expected_one_and_its_line(site):
    source = HEAD + "\n    @hookimpl\n    def hoodoo_mergr():\n        return None\n"
    site.install_merger("misspelt", source)

    with pytest.raises(BrokenPlugin) as caught:
        site.catalogue().load("merger", "misspelt")
    text = str(caught.value)
    line = dedent(source).splitlines().index("@hookimpl") + 1
    assert "unknown hook 'hoodoo_mergr'" in text
    assert text.endswith(f'(File "{site.path / "fake_misspelt.py"}", line {line}); expected hoodoo_merger')


def test_an_error_in_the_module_has_its_line(site):
    site.install_merger("typo", HEAD + "\n    x = 1 +\n")
    site.install_merger("fails", "import json\n\njson.loads('{')\n")

    with pytest.raises(BrokenPlugin, match=rf'File "{site.path / "fake_typo.py"}", line \d+\)'):
        site.catalogue().load("merger", "typo")
    with pytest.raises(BrokenPlugin, match=rf'File "{site.path / "fake_fails.py"}", line 3, in <module>\)'):
        site.catalogue().load("merger", "fails")


def test_every_missing_method_is_named(site):
    source = (
        HEAD + "    class P(RowPayload):\n        pass\n    @hookimpl\n    def hoodoo_payload():\n        return P\n"
    )
    site.install("d", {"hoodoo.payload": {"empty-handed": "lib"}}, {"lib": source})

    with pytest.raises(BrokenPlugin, match=r"'pre_combine'.*'combine_and_get_update_value'") as caught:
        site.catalogue().load("payload", "empty-handed")
    assert "'get_insert_value'" not in str(caught.value)


def test_a_plugin_is_imported_once(site):
    site.install_merger("good")
    catalogue = site.catalogue()

    assert catalogue.load("merger", "good") is catalogue.load("merger", "GOOD")


def test_laws_are_shown_by_name(site):
    body = "    class Rule(RowMerger):\n        laws = frozenset({Law.REPLAY_SAFE, Law.ASSOCIATIVE})\n"
    site.install_merger("lawful", merger(body + MERGE))

    assert site.catalogue().load("merger", "lawful").laws == ("ASSOCIATIVE", "REPLAY_SAFE")


def test_an_error_as_the_instance_is_made_names_the_plugin(site):
    body = (
        "    class Rule(RowMerger):\n        def __init__(self):\n            1 / 0\n        def merge(self, *a): ...\n"
    )
    site.install_merger("stillborn", merger(body))

    with pytest.raises(
        PluginFault,
        match=r"merger 'stillborn' \(fake-stillborn 1\.0\) raised ZeroDivisionError.*\n.*line \d+, in",
    ):
        site.catalogue().make("merger", "stillborn", {})


def test_an_environment_without_plugins_is_not_an_error():
    assert Catalogue([]).list() == []
