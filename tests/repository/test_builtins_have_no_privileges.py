"""The core names no plugin outside the table of defaults, and built-ins are found by their declarations."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.utils import canonicalize_name

from hoodoo.plugin.base import BaseKeyGenerator, MergerMembers, PayloadMembers
from hoodoo.plugin.installed.catalogue import default_catalogue
from hoodoo.plugin.installed.names import normalised

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
CORE = ROOT / "core/src/hoodoo"
NAMES = {file.parent.name for file in ROOT.glob("plugins/*/*/pyproject.toml")}
DEFAULTS = "options/default_plugins.py"

# Names of plugins that have other meanings too: the modules in which they occur as text, and their meaning there.
OTHER_MEANINGS = {
    "aggregate": {
        ("plugin/installed/*", "cli/scaffold.py", "testing/suites/*"): "a family",
    },
    "collect": {("spark/write/batch.py",): "an exported function"},
    "glue": {("options/catalog.py",): "a mode of Hudi's sync"},
    "uuid": {("statements/clauses.py",): "a function of Spark", ("schema/column_ids.py",): "a type of Avro"},
    "max": {("format/parquet/parquet_writer.py", "writing/data_files/event_time_range.py"): "a bound"},
    "min": {("format/parquet/parquet_writer.py", "writing/data_files/event_time_range.py"): "a bound"},
    "none": {
        ("options/*", "writing/*", "cli/*", "commit_hooks.py", "keys/partition_path.py"): "the absence of something",
        (
            "plugin/installed/suggestions.py",
            "table_rules/merge_modes.py",
            "txn/locking/lock_options.py",
        ): "an empty list",
        ("testing/paths/path_checks.py", "explain/render/html_view.py"): "an empty list, or no paint",
    },
    "simple": {
        ("options/index.py", "index/*", "writing/*"): "an index",
        ("options/hudi/index_verdicts.py",): "an engine of the bucket index",
        ("keys/column_kinds.py", "keys/qualifiers.py"): "a kind of partition columns",
    },
    "timestamp": {
        ("keys/column_kinds.py",): "a kind of partition columns",
        ("filegroup/clean_plan.py", "timeline/codec/service_schemas.py"): "a field of a clean plan",
        (
            "metadata_table/creation/record_layout.py",
            "metadata_table/maintenance/bloom_records.py",
        ): "a field of the metadata table",
        ("catalog_sync/*", "format/*", "schema/*", "spark/*", "testing/*", "job_columns.py"): "a type",
    },
}


def modules() -> Iterator[tuple[str, str]]:
    for path in sorted(CORE.rglob("*.py")):
        name = path.relative_to(CORE).as_posix()
        if name != DEFAULTS:
            yield name, path.read_text(encoding="utf-8")


def test_no_hyphenated_name_occurs_anywhere_in_the_core():
    """Docstrings, comments and messages count too."""
    names = "|".join(sorted((re.escape(name) for name in NAMES if "-" in name), key=len, reverse=True))
    pattern = re.compile(rf"(?<![\w-])(?:{names})(?![\w-])")

    assert {name: found for name, text in modules() if (found := pattern.findall(text))} == {}


def test_no_other_name_is_a_text_of_the_core():
    """A name with another meaning may be a string in the modules where it has that meaning."""
    found = {
        (module, node.value)
        for module, text in modules()
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Constant) and node.value in NAMES
    }
    excused = {
        (module, name)
        for module, name in found
        for places in OTHER_MEANINGS.get(name, {})
        for place in places
        if Path(module).match(place) or (place.endswith("/*") and module.startswith(place[:-1]))
    }

    assert found - excused == set()


def test_no_class_of_hudi_that_a_plugin_is_an_alias_of_is_a_text_of_the_core():
    """The exception is the lock provider whose lock file Hudi's tables have."""
    aliases = {
        alias for info in default_catalogue().list() for alias in info.aliases if alias.startswith("org.apache.")
    }
    found = {
        alias
        for _, text in modules()
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Constant)
        for alias in aliases & {node.value if isinstance(node.value, str) else ""}
    }

    assert found == {"org.apache.hudi.client.transaction.lock.StorageBasedLockProvider"}


def official(family: str) -> list[str]:
    installed = default_catalogue().list(family)
    return [i.name for i in installed if canonicalize_name(i.distribution) == f"hoodoo-{family}-{i.name}"]


@pytest.mark.parametrize(
    ("family", "base"), [("payload", PayloadMembers), ("keygen", BaseKeyGenerator)], ids=["payload", "keygen"]
)
def test_a_declared_class_of_hudi_is_an_alias(family, base):
    """The plugin is then found by the properties of a table."""
    for name in official(family):
        plugin = default_catalogue().load(family, name)
        declared = plugin.declared(base).hudi_class

        assert declared is None or declared in plugin.info.aliases, name


def test_a_declared_merge_mode_is_an_alias():
    modes = 0
    for name in official("merger"):
        plugin = default_catalogue().load("merger", name)
        mode = plugin.declared(MergerMembers).merge_mode
        if mode is None:
            continue
        modes += 1
        partial = [f"{mode.name}+{update.name}" for update in mode.partial_updates]
        aliases = set(map(normalised, plugin.info.aliases))

        assert {normalised(alias) for alias in partial or [mode.name, mode.strategy_id]} <= aliases, name
        assert mode.payload_class is None or mode.payload_class in plugin.info.aliases, name
    assert modes == 4


def test_declared_substitutes_and_delete_rules_exist():
    catalogue = default_catalogue()
    for family in ("merger", "payload"):
        for name in official(family):
            declared = catalogue.load(family, name).declared(PayloadMembers)
            for rule in declared.delete_rules:
                catalogue.find("delete", rule)
            if declared.substitute is not None:
                catalogue.make("merger", declared.substitute.merger, declared.substitute.options)


def test_every_builtin_rule_states_its_differences_between_paths():
    """Without a list, the kit makes fewer comparisons; so each built-in rule has one, which may be empty."""
    missing = []
    for file in sorted(ROOT.glob("plugins/*/*/tests/test_*.py")):
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            bases = {base.id for base in getattr(node, "bases", ()) if isinstance(base, ast.Name)}
            if bases & {"MergerSuite", "PayloadSuite"} and "differences" not in ast.unparse(node):
                missing.append((file.name, node.name))

    assert missing == []
