"""Every dotted name in `docs/architecture.md` exists."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterable, Iterator

import pytest

from .test_imports import CORE, ROOT

PAGE = ROOT / "docs" / "architecture.md"
NAME = re.compile(r"`(hoodoo(?:\.\w+)+)`")

Defined = dict[str, ast.AST]


def definitions(body: Iterable[ast.stmt], *, imported: bool = False) -> Iterator[tuple[str, ast.AST]]:
    """Yield the definitions of statements by name, and with `imported` also their imports."""
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.name, node
        elif isinstance(node, ast.Assign):
            yield from ((target.id, node) for target in node.targets if isinstance(target, ast.Name))
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id, node
        elif isinstance(node, ast.ImportFrom) and imported:
            yield from ((alias.asname or alias.name, node) for alias in node.names)
        elif isinstance(node, ast.If):
            yield from definitions(node.body, imported=imported)


@functools.cache
def defined_in(module: tuple[str, ...]) -> Defined | None:
    """Return the definitions of a module of the core, or the exports of a package; None if there is no such module."""
    path = CORE.joinpath(*module)
    for file in (path.with_suffix(".py"), path / "__init__.py"):
        if file.is_file():
            body = ast.parse(file.read_text(encoding="utf-8")).body
            return dict(definitions(body, imported=file.name == "__init__.py"))
    return None


def exists(name: str) -> bool:
    """Return whether a dotted name is a module of the core, or something that one defines."""
    parts = tuple(name.split(".")[1:])
    for length in range(len(parts), -1, -1):
        found = defined_in(parts[:length])
        if found is not None:
            return not parts[length:] or has(found, parts[length:])
    return False


def has(found: Defined, names: tuple[str, ...]) -> bool:
    node = found.get(names[0])
    if node is None or len(names) == 1:
        return node is not None
    return isinstance(node, ast.ClassDef) and has(dict(definitions(node.body)), names[1:])


@pytest.mark.slow
def test_every_name_on_the_page_exists():
    names = NAME.findall(PAGE.read_text(encoding="utf-8"))

    assert len(names) > 100
    assert [name for name in names if not exists(name)] == []


@pytest.mark.parametrize(
    "name",
    ["hoodoo.write", "hoodoo.errors", "hoodoo.errors.DataError", "hoodoo.write_job.run_job", "hoodoo.table.Table.plan"],
)
def test_a_name_is_found(name):
    assert exists(name)


@pytest.mark.parametrize(
    "name",
    [
        "hoodoo.nowhere",
        "hoodoo.errors.Nothing",
        "hoodoo.table.Table.nothing",
        "hoodoo.write_job.run_job.more",
        "hoodoo.write_job.parse",
    ],
)
def test_a_name_that_does_not_exist_is_noticed(name):
    assert not exists(name)
