"""Hooks around a commit: their arguments, the effect of a rejection, and failures."""

from __future__ import annotations

import importlib
import sys
from textwrap import dedent

import pyarrow as pa
import pytest
from attrs import define, field

import hoodoo
from hoodoo.commit_hooks import HookFailed
from hoodoo.errors import (
    CommitRefused,
    OptionError,
    PluginFault,
    PluginNotAllowed,
    StorageError,
    UnknownOption,
    UnknownPlugin,
)
from hoodoo.plugin import default_catalogue
from hoodoo.storage import storage_for
from hoodoo.testing.engine import write_arrow
from hoodoo.timeline import Timeline

pytestmark = pytest.mark.slow

HOOK = """
    '''A hook of a test.'''
    from attrs import frozen
    from hoodoo.plugin import hookimpl, option

    __version__ = "1.0"
    run = print

    @hookimpl
    def hoodoo_{family}(table, {told}):
        run(table, {told})
"""
OPTIONS = """
    @frozen
    class Options:
        most: int = option(default=3, help="As many.")
"""


@define
class Place:
    """A table with hooks whose functions a test provides."""

    path: object
    site: object
    base: dict = field(factory=lambda: {"table_name": "t", "record_key": "id", "partition_by": "p", "ordering": "ts"})

    def install(self, family, name, run, options=""):
        """Install a distribution with one hook, whose body is `run`."""
        module = f"hooktest_{name}"
        info = self.site / f"{module}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: hooktest-{name}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[hoodoo.{family}]\n{name} = {module}\n")
        told = "summary" if family == "pre_commit" else "commit"
        (self.site / f"{module}.py").write_text(dedent(HOOK.format(family=family, told=told)) + dedent(options))
        importlib.invalidate_caches()
        importlib.import_module(module).run = run
        default_catalogue.cache_clear()

    def write(self, rows, mode="append", **options):
        table = pa.table(rows, names=["id", "p", "ts", "v"]) if isinstance(rows, list) else rows
        return write_arrow(table, self.path, {**self.base, **options}, mode)

    def rows(self):
        return values(hoodoo.Table(self.path))

    def data_files(self):
        return {str(p.relative_to(self.path)) for p in self.path.rglob("*") if ".hoodie" not in str(p) and p.is_file()}


def values(table):
    return {row["id"]: row["v"] for row in table.to_arrow(columns=["id", "v"]).to_pylist()}


@pytest.fixture
def place(tmp_path, monkeypatch):
    site = tmp_path / "site"
    site.mkdir()
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.delenv("HOODOO_PLUGINS", raising=False)
    yield Place(tmp_path / "t", site)
    for name in [name for name in sys.modules if name.startswith("hooktest_")]:
        del sys.modules[name]
    default_catalogue.cache_clear()


def batch(**by_key):
    """Return rows of partition x, or y for keys that begin with y; the value is also the ordering value."""
    keys, numbers = list(by_key), list(by_key.values())
    return pa.table({"id": keys, "p": ["y" if key[0] == "y" else "x" for key in keys], "ts": numbers, "v": numbers})


TABLES = [
    {"table_type": kind, "table_version": version, "index": index}
    for kind in ("COPY_ON_WRITE", "MERGE_ON_READ")
    for version in (6, 9)
    for index in ("simple", "bucket")
]


