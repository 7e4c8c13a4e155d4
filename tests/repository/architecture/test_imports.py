"""Imports inside the core have one direction, and the core does not use modules and functions that it excludes.

Everything here reads the syntax tree: nothing is imported, so a module that needs Spark is checked without Spark.
"""

from __future__ import annotations

import ast
import functools
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[3]
CORE = ROOT / "core/src/hoodoo"

# Each package or module with those directly beneath it. A module may import everything beneath its own package, at any
# depth. `__about__` contains only the version, and every module may import it.
BENEATH = {
    "caller": (),
    "errors": (),
    "options": ("errors", "caller"),
    "schema": ("errors",),
    "record": ("schema",),
    "plugin": ("storage",),
    "keys": ("plugin",),
    "merge": ("keys",),
    "storage": ("record", "options"),
    "timeline": ("storage",),
    "properties": ("timeline",),
    "format": ("properties",),
    "archived_timeline": ("format",),
    "filegroup": ("archived_timeline",),
    "metadata_table": ("keys", "filegroup"),
    "table_rules": ("merge", "filegroup"),
    "reading": ("table_rules", "metadata_table"),
    "bootstrap": ("table_rules",),
    "index": ("reading",),
    "txn": ("index", "metadata_table"),
    "writing": ("txn", "bootstrap"),
    "local": ("writing",),
    "service": ("writing",),
    "explain": ("writing",),
    "catalog_sync": ("service",),
    "sql_text": ("errors",),
    "statements": ("writing", "sql_text"),
    "table_statements": ("statements",),
    "table": ("table_statements", "local", "catalog_sync", "explain"),
    "diagnosis": ("writing", "metadata_table"),
    "commit_hooks": ("table",),
    "missing_in_job": ("table_rules",),
    "write_job": ("commit_hooks", "missing_in_job"),
    "job_columns": ("options", "schema"),
    "job_check": ("write_job", "job_columns"),
    "sql_parsing": ("sql_text",),
    "spark": ("job_check", "sql_parsing"),
    "write_rows": ("spark",),
    "testing": ("spark",),
    "cli": ("testing", "diagnosis"),
    "__main__": ("cli",),
    "__init__": ("write_rows",),
}
PACKAGE_ROOT_IMPORTERS = {"testing", "cli", "__main__"}
OPEN_TO_PLUGINS = {"errors", "keys", "plugin", "record", "schema"}
"""The packages that a plugin may import."""

FORBIDDEN_MODULES = {"cPickle", "cloudpickle", "dill", "marshal", "pickle", "shelve", "yaml"}
FORBIDDEN_CALLS = {"compile", "eval", "exec"}
FORBIDDEN_ATTRIBUTES = {"_jdf", "_jsc", "_jsparkSession", "_jvm", "rdd", "sparkContext"}
ALLOWED = {("spark/foreach_batch.py", "sparkContext"), ("spark/compatibility/session_calls.py", "sparkContext")}
"""The permitted uses of forbidden attributes, which are in code for sessions without Spark Connect.

Only the context has the id of a streaming query, and the tags of jobs that other threads find.
"""
FORBIDDEN_METHODS = {"cache", "persist"}
IMPORTERS = {"__import__", "import_module", "resolve_name"}


def allowed(package: str) -> set[str]:
    """Return the names that a package may import: itself, everything beneath, `__about__`, and for some `__init__`."""
    found, open_ends = {package, "__about__"}, [package]
    while open_ends:
        for name in BENEATH[open_ends.pop()]:
            if name not in found:
                found.add(name)
                open_ends.append(name)
    return found | ({"__init__"} if package in PACKAGE_ROOT_IMPORTERS else set())


def package_of(path: Path) -> str:
    return path.relative_to(CORE).parts[0].removesuffix(".py")


