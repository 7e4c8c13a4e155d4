"""Names of plugins: searches import nothing, and errors explain missing names."""

from __future__ import annotations

import pytest

from hoodoo.errors import AmbiguousPlugin, BrokenPlugin, OptionError, UnknownPlugin
from hoodoo.plugin import Catalogue

CLASS = "org.apache.hudi.common.model.OverwriteWithLatestAvroPayload"


def test_listing_and_finding_import_nothing(site, explodes):
    site.install_merger("first", explodes("first"))
    site.install_merger("second", explodes("second"))

    catalogue = site.catalogue()

    assert [info.name for info in catalogue.list()] == ["first", "second"]
    assert catalogue.find("merger", "first").distribution == "fake-first"
    assert site.modules == set()


def test_list_is_sorted_and_of_one_family_when_asked(site):
    site.install("b", {"hoodoo.payload": {"z": "m1"}, "hoodoo.merger": {"y": "m2"}})
    site.install("a", {"hoodoo.payload": {"x": "m3"}}, version="2.5")

    infos = site.catalogue().list()

    assert [(info.family, info.name) for info in infos] == [("merger", "y"), ("payload", "x"), ("payload", "z")]
    only = site.catalogue().list("payload")
    assert [(i.name, i.distribution, i.version, i.module) for i in only] == [
        ("x", "a", "2.5", "m3"),
        ("z", "b", "1.0", "m1"),
    ]


@pytest.mark.parametrize("name", ["keep-latest", "keep_latest", "Keep-Latest", "KEEP_LATEST", " keep-latest "])
def test_hyphen_underscore_and_case_do_not_matter(site, name):
    site.install_merger("keep-latest")

    assert site.catalogue().find("merger", name).name == "keep-latest"


def test_a_distribution_may_declare_its_names_with_underscores(site):
    site.install("d", {"hoodoo.merger": {"keep_latest": "m"}})

    assert site.catalogue().find("merger", "keep-latest").name == "keep_latest"


@pytest.mark.parametrize(
    "name", [CLASS, "OverwriteWithLatestAvroPayload", "overwritewithlatestavropayload", "MODE_X", "mode-x"]
)
def test_aliases_lead_to_the_plugin_of_the_same_module(site, name, explodes):
    site.install(
        "d",
        {
            "hoodoo.payload": {"latest": "lib_a", "other": "lib_b"},
            "hoodoo.payload.alias": {CLASS: "lib_a", "MODE_X": "lib_a"},
        },
        {"lib_a": explodes("lib_a"), "lib_b": explodes("lib_b")},
    )

    info = site.catalogue().find("payload", name)

    assert info.name == "latest"
    assert info.aliases == ("MODE_X", CLASS)
    assert site.modules == set()


def test_a_class_of_another_package_is_another_class(site):
    site.install("d", {"hoodoo.payload": {"latest": "lib_a"}, "hoodoo.payload.alias": {CLASS: "lib_a"}})

    with pytest.raises(UnknownPlugin):
        site.catalogue().find("payload", "com.acme.OverwriteWithLatestAvroPayload")


def test_an_alias_belongs_to_its_own_distribution(site):
    """Two distributions may have modules of the same name in their metadata; an alias never leads to the other one."""
    site.install("a", {"hoodoo.merger": {"mine": "shared"}})
    site.install("b", {"hoodoo.merger.alias": {"NICK": "shared"}})

    assert site.catalogue().find("merger", "mine").aliases == ()
    with pytest.raises(BrokenPlugin, match=r"b 1\.0 declares 'NICK' as an alias of module shared"):
        site.catalogue().find("merger", "nick")


def test_a_name_offered_twice_is_refused_naming_both(site):
    site.install("fake-one", {"hoodoo.merger": {"keep": "m1"}}, version="1.1")
    site.install("fake-two", {"hoodoo.merger": {"Keep": "m2"}}, version="2.2")

    with pytest.raises(AmbiguousPlugin, match=r"merger 'keep' is offered by fake-one 1\.1 and fake-two 2\.2") as caught:
        site.catalogue().find("merger", "keep")
    assert "pip uninstall" in str(caught.value)


@pytest.mark.parametrize("other", ["acme-events", "zz-events"])
def test_the_official_distribution_is_never_the_one_to_uninstall(site, other):
    site.install(other, {"hoodoo.merger": {"event-time": "m1"}})
    site.install("hoodoo_merger_event_time", {"hoodoo.merger": {"event-time": "m2"}})

    with pytest.raises(AmbiguousPlugin) as caught:
        site.catalogue().find("merger", "event_time")

    assert str(caught.value).endswith(
        f"keep hoodoo_merger_event_time, which is the official one: pip uninstall {other}"
    )


def test_of_two_unofficial_distributions_either_may_go(site):
    site.install("fake-one", {"hoodoo.merger": {"keep": "m1"}})
    site.install("fake-two", {"hoodoo.merger": {"keep": "m2"}})

    with pytest.raises(AmbiguousPlugin, match="all but one: pip uninstall fake-one or pip uninstall fake-two"):
        site.catalogue().find("merger", "keep")


