"""The allow-list: by plugin, by distribution, or the official plugins alone."""

from __future__ import annotations

import pytest

from hoodoo.errors import OptionError, PluginNotAllowed


@pytest.fixture
def installed(site):
    site.install_merger("acme-max")
    site.install_merger("acme-min")
    source = (site.path / "fake_acme_max.py").read_text()
    site.install("hoodoo-merger-first-row", {"hoodoo.merger": {"first-row": "official"}}, {"official": source})
    return site


ALL = {"acme-max", "acme-min", "first-row"}


def usable(catalogue):
    """Return the names of plugins that can be loaded; the others must be listed nevertheless."""
    names = set()
    for info in catalogue.list():
        try:
            catalogue.load("merger", info.name)
        except PluginNotAllowed:
            assert not catalogue.allows(info)
        else:
            assert catalogue.allows(info)
            names.add(info.name)
    return names


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("merger:acme-max", {"acme-max"}),
        ("merger:Acme_Max", {"acme-max"}),
        ("payload:acme-max", set()),
        ("fake-acme-min", {"acme-min"}),
        ("Fake_Acme.Min, merger:acme-max", {"acme-max", "acme-min"}),
        ("builtin", {"first-row"}),
        ("builtin,fake-acme-max", {"first-row", "acme-max"}),
        ("acme-max", set()),
        ("", set()),
    ],
)
def test_entries_of_the_variable_and_of_the_argument(installed, monkeypatch, text, expected):
    assert usable(installed.catalogue()) == ALL
    assert usable(installed.catalogue(allow=text.split(","))) == expected

    monkeypatch.setenv("HOODOO_PLUGINS", text)

    assert usable(installed.catalogue()) == expected


def test_the_argument_narrows_what_the_variable_allows(installed, monkeypatch):
    monkeypatch.setenv("HOODOO_PLUGINS", "builtin,fake-acme-max")

    assert usable(installed.catalogue(allow=["fake-acme-max", "fake-acme-min"])) == {"acme-max"}


def test_an_excluded_plugin_is_not_imported_and_the_error_says_how_to_allow_it(installed, monkeypatch):
    monkeypatch.setenv("HOODOO_PLUGINS", "builtin")

    with pytest.raises(
        PluginNotAllowed, match=r"merger 'acme-max' \(fake-acme-max 1\.0\).*add 'merger:acme-max' to HOODOO_PLUGINS"
    ):
        installed.catalogue().make("merger", "acme-max", {})
    assert installed.modules == set()


def test_an_official_name_does_not_make_a_distribution_official(site, monkeypatch):
    site.install("impostor", {"hoodoo.merger": {"event-time": "m"}})
    monkeypatch.setenv("HOODOO_PLUGINS", "builtin")

    with pytest.raises(PluginNotAllowed):
        site.catalogue().load("merger", "event-time")


def test_a_misspelt_family_is_an_error_even_with_a_matching_entry(installed):
    with pytest.raises(OptionError, match="no plugin family 'mergers'"):
        installed.catalogue(allow=["fake-acme-max", "mergers:acme-min"]).load("merger", "acme-max")
