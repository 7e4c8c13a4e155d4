"""The list of official plugins must contain what the plugins of this checkout declare."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from hoodoo.plugin.installed.families import FAMILIES
from hoodoo.plugin.installed.names import normalised, spellings
from hoodoo.plugin.installed.official import distribution_name, is_official, known_names, official_names

PLUGINS = Path(__file__).parents[4] / "plugins"


@pytest.mark.parametrize("family", list(FAMILIES))
def test_official_names_are_sorted_and_normalised(family):
    names = list(official_names(family))

    assert names == sorted(normalised(name) for name in names)


def test_an_alias_is_official_with_and_without_its_package():
    assert is_official("payload", "org.apache.hudi.common.model.AWSDmsAvroPayload")
    assert is_official("payload", "AwsDmsAvroPayload")
    assert is_official("merger", "EVENT_TIME_ORDERING+IGNORE_DEFAULTS")
    assert not is_official("merger", "AWSDmsAvroPayload")


@pytest.mark.parametrize("family", list(FAMILIES))
def test_no_spelling_means_two_plugins(family):
    owners: dict[str, set[str]] = {}
    for known, plugin in known_names(family):
        for spelling in spellings(known):
            owners.setdefault(spelling, set()).add(plugin)

    assert {spelling: plugins for spelling, plugins in owners.items() if len(plugins) > 1} == {}


@pytest.mark.skipif(not PLUGINS.is_dir(), reason="the plugin folders are in the checkout only")
@pytest.mark.parametrize(
    "file",
    [file for family in FAMILIES for file in sorted(PLUGINS.glob(f"{family}/*/pyproject.toml"))],
    ids=lambda file: "/".join(file.parts[-3:-1]),
)
def test_a_plugin_of_the_checkout_is_known_with_its_aliases(file):
    project = tomllib.loads(file.read_text())["project"]
    family = file.parts[-3]
    points = project["entry-points"]

    for name in points[f"hoodoo.{family}"]:
        assert project["name"] == distribution_name(family, name)
        assert set(points.get(f"hoodoo.{family}.alias", ())) == {
            known for known, plugin in known_names(family) if plugin == name != known
        }
