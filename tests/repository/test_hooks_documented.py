"""Every hook is documented where it is declared and in docs/hooks.md, with an example that runs, and has a test."""

from __future__ import annotations

import ast
import inspect
import re
import sys
from importlib.metadata import EntryPoint
from pathlib import Path
from types import FunctionType
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pytest

from hoodoo.errors import CommitRefused, DataError, LockLost, OptionError, SchemaError
from hoodoo.plugin import (
    BaseAggregateFunction,
    BaseCatalogProvider,
    BaseDeleteRule,
    BaseKeyGenerator,
    BaseLockProvider,
    BaseMerger,
    BasePayload,
    CatalogColumn,
    CatalogPartition,
    CatalogTable,
    Catalogue,
    CommitSummary,
    LockTarget,
    RowMerger,
)
from hoodoo.plugin import hookspecs as spec
from hoodoo.plugin.installed.families import FAMILIES, Family
from hoodoo.plugin.interface import RecordMerger
from hoodoo.record import (
    BufferedRecord,
    DeleteContext,
    KeyConfig,
    MergerConfig,
    Operation,
    Ordering,
    RecordContext,
    Records,
    Source,
)
from hoodoo.storage import storage_for
from hoodoo.testing import MergerSuite
from hoodoo.writing.commit import Commit

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "hooks.md").read_text(encoding="utf-8")
HOOKS = {name: value for name, value in vars(spec).items() if hasattr(value, "hoodoo_spec")}

CALLED = {
    False: "^Called once per process, without arguments, when ",
    True: "^Called once per commit, on the driver, when ",
}

each_hook = pytest.mark.parametrize("hook", sorted(HOOKS))


def section(hook: str) -> str:
    """Return the section of docs/hooks.md about a hook."""
    found = re.search(rf"^### `{hook}\(.*?(?=^#{{1,3}} (?!\S*/)|\Z)", _outside_code(PAGE), re.MULTILINE | re.DOTALL)
    assert found, f"docs/hooks.md has no section about {hook}"
    return PAGE[found.start() : found.end()]


def _outside_code(text: str) -> str:
    """Return the text with code replaced by spaces, because a comment in code is not a heading."""
    return re.sub(r"```.*?```", lambda block: " " * len(block[0]), text, flags=re.DOTALL)


def family_of_hook(hook: str) -> Family:
    (family,) = [family for family in FAMILIES.values() if family.hook == hook]
    return family


def example(hook: str) -> str:
    blocks = re.findall(r"```python\n(.*?)```", section(hook), re.DOTALL)
    assert len(blocks) == 1, f"the section about {hook} must hold one example"
    return blocks[0]


def signature(hook: str) -> str:
    declared = inspect.signature(HOOKS[hook])
    arguments = ", ".join(f"{name}: {argument.annotation}" for name, argument in declared.parameters.items())
    return f"{hook}({arguments}) -> {declared.return_annotation}"


@each_hook
def test_docs_give_the_exact_signature(hook):
    assert section(hook).startswith(f"### `{signature(hook)}`\n")


@each_hook
def test_declaration_says_when_with_what_what_it_returns_and_what_an_exception_means(hook):
    text = inspect.getdoc(HOOKS[hook])

    assert re.search(CALLED[family_of_hook(hook).per_commit], text, re.MULTILINE)
    assert re.search(r"^Returns:$", text, re.MULTILINE)
    becomes = {"hoodoo_pre_commit": "PluginFault", "hoodoo_post_commit": "HookFailed"}.get(hook, "BrokenPlugin")
    assert re.search(rf"^An exception here.* becomes `{becomes}`", text, re.MULTILINE)
    assert all(f"{argument}: " in text for argument in inspect.signature(HOOKS[hook]).parameters)


@each_hook
def test_hook_has_a_test_that_calls_it(hook):
    """`test_hook_<name>` names the hook and contains an assertion."""
    tests = ast.parse((ROOT / "core/tests/plugin/test_hookspecs.py").read_text(encoding="utf-8"))
    found = [node for node in tests.body if isinstance(node, ast.FunctionDef) and node.name == f"test_hook_{hook}"]

    assert len(found) == 1
    assert any(isinstance(node, ast.Assert) for node in ast.walk(found[0]))
    assert hook in {node.value for node in ast.walk(found[0]) if isinstance(node, ast.Constant)} | {found[0].name}


def test_docs_contain_no_other_hooks():
    headings = re.findall(r"^### `(\w+)\(", _outside_code(PAGE), re.MULTILINE)

    assert sorted(headings) == sorted(HOOKS)
    assert set(re.findall(r"`(hoodoo_\w+?)`", PAGE)) >= set(HOOKS)


