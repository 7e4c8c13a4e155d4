"""The page of the objects that plugins use matches the docstrings of these objects, and leaves out no object."""

from __future__ import annotations

import inspect
from enum import Enum
from itertools import pairwise
from pathlib import Path

import pytest

import hoodoo.plugin
import hoodoo.record
from hoodoo.cli.reference.contract_page import GROUPS, contract_page
from hoodoo.cli.reference.docstring_table import members
from hoodoo.record import Records

PAGE = Path(__file__).parents[4] / "docs/plugin-objects.md"
ELSEWHERE = {
    "Law": "docs/laws.md lists the laws",
    "Source": "the core makes it, and a rule gets its records",
    "Catalogue": "it finds plugins, and is no object of theirs",
    "PluginClass": "of the catalogue",
    "PluginHook": "of the catalogue",
    "PluginInfo": "of the catalogue",
    "PluginSpec": "of the catalogue",
    "CatalogProvider": "the required members of BaseCatalogProvider",
    "LockProvider": "the required members of BaseLockProvider",
}
CLASSES = [cls for group in GROUPS for cls in (*group.classes, *group.bases)]


def test_the_checked_in_page_is_up_to_date() -> None:
    if not PAGE.parent.exists():
        pytest.skip("the documentation is part of the checkout only")
    assert PAGE.read_text() == contract_page(), "run `tox -e sync`"


def test_every_class_that_plugins_import_is_on_the_page() -> None:
    modules = (hoodoo.record, hoodoo.plugin)
    public = {name for module in modules for name in module.__all__ if inspect.isclass(getattr(module, name))}

    assert public - {cls.__name__ for cls in CLASSES} == set(ELSEWHERE)


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_every_member_has_a_meaning(cls: type) -> None:
    found = members(cls)

    assert found
    assert [member.name for member in found if not member.meaning] == []


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_every_public_member_is_listed(cls: type) -> None:
    """The fields of `Records` are not listed, because rules use only its properties and methods."""
    listed = {member.name.partition("(")[0] for member in members(cls)}
    fields = {field.name for field in getattr(cls, "__attrs_attrs__", ()) if not field.name.startswith("_")}
    public = set(cls.__members__) if issubclass(cls, Enum) else {name for name in dir(cls) if not name.startswith("_")}

    assert (public - fields if cls is Records else public | fields) == listed


def test_functions_for_key_generators_are_on_the_page() -> None:
    page = contract_page()

    assert [name for name in hoodoo.keys.__all__ if f"`{name}(" not in page and f"{name}`" not in page] == []


def test_tables_have_as_many_cells_in_every_row_as_in_their_head() -> None:
    lines = contract_page().splitlines()
    for above, line in pairwise(lines):
        if above.startswith("|") and line.startswith("|"):
            assert above.replace("\\|", "").count("|") == line.replace("\\|", "").count("|"), line