@pytest.mark.parametrize("kind", TABLES, ids=lambda kind: "-".join(map(str, kind.values())))
def test_a_hook_sees_the_table_before_and_after(place, kind):
    """A hook gets the rows before and after an upsert, a delete or an overwrite, and the counts of the commit."""
    seen = []

    def look(table, summary):
        shown = summary.after
        seen.append((summary, values(table), values(shown), shown.history()[0], values(shown)))

    place.install("pre_commit", "look", look)
    state = {}
    for operation, rows, expected in [
        ("upsert", {"a": 1, "b": 1, "y1": 1}, {"a": 1, "b": 1, "y1": 1}),
        ("upsert", {"b": 2, "c": 2, "y1": 0}, {"a": 1, "b": 2, "c": 2, "y1": 1}),
        ("delete", {"a": 9}, {"b": 2, "c": 2, "y1": 1}),
        ("insert_overwrite", {"d": 3}, {"d": 3, "y1": 1}),
        ("insert_overwrite_table", {"e": 4}, {"e": 4}),
    ]:
        commit = place.write(batch(**rows), operation=operation, pre_commit="look", **kind)
        summary, before, after, shown, _ = seen[-1]

        assert (before, after) == (state, expected) == (state, values(hoodoo.Table(place.path)))
        assert shown == commit
        counts = ("instant", "rows_incoming", "rows_inserted", "rows_updated", "rows_deleted", "rows_ignored", "files")
        assert [getattr(summary, name) for name in counts] == [getattr(commit, name) for name in counts]
        assert (summary.operation, summary.bytes, summary.options) == (operation, commit.bytes, None)
        state = expected
    assert [summary.partitions for summary, *_ in seen] == [
        ("x", "y"),
        seen[1][0].partitions,
        ("x",),
        ("x",),
        ("x", "y"),
    ]
    assert len(seen) == 5


def test_the_table_after_cannot_be_changed(place):
    refused = []

    def change(table, summary):
        with pytest.raises(StorageError, match="the table is read-only until its commit is completed") as caught:
            summary.after.compact()
        refused.append(caught.value.code)

    place.install("pre_commit", "change", change)
    place.write(batch(a=1), table_type="MERGE_ON_READ", index="bucket")
    place.write(batch(a=2), pre_commit="change")

    assert refused == ["read_only"]
    assert place.rows() == {"a": 2}


@pytest.mark.parametrize("exists", [True, False])
@pytest.mark.parametrize("error", [CommitRefused("too many"), KeyError("gone"), StorageError("no answer")])
def test_a_refusal_leaves_the_table_as_it_was(place, error, exists):
    later = []

    def refuse(table, summary):
        assert values(summary.after)["a"] == 2
        raise error

    place.install("pre_commit", "refuse", refuse)
    place.install("pre_commit", "later", lambda table, summary: later.append(summary))
    if exists:
        place.write(batch(a=1))
    files = place.data_files()

    with pytest.raises((CommitRefused, PluginFault)) as caught:
        place.write(batch(a=2, y2=1), pre_commit=["refuse", "later"])

    refusal = isinstance(error, CommitRefused)
    assert (type(caught.value), caught.value.code) == (
        (CommitRefused, "commit_refused") if refusal else (PluginFault, "plugin_fault")
    )
    assert "pre-commit hook 'refuse' (hooktest-refuse 1.0)" in str(caught.value)
    assert (str(error) if refusal else type(error).__name__) in str(caught.value)
    assert caught.value.__cause__ is error
    assert later == []
    assert place.data_files() == files
    assert (place.path / ".hoodie" / "hoodie.properties").exists() == exists
    assert Timeline.load(storage_for(place.path)).pending == ()
    place.write(batch(a=3))
    assert place.rows() == {"a": 3}


def test_hooks_are_called_in_the_order_of_the_option(place):
    called = []
    for name in ("one", "two"):
        place.install("pre_commit", name, lambda table, summary, name=name: called.append(name))
    for name in ("three", "four"):
        place.install("post_commit", name, lambda table, commit, name=name: called.append(name))

    place.write(batch(a=1), pre_commit="two, one", post_commit=["four", "THREE"])
    place.write(batch(a=2), pre_commit="one,two")
    place.write(batch(a=3))

    assert called == ["two", "one", "four", "three", "one", "two"]


def test_a_post_commit_hook_gets_the_commit_before_the_services(place):
    told = []
    place.install("post_commit", "tell", lambda table, commit: told.append((commit, values(table), table.timeline)))
    options = {"post_commit": "tell", "table_type": "MERGE_ON_READ", "index": "bucket", "compact_inline": True}
    place.write(batch(a=1), **options, compact_after_commits=1)

    commit = place.write(batch(a=2), **options, compact_after_commits=1)

    assert told[-1][:2] == (commit, {"a": 2})
    assert told[-1][2].latest_commit.time == commit.instant < hoodoo.Table(place.path).history()[0].instant
    assert len(told) == 2  # a compaction calls no hooks