@pytest.fixture
def documented(tmp_path, monkeypatch):
    """Return a function that loads a hook's example like any plugin."""
    monkeypatch.syspath_prepend(str(tmp_path))

    def load(hook):
        family = family_of_hook(hook)
        module = f"documented_{hook}"
        (tmp_path / f"{module}.py").write_text(example(hook), encoding="utf-8")
        plugin = Catalogue([EntryPoint("example", module, family.group)]).imported(family.name, "example")
        assert plugin.description.endswith(".")
        return plugin

    yield load
    for hook in HOOKS:
        sys.modules.pop(f"documented_{hook}", None)


def test_example_of_hoodoo_merger_does_what_it_says(documented):
    merger = documented("hoodoo_merger").make({})
    table = pa.table({"id": list("abcdeabcde"), "total": [5, 5, 5, 5, None, 4, 5, None, None, 5]})
    operation = np.zeros(10, np.int8)
    operation[[4, 8]] = Operation.DELETE
    source = Source(
        table, table.schema, table["id"].combine_chunks(), Ordering.of((), (), 10), operation, operation == 0
    )

    older, newer = source.records(np.arange(5)), source.records(np.arange(5, 10))

    assert merger.merge(older, newer, RecordContext(table.schema), MergerConfig()).choice.tolist() == [0, 1, 0, 1, 0]


def test_example_of_hoodoo_payload_does_what_it_says(documented):
    payload = documented("hoodoo_payload").make({})
    first, second = (BufferedRecord("a", None, {"v": v}, 0, Operation.INSERT) for v in (1, 2))
    context, config = RecordContext(pa.schema([("v", pa.int64())])), MergerConfig()

    assert payload.pre_combine(first, second, context, config) is first
    assert payload.combine_and_get_update_value(first, second, context, config) is None
    assert payload.get_insert_value(second, context, config) is second


def test_example_of_hoodoo_keygen_does_what_it_says(documented):
    generator = documented("hoodoo_keygen").make({"prefix": "trip-"})
    config = KeyConfig(record_key=("id",))

    assert generator.record_keys(pa.table({"id": [1, 2]}), config).to_pylist() == ["trip-1", "trip-2"]
    assert generator.partition_paths(pa.table({"id": [1, 2]}), config).to_pylist() == ["", ""]
    with pytest.raises(DataError, match="record key 'id' is null"):
        generator.record_keys(pa.table({"id": [1, None]}), config)


def test_example_of_hoodoo_delete_rule_does_what_it_says(documented):
    rule = documented("hoodoo_delete_rule").make({})
    rows = pa.table({"status": ["open", "cancelled", None]})

    assert rule.is_delete(rows, DeleteContext()).tolist() == [False, True, False]


def test_example_of_hoodoo_aggregate_does_what_it_says(documented):
    function = documented("hoodoo_aggregate").make({"weight": "0.25"})
    older, newer = pa.array([8.0, None, 1.0]), pa.array([4.0, 3.0, None])

    assert function.add(older, newer).to_pylist() == [7.0, 3.0, 1.0]
    assert (function.accepts(pa.float32()), function.accepts(pa.int64())) == (True, False)


def test_example_of_hoodoo_lock_does_what_it_says(documented, tmp_path):
    provider = documented("hoodoo_lock").make({"folder": str(tmp_path)})
    mine, theirs = (LockTarget(storage_for(tmp_path / "t"), "trips", "", owner) for owner in ("me", "you"))

    held = provider.try_acquire(mine)
    held.renew()
    assert provider.try_acquire(theirs) is None
    assert provider.describe(theirs) == f"'trips.lock' in {tmp_path}, held by me"
    (tmp_path / "trips.lock").write_text("you")
    with pytest.raises(LockLost, match="another writer's"):
        held.renew()
    held.release()
    assert (tmp_path / "trips.lock").exists()
    (tmp_path / "trips.lock").unlink()
    provider.try_acquire(theirs).release()
    assert not (tmp_path / "trips.lock").exists()


def test_example_of_hoodoo_catalog_does_what_it_says(documented, tmp_path):
    catalog = documented("hoodoo_catalog").make({"folder": str(tmp_path)})
    table = CatalogTable("rides", "Trips", (CatalogColumn("id", "int"),), (), "/data/trips", "in", "out", "serde")
    oslo = CatalogPartition(("oslo",), "/data/trips/oslo")

    catalog.create_database("rides")
    catalog.create_table(table)
    catalog.add_partitions(table, [oslo])
    assert (tmp_path / "rides" / "trips.json").exists()
    assert catalog.find_table("rides", "trips") == table
    assert catalog.find_partitions(table, [("oslo",), ("rome",)]) == [oslo]
    catalog.drop_partitions(table, [oslo])
    assert catalog.find_partitions(table) == []


