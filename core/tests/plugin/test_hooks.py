"""Every hook, called as the core calls it; and the snapshot of their signatures."""

from __future__ import annotations

import inspect
from pathlib import Path

from hoodoo.plugin import spec
from hoodoo.plugin.families import FAMILIES

SNAPSHOT = Path(__file__).with_name("hook_signatures.txt")

MODULE = '''
    """One module, the hooks of four families."""
    from hoodoo.plugin import hookimpl

    called = []

    class Rule:
        laws = frozenset()
        def merge(self, *a): ...
        def pre_combine(self, *a): ...
        def combine_and_get_update_value(self, *a): ...
        def get_insert_value(self, *a): ...
        def record_keys(self, *a): ...
        def partition_paths(self, *a): ...
        def is_delete(self, *a): ...

    class Payload(Rule): ...
    class Merger(Rule): ...
    class Keygen(Rule): ...
    class DeleteRule(Rule): ...

    @hookimpl
    def hoodoo_payload():
        called.append("hoodoo_payload")
        return Payload

    @hookimpl
    def hoodoo_merger():
        called.append("hoodoo_merger")
        return Merger

    @hookimpl
    def hoodoo_keygen():
        called.append("hoodoo_keygen")
        return Keygen

    @hookimpl
    def hoodoo_delete_rule():
        called.append("hoodoo_delete_rule")
        return DeleteRule
'''


def chosen(site, family):
    """The class that the family's hook handed over, and the hooks that were called for it, selecting it twice."""
    groups = {group.group: {"all-in-one": "all_in_one"} for group in FAMILIES.values()}
    site.install("acme", groups, {"all_in_one": MODULE})
    catalogue = site.catalogue()
    instance = catalogue.make(family, "all-in-one", {})
    catalogue.make(family, "all-in-one", {})
    return type(instance).__name__, inspect.getmodule(type(instance)).called


def test_hook_hoodoo_payload(site):
    assert chosen(site, "payload") == ("Payload", ["hoodoo_payload"])


def test_hook_hoodoo_merger(site):
    assert chosen(site, "merger") == ("Merger", ["hoodoo_merger"])


def test_hook_hoodoo_keygen(site):
    assert chosen(site, "keygen") == ("Keygen", ["hoodoo_keygen"])


def test_hook_hoodoo_delete_rule(site):
    assert chosen(site, "delete") == ("DeleteRule", ["hoodoo_delete_rule"])


def signatures() -> dict[str, list[str]]:
    """The hooks that are declared, with the names of their arguments."""
    hooks = {name: value for name, value in vars(spec).items() if hasattr(value, "hoodoo_spec")}
    return {name: list(inspect.signature(hook).parameters) for name, hook in hooks.items()}


def test_no_hook_is_removed_or_renamed_and_no_argument_is_taken_away():
    """A plugin that is installed today must load tomorrow; a hook changes by added arguments only."""
    now = signatures()
    for line in SNAPSHOT.read_text().splitlines():
        name, _, rest = line.rstrip(")").partition("(")
        arguments = [argument for argument in rest.split(", ") if argument]

        assert name in now, f"hook {name} was removed or renamed: installed plugins would break"
        assert set(arguments) <= set(now[name]), f"hook {name} lost an argument: installed plugins would break"


def test_the_snapshot_knows_every_hook():
    lines = [f"{name}({', '.join(arguments)})" for name, arguments in sorted(signatures().items())]

    assert SNAPSHOT.read_text().splitlines() == lines, "a hook or an argument was added: add it to the snapshot"


def test_every_family_has_a_hook_and_every_hook_a_family():
    assert sorted(family.hook for family in FAMILIES.values()) == sorted(signatures())
