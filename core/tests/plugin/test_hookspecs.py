"""Every hook, called in the same way as by the core, and the snapshot of their signatures."""

from __future__ import annotations

import inspect
import sys
from pathlib import Path

import pytest

from hoodoo.errors import BrokenPlugin, OptionError
from hoodoo.plugin import hookspecs as spec
from hoodoo.plugin.installed.families import FAMILIES

SNAPSHOT = Path(__file__).with_name("hook_signatures.txt")

MODULE = '''
    """One module, the hooks of all families."""
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
        takes = "anything"
        def accepts(self, *a): ...
        def add(self, *a): ...
        def try_acquire(self, *a): ...
        def describe(self, *a): ...
        def has_database(self, *a): ...
        create_database = find_table = create_table = alter_table = find_partitions = has_database
        add_partitions = move_partitions = drop_partitions = has_database

    class Payload(Rule): ...
    class Merger(Rule): ...
    class Keygen(Rule): ...
    class DeleteRule(Rule): ...
    class Aggregate(Rule): ...
    class Lock(Rule): ...
    class Catalog(Rule): ...

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

    @hookimpl
    def hoodoo_aggregate():
        called.append("hoodoo_aggregate")
        return Aggregate

    @hookimpl
    def hoodoo_lock():
        called.append("hoodoo_lock")
        return Lock

    @hookimpl
    def hoodoo_catalog():
        called.append("hoodoo_catalog")
        return Catalog

    @hookimpl
    def hoodoo_pre_commit(summary):
        called.append(("hoodoo_pre_commit", summary))

    @hookimpl
    def hoodoo_post_commit(commit, table):
        called.append(("hoodoo_post_commit", table, commit))
'''


def installed(site):
    groups = {group.group: {"all-in-one": "all_in_one"} for group in FAMILIES.values()}
    site.install("acme", groups, {"all_in_one": MODULE})
    return site.catalogue()


def chosen(site, family):
    """Select a plugin twice; return the name of its class, and the hooks that were called for it."""
    catalogue = installed(site)
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


def test_hook_hoodoo_aggregate(site):
    assert chosen(site, "aggregate") == ("Aggregate", ["hoodoo_aggregate"])


def test_hook_hoodoo_lock(site):
    assert chosen(site, "lock") == ("Lock", ["hoodoo_lock"])


def test_hook_hoodoo_catalog(site):
    assert chosen(site, "catalog") == ("Catalog", ["hoodoo_catalog"])


def test_hook_hoodoo_pre_commit(site):
    """A hook may have fewer parameters than it is called with."""
    hook = installed(site).hook("pre_commit", "all-in-one")
    hook.call(table="before", summary="one")
    hook.call(table="before", summary="two")

    assert sys.modules["all_in_one"].called == [("hoodoo_pre_commit", "one"), ("hoodoo_pre_commit", "two")]


def test_hook_hoodoo_post_commit(site):
    hook = installed(site).hook("post_commit", "all_in_one")
    hook.call(table="after", commit="one")

    assert sys.modules["all_in_one"].called == [("hoodoo_post_commit", "after", "one")]


def test_commit_hooks_and_hooks_of_classes_are_not_confused(site):
    catalogue = installed(site)

    with pytest.raises(OptionError, match=r"pre-commit hook 'all-in-one' \(acme 1.0\) is a commit hook"):
        catalogue.load("pre_commit", "all-in-one")
    with pytest.raises(OptionError, match=r"merger 'all-in-one'.* is not a commit hook"):
        catalogue.hook("merger", "all-in-one")


def test_a_hook_that_asks_for_what_it_is_not_given_is_broken(site):
    source = """
        from hoodoo.plugin import hookimpl

        @hookimpl
        def hoodoo_pre_commit(table, rows): ...
    """
    site.install("acme", {"hoodoo.pre_commit": {"greedy": "greedy"}}, {"greedy": source})

    with pytest.raises(BrokenPlugin, match=r"pre-commit hook 'greedy'.*rows"):
        site.catalogue().hook("pre_commit", "greedy")


def test_options_of_a_hook_are_an_attrs_class(site):
    source = """
        from hoodoo.plugin import hookimpl

        Options = {"most": 5}

        @hookimpl
        def hoodoo_pre_commit(table): ...
    """
    site.install("acme", {"hoodoo.pre_commit": {"odd": "odd"}}, {"odd": source})

    with pytest.raises(BrokenPlugin, match="`Options` of module odd is not an attrs class"):
        site.catalogue().hook("pre_commit", "odd")


def signatures() -> dict[str, list[str]]:
    """Return the declared hooks with the names of their arguments."""
    hooks = {name: value for name, value in vars(spec).items() if hasattr(value, "hoodoo_spec")}
    return {name: list(inspect.signature(hook).parameters) for name, hook in hooks.items()}


def test_no_hook_is_removed_or_renamed_and_no_argument_is_taken_away():
    """Installed plugins must load with later releases; a hook may only get more arguments."""
    now = signatures()
    for line in SNAPSHOT.read_text().splitlines():
        name, _, rest = line.rstrip(")").partition("(")
        arguments = [argument for argument in rest.split(", ") if argument]

        assert name in now, f"hook {name} was removed or renamed: installed plugins would break"
        assert set(arguments) <= set(now[name]), f"hook {name} lost an argument: installed plugins would break"


def test_the_snapshot_contains_every_hook():
    lines = [f"{name}({', '.join(arguments)})" for name, arguments in sorted(signatures().items())]

    assert SNAPSHOT.read_text().splitlines() == lines, "a hook or an argument was added: add it to the snapshot"


def test_every_family_has_a_hook_and_every_hook_a_family():
    assert sorted(family.hook for family in FAMILIES.values()) == sorted(signatures())