class Fares:
    """Substitute for the table, with the method that the example calls."""

    def __init__(self, *fares):
        self.rows = pa.table({"fare": fares})

    def to_arrow(self, columns, filter):  # noqa: A002 - the word that pyarrow uses
        return self.rows.filter(filter).select(columns)


@pytest.mark.parametrize(("least", "wrong"), [({}, 2), ({"least": "-3"}, 1), ({"least": -9}, 0)])
def test_example_of_hoodoo_pre_commit_does_what_it_says(documented, least, wrong):
    hook = documented("hoodoo_pre_commit")
    told = (5, 1, 2, 0, 2, 1, 1000, ("oslo",), hook.make(least))
    summary = CommitSummary("upsert", "20240101000000000", *told, open=lambda: Fares(1.5, -2, -5, None))

    if wrong:
        with pytest.raises(CommitRefused, match=f"^{wrong} fares"):
            hook.call(table=None, summary=summary)
    else:
        hook.call(table=None, summary=summary)


def test_example_of_hoodoo_post_commit_does_what_it_says(documented, caplog):
    caplog.set_level("INFO")

    documented("hoodoo_post_commit").call(table=None, commit=Commit("file:///t", "20240101000000000", "upsert", 3))

    assert caplog.messages == ["file:///t: upsert 20240101000000000, 3 incoming rows"]


def test_example_of_other_members_passes_the_suite(documented, monkeypatch):
    """The last example of the page runs with the options and the `check` that the page names."""
    [code] = re.findall(r"```python\n(.*?)```", PAGE.partition("## Optional members of a merger")[2], re.DOTALL)
    monkeypatch.setitem(globals(), "example", lambda hook: code)
    plugin = documented("hoodoo_merger")
    schema = pa.schema([("id", pa.string()), ("points", pa.int64())])

    class TestBestEver(MergerSuite):
        plugin = "example"
        columns: ClassVar = {"score": "long", "note": "string"}

        def loaded(self):
            return plugin_class

        def made(self):
            return plugin_class.make({})

    plugin_class = plugin
    tests = TestBestEver()
    for law in plugin.make({}).laws:
        tests.test_law(law)
    tests.test_needs_are_enough()
    tests.test_paths_agree()
    tests.test_unconditional_delete_removes_the_row()
    with pytest.raises(OptionError, match="name a column"):
        plugin.make({"column": ""})
    with pytest.raises(SchemaError, match="column 'score' is missing"):
        plugin.make({}).check(schema, MergerConfig())
    plugin.make({"column": "points"}).check(schema, MergerConfig())


def public_members(cls):
    return {name for name in dir(cls) if not name.startswith("_")}


@pytest.mark.parametrize("cls", [RecordMerger, RowMerger, BaseMerger])
def test_optional_members_of_a_merger_are_listed(cls):
    """The members of the base class are listed; `merge` is required."""
    table = set(re.findall(r"^\| `(\w+)[`(]", PAGE.partition("## Optional members of a merger")[2], re.MULTILINE))

    assert public_members(cls) - {"merge"} <= table


@pytest.mark.parametrize(
    "cls", [BasePayload, BaseKeyGenerator, BaseDeleteRule, BaseAggregateFunction, BaseLockProvider, BaseCatalogProvider]
)
def test_members_of_other_base_classes_are_on_the_page(cls):
    named = set(re.findall(r"`(\w+)", PAGE))

    assert public_members(cls) <= named


def test_members_are_looked_for_by_name_in_one_place_of_the_core():
    """Elsewhere the core calls typed members of the base classes."""
    members = set().union(*map(public_members, (BaseMerger, BasePayload, BaseKeyGenerator, BaseDeleteRule)))
    members |= public_members(BaseLockProvider)
    core = ROOT / "core/src/hoodoo"
    found = {
        (path.relative_to(core).as_posix(), name)
        for path in core.rglob("*.py")
        if path.relative_to(core).parts[0] not in ("aggregates", "testing")
        for name in re.findall(r'(?:get|has)attr\([\w.]+, "(\w+)"', path.read_text(encoding="utf-8"))
    }

    assert {(path, name) for path, name in found if name in members} == {("plugin/installed/families.py", "laws")}


def test_what_records_have_is_listed():
    table = set(re.findall(r"^\| `(\w+)", PAGE.partition("| of `Records` |")[2], re.MULTILINE))
    public = {name for name in dir(Records) if not name.startswith("_")}

    assert {name for name in public if isinstance(getattr(Records, name, None), property | FunctionType)} <= table


def test_every_example_is_exercised():
    tests = {name for name in globals() if name.startswith("test_example_of_hoodoo_")}

    assert tests == {f"test_example_of_{hook}_does_what_it_says" for hook in HOOKS}
