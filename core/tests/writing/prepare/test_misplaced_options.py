"""An option of a plugin among the options of the write: the error shows where it belongs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from hoodoo.errors import UnknownOption
from hoodoo.testing.engine import write_arrow

LIMITED = """
@frozen
class Rule:
    laws = frozenset()
    limit: int = option(default=1, key="hoodie.acme.limit")
    password: str = option(default="", secret=True)

    def merge(self, older, newer, context, config):
        return Outcome.all(Choice.TAKE, len(newer))
"""
LISTING = """
from hoodoo.plugin import BaseCatalogProvider

@frozen
class Rule(BaseCatalogProvider):
    region: str = option(default="", key="acme.region")
    token: str = option(default="", secret=True)

    def describe(self):
        raise AssertionError("a wrong option is refused before the catalog is used")

    has_database = create_database = find_table = create_table = alter_table = describe
    find_partitions = add_partitions = move_partitions = drop_partitions = describe
"""
ROWS = pa.table({"id": ["a"], "ts": [1]})
OPTIONS = {"table_name": "t", "record_key": "id"}


def refused(path: Path, options: dict[str, Any]) -> str:
    with pytest.raises(UnknownOption) as caught:
        write_arrow(ROWS, path, options)
    return str(caught.value)


@pytest.mark.parametrize("key", ["limit", "Limit", "hoodie.acme.limit"])
def test_an_option_of_the_named_merger(install: Callable[..., str], tmp_path: Path, key: str) -> None:
    name = install(LIMITED)

    found = refused(tmp_path / "table", OPTIONS | {"merger": name, key: 3})

    assert found == (
        f"there is no option '{key}' of a write; it is an option of merger 'made-0' (made-0 1.0): write "
        f"'merger_options': {{'{key}': 3}}"
    )


def test_an_option_of_the_merger_of_the_table(install: Callable[..., str], tmp_path: Path) -> None:
    write_arrow(ROWS, tmp_path / "table", OPTIONS | {"merger": install(LIMITED)})

    assert "write 'merger_options': {'limit': '4'}" in refused(tmp_path / "table", {"limit": "4"})


def test_a_secret_is_not_repeated(install: Callable[..., str], tmp_path: Path) -> None:
    found = refused(tmp_path / "table", OPTIONS | {"merger": install(LIMITED), "password": "xyzzy"})

    assert "'merger_options': {'password': ...}" in found
    assert "xyzzy" not in found


@pytest.mark.parametrize("chosen", [lambda name: name, lambda name: ["nothing-of-this-name", name]])
@pytest.mark.parametrize("key", ["region", "Acme.Region"])
def test_an_option_of_a_named_catalog(install: Callable[..., str], tmp_path: Path, chosen: Any, key: str) -> None:
    name = install(LISTING, "catalog")

    found = refused(tmp_path / "table", OPTIONS | {"catalogs": chosen(name), key: "north"})

    assert found == (
        f"there is no option '{key}' of a write; it is an option of catalog provider 'made-0' (made-0 1.0): write "
        f"'catalog_options': {{'{key}': 'north'}}"
    )


def test_a_secret_of_a_catalog_is_not_repeated(install: Callable[..., str], tmp_path: Path) -> None:
    found = refused(tmp_path / "table", OPTIONS | {"catalogs": install(LISTING, "catalog"), "token": "xyzzy"})

    assert "'catalog_options': {'token': ...}" in found
    assert "xyzzy" not in found


def test_an_option_of_nothing_is_as_before(install: Callable[..., str], tmp_path: Path) -> None:
    name = install(LIMITED)

    assert refused(tmp_path / "table", OPTIONS | {"merger": name, "table_nam": "x"}).startswith(
        "there is no option 'table_nam'; did you mean 'table_name'"
    )
    assert "there is no option 'limit'" in refused(tmp_path / "table", OPTIONS | {"limit": 3})
    assert "there is no option 'limit'" in refused(
        tmp_path / "table", OPTIONS | {"merger": "nothing-of-this-name", "limit": 3}
    )
