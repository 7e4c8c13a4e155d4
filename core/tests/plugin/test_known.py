"""The list of official plugins must contain what the plugins of this checkout declare."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from hoodoo.aggregates import FUNCTIONS
from hoodoo.plugin.catalog.families import FAMILIES
from hoodoo.plugin.catalog.names import normalised, spellings
from hoodoo.plugin.catalog.official import IN_CORE, KNOWN, distribution_name, known_names

PLUGINS = Path(__file__).parents[3] / "plugins"


def test_every_family_is_listed_and_sorted():
    assert set(KNOWN) == set(FAMILIES)
    for names in KNOWN.values():
        assert list(names) == sorted(names)
        assert all(name == normalised(name) for name in names)


def test_what_the_core_has_itself_is_listed():
    assert {family: list(names) for family, names in IN_CORE.items()} == {"aggregate": sorted(FUNCTIONS)}


@pytest.mark.parametrize("family", list(FAMILIES))
def test_no_spelling_means_two_plugins(family):
    owners: dict[str, set[str]] = {}
    for known, plugin in known_names(family):
        for spelling in spellings(known):
            owners.setdefault(spelling, set()).add(plugin)

    assert {spelling: plugins for spelling, plugins in owners.items() if len(plugins) > 1} == {}


@pytest.mark.skipif(not PLUGINS.is_dir(), reason="the plugin folders are in the checkout only")
@pytest.mark.parametrize(
    "file", sorted(PLUGINS.glob("*/*/pyproject.toml")), ids=lambda file: "/".join(file.parts[-3:-1])
)
def test_a_plugin_of_the_checkout_is_known_with_its_aliases(file):
    project = tomllib.loads(file.read_text())["project"]
    family = file.parts[-3]
    points = project["entry-points"]

    for name in points[f"hoodoo.{family}"]:
        assert project["name"] == distribution_name(family, name)
        assert set(points.get(f"hoodoo.{family}.alias", ())) <= set(KNOWN[family][name])
