"""A program can import each module of the core first: no import depends on an earlier one.

The import of a module begins with the packages that contain it. A child process imports a package, and its own child
each module that the package did not import. The libraries are loaded before that, and so are all modules of packages
beneath: any of them can be imported first, so that an import which finds them does not depend on their order.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import defaultdict
from graphlib import TopologicalSorter

import pytest

from .test_imports import BENEATH, CORE, package_of

PROGRAM = """
import importlib, json, os, sys

sys.path[:0] = sys.argv[1:]

def in_child(work, *arguments):
    child = os.fork()
    if child == 0:
        try:
            work(*arguments)
        except BaseException as error:
            print(f"{arguments[0]}: {error!r}", flush=True)
        os._exit(0)
    os.waitpid(child, 0)

def import_first(name, names):
    importlib.import_module(name)
    for inner in names:
        if inner.rpartition(".")[0] == name:
            if inner in sys.modules:
                import_first(inner, names)
            else:
                in_child(import_first, inner, names)

def list_libraries(names, pipe):
    before, own = set(sys.modules), names[0].split(".")[0]
    try:
        for name in names:
            importlib.import_module(name)
    finally:
        with open(pipe, "w") as file:
            print(*(n for n in sys.modules if n not in before and n.split(".")[0] != own), sep="\\n", file=file)

def libraries(names):
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            list_libraries(names, theirs)
        finally:
            os._exit(0)
    os.close(theirs)
    with open(ours) as file:
        found = file.read().splitlines()
    os.waitpid(child, 0)
    return found

for names in json.load(sys.stdin):
    for name in libraries(names):
        try:
            importlib.import_module(name)
        except Exception:
            pass  # a library made this module when it was imported
    for name in names:
        if name in sys.modules:
            print(f"{name}: a package beneath imports it", flush=True)
    in_child(import_first, names[0], names)
    for name in names:
        importlib.import_module(name)
"""


def modules_by_package() -> list[list[str]]:
    """Return the modules of each package of the core, the package first; packages beneath come earlier."""
    names = defaultdict(list)
    for path in CORE.rglob("*.py"):
        parts = path.relative_to(CORE.parent).with_suffix("").parts
        names[package_of(path)].append(".".join(parts).removesuffix(".__init__"))
    # each import begins with these two
    first = [*names.pop("__init__"), *names.pop("__about__")]
    order = [package for package in TopologicalSorter(BENEATH).static_order() if package in names]
    assert set(order) == set(names)
    return [first, *(sorted(names[package]) for package in order)]


def failures(groups: list[list[str]], *path: str) -> str:
    """Return a text with a line for each module whose first import fails; the folders of `path` have the sources."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *path], input=json.dumps(groups), capture_output=True, text=True
    )
    assert done.stdout or done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.nightly
def test_every_module_can_be_imported_first() -> None:
    pytest.importorskip("pyspark")
    groups = modules_by_package()
    assert sum(map(len, groups)) > 100

    assert failures(groups) == ""


def test_an_import_that_needs_an_earlier_one_is_noticed(tmp_path) -> None:
    sources = {
        "__init__": "import acme.whole",
        "whole": "import csv",
        "early": "import acme.late\nx = 1",
        "late": "from acme.early import x",
    }
    (tmp_path / "acme").mkdir()
    for name, source in sources.items():
        (tmp_path / "acme" / f"{name}.py").write_text(source)

    found = failures([["acme", "acme.early", "acme.late", "acme.whole"]], str(tmp_path))

    assert found.startswith("acme.early: ImportError(")
    assert found.count("\n") == 1