def imported_modules(tree: ast.Module, inside: str) -> Iterator[tuple[int, str]]:
    """Yield line and dotted name of everything that a module imports; `inside` is its own package, dotted."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parents = inside.split(".")
                base = ".".join([*parents[: len(parents) - node.level + 1], *([base] if base else [])])
            if base == "hoodoo":
                yield from ((node.lineno, f"hoodoo.{alias.name}") for alias in node.names)
            else:
                yield node.lineno, base


def hoodoo_imports(tree: ast.Module, inside: str) -> Iterator[tuple[int, str]]:
    """Yield line and package of each import of the core itself; a name of the package root counts as `__init__`."""
    for line, name in imported_modules(tree, inside):
        root, _, rest = name.partition(".")
        if root == "hoodoo":
            package = rest.partition(".")[0]
            yield line, package if package in {*BENEATH, "__about__"} else "__init__"


def wrong_imports(tree: ast.Module, package: str, inside: str) -> list[tuple[int, str]]:
    may = allowed(package)
    return [(line, name) for line, name in hoodoo_imports(tree, inside) if name not in may]


def pyspark_imports(tree: ast.Module) -> list[int]:
    """Return the lines that import pyspark, by statement, by an importing call, or by code in a string."""
    lines = [line for line, name in imported_modules(tree, "") if name.partition(".")[0] == "pyspark"]
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and called_name(node) in IMPORTERS and node.args:
            parts = [part.value for part in ast.walk(node.args[0]) if isinstance(part, ast.Constant)]
            if any(isinstance(part, str) and re.match(r"pyspark(\.|$)", part) for part in parts):
                lines.append(node.lineno)
    lines += [line for line, text in strings(tree) if re.search(r"^\s*(import|from) pyspark\b", text, re.MULTILINE)]
    return lines


def forbidden(tree: ast.Module) -> list[tuple[int, str]]:
    """Return line and name of each use of what the core promises not to use."""
    found = [(line, name) for line, name in imported_modules(tree, "") if name.partition(".")[0] in FORBIDDEN_MODULES]
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in FORBIDDEN_ATTRIBUTES:
            found.append((node.lineno, node.attr))
        elif isinstance(node, ast.Call):
            if isinstance(node.func, ast.Attribute) and node.func.attr in FORBIDDEN_METHODS:
                found.append((node.lineno, node.func.attr))
            elif isinstance(node.func, ast.Name) and node.func.id in FORBIDDEN_CALLS:
                found.append((node.lineno, node.func.id))
            elif called_name(node) in {"getattr", "attrgetter"}:
                texts = [part.value for part in ast.walk(node) if isinstance(part, ast.Constant)]
                found += [(node.lineno, text) for text in texts if text in FORBIDDEN_ATTRIBUTES | FORBIDDEN_METHODS]
    return found


def called_name(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def strings(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield line and text of each string that is not a docstring."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docstrings = {id(node.body[0].value) for node in ast.walk(tree) if isinstance(node, documented) and has_doc(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node.lineno, node.value


def has_doc(node: ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return ast.get_docstring(node, clean=False) is not None


@functools.cache
def core_modules() -> list[tuple[Path, ast.Module]]:
    return [(path, ast.parse(path.read_text(encoding="utf-8"))) for path in sorted(CORE.rglob("*.py"))]


def report(path: Path, line: int, what: str) -> str:
    return f"{path.relative_to(ROOT).as_posix()}:{line} {what}"


def test_every_package_has_its_place_in_the_chain():
    unknown = {package_of(path) for path, _ in core_modules()} - {*BENEATH, "__about__"}

    assert unknown == set()


def test_the_chain_has_no_circle():
    for package in BENEATH:
        assert not any(package in allowed(lower) for lower in BENEATH[package]), package


def test_imports_go_right_to_left_only():
    wrong = []
    for path, tree in core_modules():
        package = package_of(path)
        inside = ".".join(("hoodoo", *path.relative_to(CORE).parent.parts))
        if package in BENEATH:
            wrong += [report(path, line, f"imports {name}") for line, name in wrong_imports(tree, package, inside)]

    assert wrong == []


def test_only_the_spark_package_imports_pyspark():
    wrong = [
        report(path, line, "imports pyspark")
        for path, tree in core_modules()
        if package_of(path) != "spark"
        for line in pyspark_imports(tree)
    ]

    assert wrong == []


def test_one_module_reads_the_version_of_pyspark():
    """Code for older releases checks for a feature, so that no other module contains numbers of releases."""
    wrong = [
        report(path, node.lineno, "reads the version of PySpark")
        for path, tree in core_modules()
        if path != CORE / "spark/pyspark_version.py"
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and node.attr == "__version__"
        and isinstance(node.value, ast.Name)
        and node.value.id == "pyspark"
    ]

    assert wrong == []


def test_nothing_that_spark_connect_or_security_forbids_is_used():
    wrong = [
        report(path, line, name)
        for path, tree in core_modules()
        for line, name in forbidden(tree)
        if (path.relative_to(CORE).as_posix(), name) not in ALLOWED
    ]

    assert wrong == []


def test_plugins_import_their_libraries_and_no_machinery_of_the_core():
    wrong = []
    for project in sorted(ROOT.glob("plugins/*/*/pyproject.toml")):
        # lock providers lock files, or store leases in files
        may = OPEN_TO_PLUGINS | ({"storage"} if project.parts[-3] == "lock" else set())
        for path in sorted(project.parent.glob("src/**/*.py")):
            for line, name in imported_modules(ast.parse(path.read_text(encoding="utf-8")), ""):
                root, _, rest = name.partition(".")
                right = rest.partition(".")[0] in may if root == "hoodoo" else root in own_modules(project)
                if root.startswith("hoodoo") and not right:
                    wrong.append(report(path, line, f"imports {name}"))

    assert wrong == []


def own_modules(project: Path) -> set[str]:
    """Return the module of a plugin or library, and those of the libraries that its pyproject.toml names."""
    declared = tomllib.loads(project.read_text(encoding="utf-8"))["project"]
    names = [re.match(r"[\w-]+", dependency)[0] for dependency in declared["dependencies"]]
    libraries = [name for name in names if name.startswith("hoodoo-library-")]
    return {name.replace("-", "_") for name in (declared["name"], *libraries)}


@pytest.mark.parametrize(
    ("package", "source"),
    [
        ("record", "from hoodoo.writing import plan"),
        ("record", "from hoodoo import merge"),
        ("record", "import hoodoo.merge.fold"),
        ("record", "from ..merge import fold"),
        ("writing", "def late():\n    from hoodoo.service import clean"),
        ("writing", "from hoodoo import read"),
        ("storage", "from hoodoo.timeline import instant"),
    ],
)
def test_a_wrong_import_is_noticed(package, source):
    assert wrong_imports(ast.parse(source), package, f"hoodoo.{package}")


@pytest.mark.parametrize(
    ("package", "source"),
    [
        ("record", "from hoodoo.schema.columns import column_at"),
        ("record", "from .outcome import Outcome"),
        ("writing", "from hoodoo.merge import Rule"),
        ("cli", "from hoodoo import __version__, write"),
        ("storage", "from hoodoo import __about__"),
    ],
)
def test_a_correct_import_is_accepted(package, source):
    assert wrong_imports(ast.parse(source), package, f"hoodoo.{package}") == []


@pytest.mark.parametrize(
    "source",
    [
        "import pyspark",
        "from pyspark.sql import functions",
        "importlib.import_module('pyspark.sql')",
        "__import__(f'pyspark.{name}')",
        "run('import pyspark')",
    ],
)
def test_an_import_of_pyspark_is_noticed(source):
    assert pyspark_imports(ast.parse(source))


@pytest.mark.parametrize("source", ["import pyspark_hoodoo", "version('pyspark')", "'''from pyspark import x'''"])
def test_other_imports_than_pyspark_are_accepted(source):
    assert pyspark_imports(ast.parse(source)) == []


@pytest.mark.parametrize(
    "source",
    [
        "df._jdf",
        "spark.sparkContext.addFile(x)",
        "df.rdd.map(f)",
        "df.cache()",
        "df.select('a').persist()",
        "getattr(spark, '_jvm')",
        "import pickle",
        "from yaml import safe_load",
        "eval(text)",
        "exec(text)",
    ],
)
def test_a_forbidden_use_is_noticed(source):
    assert forbidden(ast.parse(source))


@pytest.mark.parametrize("source", ["re.compile('x')", "@functools.cache\ndef f(): ...", "executor.map(f)"])
def test_uses_that_only_look_forbidden_are_accepted(source):
    assert forbidden(ast.parse(source)) == []