def test_an_alias_that_is_another_plugins_name_is_refused_naming_both(site):
    site.install("fake-one", {"hoodoo.merger": {"keep": "m1"}})
    site.install("fake-two", {"hoodoo.merger": {"hold": "m2"}, "hoodoo.merger.alias": {"keep": "m2"}})

    with pytest.raises(AmbiguousPlugin, match=r"fake-one 1\.0 and fake-two 1\.0 \(as an alias of 'hold'\)"):
        site.catalogue().find("merger", "keep")
    assert site.catalogue().find("merger", "hold").distribution == "fake-two"


def test_one_distribution_with_one_alias_for_two_plugins_is_refused(site):
    site.install("d", {"hoodoo.merger": {"a": "m1", "b": "m2"}})
    site.install(
        "e", {"hoodoo.merger": {"c": "m3", "d": "m4"}, "hoodoo.merger.alias": {"X.Nick": "m3", "Y.Nick": "m4"}}
    )

    with pytest.raises(AmbiguousPlugin, match="could be 'c' or 'd' of e"):
        site.catalogue().find("merger", "Nick")


def test_families_do_not_share_names(site):
    site.install("d", {"hoodoo.merger": {"event-time": "m1"}, "hoodoo.payload": {"event-time": "m2"}})

    assert site.catalogue().find("merger", "event-time").module == "m1"
    assert site.catalogue().find("payload", "event-time").module == "m2"


def test_a_near_name_is_suggested(site):
    site.install_merger("acme-max")

    with pytest.raises(UnknownPlugin, match=r"no merger named 'acme-mx' is installed; did you mean 'acme-max'\?"):
        site.catalogue().find("merger", "acme-mx")


@pytest.mark.parametrize(
    ("family", "name", "line"),
    [
        ("merger", "sequence_group", "pip install hoodoo-merger-sequence-group"),
        ("payload", "AWSDmsAvroPayload", "pip install hoodoo-payload-aws-dms"),
        (
            "payload",
            "org.apache.hudi.common.model.debezium.MySqlDebeziumAvroPayload",
            "pip install hoodoo-payload-mysql-debezium",
        ),
        ("merger", "eeb8d96f-b1e4-49fd-bbf8-28ac514178e5", "pip install hoodoo-merger-event-time"),
        ("merger", "COMMIT_TIME_ORDERING", "pip install hoodoo-merger-commit-time"),
        ("keygen", "org.apache.hudi.keygen.SimpleKeyGenerator", "pip install hoodoo-keygen-simple"),
        ("keygen", "NON_PARTITION", "pip install hoodoo-keygen-non-partitioned"),
        ("delete", "rowkind", "pip install hoodoo-delete-rowkind"),
        ("merger", "sequence-grup", r"pip install hoodoo-merger-sequence-group\)"),
    ],
)
def test_an_official_plugin_that_is_not_installed_is_answered_with_the_line_that_installs_it(family, name, line):
    with pytest.raises(UnknownPlugin, match=line):
        Catalogue([]).find(family, name)


def test_a_name_of_another_family_says_so(site):
    site.install("d", {"hoodoo.delete": {"acme-flag": "m"}})

    with pytest.raises(UnknownPlugin, match="'acme-flag' is a delete rule"):
        site.catalogue().find("merger", "acme-flag")


def test_with_nothing_near_the_installed_names_are_listed(site):
    site.install_merger("alpha")
    site.install_merger("beta")

    with pytest.raises(UnknownPlugin, match="installed: alpha, beta"):
        site.catalogue().find("merger", "zzzzzzzz")
    with pytest.raises(UnknownPlugin, match="installed: none"):
        site.catalogue().find("keygen", "zzzzzzzz")


def test_an_unknown_family_is_an_option_error():
    with pytest.raises(
        OptionError, match="no plugin family 'mergers'; the families are payload, merger, keygen, delete"
    ):
        Catalogue([]).find("mergers", "x")
    with pytest.raises(OptionError):
        Catalogue([]).list("mergers")


def test_a_distribution_without_metadata_does_not_hide_the_others(site):
    """A distribution without metadata, as an interrupted uninstall leaves it, does not affect other plugins."""
    site.install_merger("half")
    site.install_merger("whole")
    (site.path / "fake_half-1.0.dist-info" / "METADATA").unlink()

    assert [info.name for info in site.catalogue().list()] == ["half", "whole"]
    assert site.catalogue().make("merger", "whole", {}) is not None


def test_a_plugin_installed_later_is_found_by_the_same_catalogue(site):
    """A plugin that is installed after an error about it is found by the same process, for example in a notebook."""
    catalogue = Catalogue()
    with pytest.raises(UnknownPlugin):
        catalogue.find("merger", "fresh-from-pip")

    site.install_merger("fresh-from-pip")

    assert catalogue.find("merger", "fresh-from-pip").distribution == "fake-fresh-from-pip"
