"""Plugins that are not installed: one error for all of them, with the distributions that wrote the table."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import hoodoo
from hoodoo.errors import UnknownPlugin
from hoodoo.plugin import Catalogue
from hoodoo.plugin.installed.catalogue import default_catalogue
from hoodoo.properties import load_properties, update_properties
from hoodoo.storage import storage_for
from hoodoo.table_rules.missing_plugins import all_missing, both, missing_names, naming_writers
from hoodoo.testing.engine import write_arrow

NEWEST = """
@frozen
class Rule:
    laws = frozenset()

    def merge(self, older, newer, context, config):
        return Outcome.all(Choice.TAKE, len(newer))
"""
KEYS = """
@frozen
class Rule:
    def record_keys(self, rows, config):
        return rows["id"].combine_chunks()

    def partition_paths(self, rows, config):
        return pa.array([""] * len(rows), pa.string())
"""
ROWS = pa.table({"id": ["a"], "part": ["x"], "ts": [1]})
OPTIONS = {"table_name": "t", "record_key": "id", "ordering": "ts"}


def without(*names: str) -> Catalogue:
    """Return a catalogue of the installed plugins, except those with the given names `family:name`."""
    points: list[EntryPoint] = [
        point
        for group in ("merger", "payload", "keygen", "delete", "aggregate")
        for kind in ("", ".alias")
        for point in entry_points(group=f"hoodoo.{group}{kind}")
        if point.value not in {f"hoodoo_{name.replace(':', '_').replace('-', '_')}" for name in names}
    ]
    return Catalogue(points)


@pytest.fixture
def only(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Return a function after whose call tables and writes do not find the plugins with the given names."""

    def only(*names: str) -> None:
        catalogue = without(*names)
        for module in ("hoodoo.write_job", "hoodoo.reading.slice_splits"):
            monkeypatch.setattr(f"{module}.default_catalogue", lambda: catalogue)

    return only


@pytest.fixture(autouse=True)
def _needs_the_defaults() -> None:
    for family, name in (("merger", "event-time"), ("keygen", "simple"), ("delete", "any-of")):
        if default_catalogue().found(family, name) is None:
            pytest.skip(f"{family} '{name}' is not installed")


def test_a_first_write_lists_all_plugins_that_it_needs(tmp_path: Path, only: Callable[..., None]) -> None:
    only("merger:event-time", "keygen:simple", "delete:any-of")

    with pytest.raises(UnknownPlugin) as caught:
        write_arrow(ROWS, tmp_path / "table", OPTIONS | {"partition_by": "part"})

    assert str(caught.value) == (
        "3 plugins are not installed: key generator 'simple', merger 'event-time', delete rule 'any-of'; install them: "
        "pip install hoodoo-keygen-simple hoodoo-merger-event-time hoodoo-delete-any-of"
    )
    assert not (tmp_path / "table").exists()


def test_a_later_write_and_a_read_list_all_of_the_table(tmp_path: Path, only: Callable[..., None]) -> None:
    options = OPTIONS | {"partition_by": "part", "table_type": "MERGE_ON_READ"}
    write_arrow(ROWS, tmp_path / "table", options)
    write_arrow(ROWS, tmp_path / "table", {})
    only("merger:event-time", "keygen:simple", "delete:any-of")

    with pytest.raises(UnknownPlugin) as written:
        write_arrow(ROWS, tmp_path / "table", {})
    with pytest.raises(UnknownPlugin) as read:
        hoodoo.Table(tmp_path / "table").to_arrow()

    assert str(written.value) == (
        "3 plugins are not installed: merger 'event-time', delete rule 'any-of', key generator 'simple'; install them: "
        "pip install hoodoo-merger-event-time hoodoo-delete-any-of hoodoo-keygen-simple"
    )
    assert "2 plugins are not installed: merger 'event-time', delete rule 'any-of'; install them: pip install " in str(
        read.value
    )


@pytest.fixture
def gone(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Yield a function that uninstalls the distributions that the fixture `install` made in a folder."""

    def gone(folder: Path) -> None:
        monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry != str(folder)])
        default_catalogue.cache_clear()

    yield gone
    default_catalogue.cache_clear()


def test_the_distribution_of_the_merger_is_stored_and_named(
    install: Callable[..., str], gone: Callable[..., None], tmp_path: Path
) -> None:
    name = install(NEWEST, name="acme-newest")
    options = OPTIONS | {"merger": name, "table_type": "MERGE_ON_READ"}
    write_arrow(ROWS, tmp_path / "table", options)
    write_arrow(ROWS, tmp_path / "table", {})
    stored = json.loads(load_properties(storage_for(tmp_path / "table"))["hoodoo.distributions"])
    assert stored["merger:acme-newest"] == "acme-newest==1.0"
    assert {"delete:any-of", "keygen:non-partitioned"} < stored.keys()
    gone(tmp_path / "site")

    attempts: list[Callable[[], Any]] = [
        lambda: hoodoo.Table(tmp_path / "table").to_arrow(),
        lambda: hoodoo.Table(tmp_path / "table").compact(),
        lambda: write_arrow(ROWS, tmp_path / "table", {}),
    ]
    for attempt in attempts:
        with pytest.raises(UnknownPlugin) as caught:
            attempt()
        assert str(caught.value) == (
            "merger 'acme-newest' of this table is not installed; acme-newest 1.0 provided it when the table was "
            "created: pip install acme-newest==1.0"
        )


def test_the_distribution_of_the_key_generator_is_named(
    install: Callable[..., str], gone: Callable[..., None], tmp_path: Path
) -> None:
    write_arrow(ROWS, tmp_path / "table", OPTIONS | {"keygen": install(KEYS, "keygen", "acme-keys")})
    gone(tmp_path / "site")

    with pytest.raises(UnknownPlugin, match=r"key generator 'acme-keys' of this table.*pip install acme-keys==1.0"):
        write_arrow(ROWS, tmp_path / "table", {})


@pytest.mark.parametrize("entry", ["", "{", "{}", "[]", "1", '{"merger:other": "x==1"}'])
def test_a_table_without_the_entry_has_the_usual_error(entry: str) -> None:
    with (
        pytest.raises(UnknownPlugin, match="no merger named 'acme-newest' is installed; installed: "),
        naming_writers({"hoodoo.distributions": entry}),
    ):
        without().find("merger", "acme-newest")


def test_errors_of_plugins_without_a_known_distribution_keep_their_text() -> None:
    empty = Catalogue([])
    errors = missing_names("merger", ["acme-newest", "event-time", "acme-newest"], empty)
    found = all_missing(errors)

    assert len(found.parts) == 2
    assert str(found) == (
        "2 plugins are not installed: merger 'acme-newest', merger 'event-time'; install them: pip install "
        "hoodoo-merger-event-time; no merger named 'acme-newest' is installed; installed: none"
    )
    assert all_missing(errors[:1]) is errors[0]


def test_both_results_are_returned_and_other_errors_come_first() -> None:
    assert both(lambda: 1, lambda: "x") == (1, "x")
    with pytest.raises(ValueError, match="other"):
        both(lambda: Catalogue([]).find("merger", "x"), lambda: (_ for _ in ()).throw(ValueError("other")))


def test_the_entry_survives_a_change_of_other_properties(tmp_path: Path) -> None:
    write_arrow(ROWS, tmp_path / "table", OPTIONS)
    storage = storage_for(tmp_path / "table")
    before = load_properties(storage)["hoodoo.distributions"]

    assert update_properties(storage, {"hoodoo.x": "1"})["hoodoo.distributions"] == before
