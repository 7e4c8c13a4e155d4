"""Shapes of the code of the core: small folders, short parameter lists, one home for each shared constant.

Everything here reads the syntax tree; nothing is imported except the property keys.
"""

from __future__ import annotations

import ast
import functools
from collections import Counter
from pathlib import Path

import pytest

from hoodoo.keys.partition_path import DEFAULT_PARTITION
from hoodoo.properties import property_keys
from hoodoo.storage import HOODIE_FOLDER

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
CORE = ROOT / "core/src/hoodoo"
MOST_PARAMETERS = 7
MOST_MODULES = 12
"""The most modules in one folder; `__init__` and modules in subfolders do not count."""

LONG_BY_DESIGN = {
    # each parameter is one property of an option
    ("options/parsing/declare.py", "option"),
    # each parameter is one option of a query
    ("table.py", "plan"),
}
HOME = "properties/property_keys.py"
BELOW = {"errors", "options", "schema", "record", "plugin", "aggregates", "keys", "merge", "storage", "timeline"}
"""Packages that cannot import the property keys. `options` declares keys under which users pass options."""

KEYS = {value for name, value in vars(property_keys).items() if name.isupper() and not value.endswith(".")}


@functools.cache
def modules() -> list[tuple[str, ast.Module]]:
    files = sorted(CORE.rglob("*.py"))
    return [(path.relative_to(CORE).as_posix(), ast.parse(path.read_text(encoding="utf-8"))) for path in files]


def long_functions(tree: ast.Module) -> list[tuple[str, int]]:
    """Return name and number of parameters, without `self` and `cls`, of each function that has too many."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            given = node.args
            named = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
            names = [argument.arg for argument in named if argument is not None]
            count = len([name for name in names if name not in ("self", "cls")])
            if count > MOST_PARAMETERS:
                found.append((node.name, count))
    return found


@functools.cache
def texts(tree: ast.Module) -> list[str]:
    """Return the strings in the code, including docstrings."""
    return [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]


def test_no_function_takes_more_than_seven_parameters() -> None:
    found = [
        f"{module}: {name} takes {count}"
        for module, tree in modules()
        if not module.startswith("cli/")  # each parameter is an option of the command line
        for name, count in long_functions(tree)
        if (module, name) not in LONG_BY_DESIGN
    ]
    assert not found, "\n".join(found)


def test_no_folder_has_more_than_a_dozen_modules() -> None:
    counts = Counter(path.parent.relative_to(CORE).as_posix() for path in CORE.rglob("*.py") if path.stem != "__init__")
    assert [f"{folder}: {count}" for folder, count in counts.items() if count > MOST_MODULES] == []


def test_every_exception_is_needed() -> None:
    found = {(module, name) for module, tree in modules() for name, _ in long_functions(tree)}
    assert found >= LONG_BY_DESIGN


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("def f(a, b, c, d, e, f, g): ...", []),
        ("def f(a, /, b, *c, d, e, f, g, **h): ...", [("f", 8)]),
        ("class A:\n    def f(self, a, b, c, d, e, f, g): ...", []),
    ],
)
def test_parameters_are_counted(source: str, expected: list[tuple[str, int]]) -> None:
    assert long_functions(ast.parse(source)) == expected


def test_a_property_key_is_written_in_its_home_alone() -> None:
    found = [
        f"{module}: {text}"
        for module, tree in modules()
        if module != HOME and module.partition("/")[0] not in BELOW
        for text in texts(tree)
        if text in KEYS
    ]
    assert not found, "\n".join(found)


def test_a_package_below_the_property_keys_writes_each_once() -> None:
    written = Counter(
        (module.partition("/")[0], text)
        for module, tree in modules()
        if module.partition("/")[0] in BELOW
        for text in texts(tree)
        if text in KEYS
    )
    assert [entry for entry, count in written.items() if count > 1] == []


def test_each_property_key_is_declared_once() -> None:
    tree = ast.parse((CORE / HOME).read_text(encoding="utf-8"))
    declared = Counter(text for text in texts(tree) if text in KEYS)
    assert set(declared.values()) == {1}


def test_the_constants_of_the_format_are_written_once() -> None:
    shared = {DEFAULT_PARTITION: "keys/partition_path.py", "1-0-1": "format/file_names.py"}
    found = {text: [module for module, tree in modules() if text in texts(tree)] for text in shared}
    assert found == {text: [module] for text, module in shared.items()}


def test_paths_in_the_folder_of_the_metadata_are_composed_of_its_name() -> None:
    found = {
        f"{module}: {text}"
        for module, tree in modules()
        for text in texts(tree)
        if text == HOODIE_FOLDER or text.startswith(f"{HOODIE_FOLDER}/")
    }
    assert found == {f"storage/paths.py: {HOODIE_FOLDER}"}


def test_public_classes_have_different_names() -> None:
    classes = Counter(
        node.name
        for _, tree in modules()
        for node in tree.body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    assert [name for name, count in classes.items() if count > 1] == []