def test_a_post_commit_hook_that_fails_is_a_warning(place):
    told = []

    def fail(table, commit):
        raise RuntimeError("no connection")

    place.install("post_commit", "fail", fail)
    place.install("post_commit", "tell", lambda table, commit: told.append(commit))

    with pytest.warns(HookFailed, match=r"post-commit hook 'fail' \(hooktest-fail 1.0\) raised RuntimeError: no conn"):
        commit = place.write(batch(a=1), post_commit="fail,tell")

    assert told == [commit]
    assert place.rows() == {"a": 1}


def test_a_repeated_write_calls_pre_commit_once_and_post_commit_again(place):
    called = []
    place.install("pre_commit", "before", lambda table, summary: called.append("before"))
    place.install("post_commit", "after", lambda table, commit: called.append(commit.instant))
    options = {"pre_commit": "before", "post_commit": "after", "write_id": "load-7"}

    first = place.write(batch(a=1), **options)
    again = place.write(batch(a=1), **options)
    place.write(batch(a=5), mode="ignore", **{**options, "write_id": None})

    assert again == first
    assert called == ["before", first.instant, first.instant]


def test_options_reach_their_hook_in_its_types(place):
    seen = []
    for name in ("strict", "lax"):
        place.install("pre_commit", name, lambda table, summary: seen.append(summary.options.most), OPTIONS)

    place.write(batch(a=1), pre_commit="strict,lax", pre_commit_options={"Strict": {"most": "5"}})
    place.write(batch(a=2), pre_commit="lax", pre_commit_options='{"lax": {"most": 7}}')

    assert seen == [5, 3, 7]


@pytest.mark.parametrize(
    ("options", "kind", "words"),
    [
        ({"pre_commit": "lock"}, UnknownPlugin, "no pre-commit hook named 'lock' is installed; did you mean 'look'"),
        ({"post_commit": "look"}, UnknownPlugin, "no post-commit hook named 'look'.*'look' is a pre-commit hook"),
        ({"pre_commit": "look,look"}, OptionError, "lists plugin 'look' twice"),
        ({"pre_commit": 5}, OptionError, "not a list of plugin names"),
        ({"pre_commit": "look", "pre_commit_options": {"look": {"mots": 1}}}, UnknownOption, "'mots'.*'most'"),
        ({"pre_commit": "look", "pre_commit_options": {"look": {"most": "x"}}}, OptionError, "'most'"),
        ({"pre_commit": "look", "pre_commit_options": {"look": 5}}, OptionError, "a dictionary for each hook"),
        ({"pre_commit": "look", "pre_commit_options": {"most": 5}}, OptionError, "options of 'most'.*names 'look'"),
        ({"pre_commit_options": {"look": {"most": 5}}}, OptionError, "'pre_commit' names none"),
        ({"hoodie.precommit.validators": "org.acme.Check"}, OptionError, "Python plugins.*'pre_commit'"),
    ],
)
def test_what_options_show_is_refused_before_anything_is_written(place, options, kind, words):
    place.install("pre_commit", "look", lambda table, summary: None, OPTIONS)

    with pytest.raises(kind, match=words):
        place.write(batch(a=1), **options)

    assert not place.path.exists()


def test_the_allow_list_counts_for_hooks(place, monkeypatch):
    place.install("pre_commit", "look", lambda table, summary: None)
    monkeypatch.setenv("HOODOO_PLUGINS", "builtin")
    with pytest.raises(PluginNotAllowed, match="pre_commit:look"):
        place.write(batch(a=1), pre_commit="look")
    monkeypatch.setenv("HOODOO_PLUGINS", "builtin,pre_commit:look")

    place.write(batch(a=1), pre_commit="look")

    assert place.rows() == {"a": 1}
