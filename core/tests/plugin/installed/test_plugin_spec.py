"""Plugin specs as executors receive them: name, version and options, and a clear error if they do not match."""

from __future__ import annotations

import json
import platform
import shutil
import sys

import pytest

from hoodoo.errors import BrokenPlugin, OptionError, PluginNotAllowed, UnknownOption, UnknownPlugin
from hoodoo.plugin import Catalogue, PluginSpec

SOURCE = '''
    """With options."""
    from typing import Any
    from attrs import frozen
    from hoodoo.plugin import RowMerger, hookimpl, option

    @frozen
    class Rule(RowMerger):
        column: str = option(help="Which.")
        names: tuple[str, ...] = option(default=("a",), key="hoodie.rule.names")
        strict: bool = option(default=False)
        what: Any = option(default=None)

        def merge(self, older, newer, context, config):
            return newer

    @hookimpl
    def hoodoo_merger():
        return Rule
'''


@pytest.fixture
def catalogue(site):
    site.install_merger("ruled", SOURCE, version="1.5")
    return site.catalogue()


def test_a_specification_travels_as_text_and_makes_the_same_instance(catalogue):
    spec = catalogue.spec("merger", "RULED", {"column": "c", "hoodie.rule.names": "x,y", "strict": "false"})

    assert (spec.family, spec.name, spec.version, spec.distribution) == ("merger", "ruled", "1.5", "fake-ruled")
    assert spec.options == {"column": "c", "names": ["x", "y"]}
    assert spec.label == "merger 'ruled' (fake-ruled 1.5)"

    text = spec.to_json()
    assert json.loads(text)["digest"] == spec.digest
    again = PluginSpec.from_json(text)
    assert again == spec
    assert again.resolve(catalogue) == catalogue.make("merger", "ruled", {"column": "c", "names": ["x", "y"]})


def test_the_digest_depends_on_the_options_that_differ_from_the_defaults(catalogue):
    def digest(**options):
        return catalogue.spec("merger", "ruled", options).digest

    assert digest(column="c") == digest(column="c", strict=False, names="a")
    assert digest(column="c") != digest(column="d")
    assert digest(column="c", strict=True) != digest(column="c")
    assert len(digest(column="c")) == 64


def test_options_are_checked_as_the_specification_is_made(catalogue):
    with pytest.raises(UnknownOption):
        catalogue.spec("merger", "ruled", {"colum": "c"})
    with pytest.raises(OptionError, match="needs option 'column'"):
        catalogue.spec("merger", "ruled", {})
    with pytest.raises(OptionError, match=r"option 'what' of merger 'ruled' .* cannot be sent to executors"):
        catalogue.spec("merger", "ruled", {"column": "c", "what": object()})


def where() -> str:
    return f"the Python process on host {platform.node()} ({sys.executable}) cannot run it"


def test_a_plugin_that_is_missing_on_an_executor_says_who_where_and_what_to_install(catalogue):
    spec = catalogue.spec("merger", "ruled", {"column": "c"})

    with pytest.raises(UnknownPlugin, match="no merger named 'ruled' is installed") as caught:
        spec.resolve(Catalogue([]))
    message = str(caught.value)
    assert "merger 'ruled' (fake-ruled 1.5) was chosen" in message
    assert where() in message
    assert message.endswith("pip install fake-ruled==1.5")


def test_another_version_on_an_executor_is_refused_naming_both(catalogue, site):
    spec = catalogue.spec("merger", "ruled", {"column": "c"})
    (site.path / "fake_ruled-1.5.dist-info").rename(site.path / "fake_ruled-1.6.dist-info")
    metadata = site.path / "fake_ruled-1.6.dist-info" / "METADATA"
    metadata.write_text(metadata.read_text().replace("1.5", "1.6"))

    with pytest.raises(
        BrokenPlugin, match=r"fake-ruled 1\.5\) was chosen.*fake-ruled 1\.6 is installed there"
    ) as caught:
        spec.resolve(site.catalogue())
    assert where() in str(caught.value)


def test_another_distribution_of_the_name_on_an_executor_is_refused(catalogue, site):
    spec = catalogue.spec("merger", "ruled", {"column": "c"})
    metadata = site.path / "fake_ruled-1.5.dist-info" / "METADATA"
    metadata.write_text(metadata.read_text().replace("fake-ruled", "other-ruled"))

    with pytest.raises(BrokenPlugin, match=r"other-ruled 1\.5 is installed there"):
        spec.resolve(site.catalogue())


def test_a_plugin_that_cannot_be_loaded_on_an_executor_says_so(catalogue, site):
    spec = catalogue.spec("merger", "ruled", {"column": "c"})
    site.path.joinpath("fake_ruled.py").write_text("import a_module_that_nobody_has\n")
    del sys.modules["fake_ruled"]

    with pytest.raises(BrokenPlugin, match="No module named 'a_module_that_nobody_has'") as caught:
        spec.resolve(site.catalogue())
    assert where() in str(caught.value)


def test_the_allow_list_counts_on_executors(catalogue, site, monkeypatch):
    spec = catalogue.spec("merger", "ruled", {"column": "c"})
    monkeypatch.setenv("HOODOO_PLUGINS", "builtin")

    with pytest.raises(PluginNotAllowed):
        spec.resolve(site.catalogue())


def test_without_a_catalogue_the_environment_of_the_process_counts(catalogue, site):
    spec = catalogue.spec("merger", "ruled", {"column": "c"})

    assert spec.resolve().column == "c"


CHOOSES = """
    from attrs import frozen
    from hoodoo.plugin import RowMerger, hookimpl, option

    @frozen
    class Chooses(RowMerger):
        other: str = option(default="RULED")

        @property
        def uses(self):
            return (("merger", self.other),)

        def merge(self, older, newer, context, config):
            return newer

    @hookimpl
    def hoodoo_merger():
        return Chooses
"""


@pytest.fixture
def choosing(site, catalogue):
    """Return the specification of a plugin that selects another one by its options."""
    site.install_merger("chooses", CHOOSES)
    return site.catalogue().spec("merger", "chooses", {})


def test_what_a_plugin_uses_travels_with_it(choosing, site):
    [used] = choosing.uses

    assert used.label == "merger 'ruled' (fake-ruled 1.5)"
    assert PluginSpec.from_json(choosing.to_json()) == choosing
    assert choosing.resolve(site.catalogue()).other == "RULED"


def test_the_digest_is_that_of_family_name_and_options(choosing, catalogue):
    """Tables store the digest, so it must not change; other plugins that a plugin uses are not part of it."""
    assert choosing.digest == "28649412e2e4aee0e261d7db7f64d49033237e82b81c2db20811133f3b0b9b19"
    assert (
        catalogue.spec("merger", "ruled", {"column": "c"}).digest
        == "91072322322c0d464ded7eaaccc8d13a838e6db67eddc270193347995a96438e"
    )


def test_a_used_plugin_that_is_missing_on_an_executor_is_the_one_to_install(choosing, site):
    shutil.rmtree(site.path / "fake_ruled-1.5.dist-info")

    with pytest.raises(UnknownPlugin, match="no merger named 'ruled' is installed") as caught:
        choosing.resolve(site.catalogue())
    message = str(caught.value)
    assert message.startswith(
        "merger 'ruled' (fake-ruled 1.5) was chosen by an option of merger 'chooses' (fake-chooses 1.0), and "
    )
    assert where() in message
    assert message.endswith("pip install fake-ruled==1.5")


def test_another_version_of_a_used_plugin_is_refused(choosing, site):
    metadata = site.path / "fake_ruled-1.5.dist-info" / "METADATA"
    metadata.write_text(metadata.read_text().replace("1.5", "1.6"))

    with pytest.raises(BrokenPlugin, match=r"by an option of merger 'chooses'.*fake-ruled 1\.6 is installed there"):
        choosing.resolve(site.catalogue())


def test_a_plugin_that_uses_what_is_not_there_is_refused_where_it_is_chosen(site):
    site.install_merger("chooses", CHOOSES)

    with pytest.raises(UnknownPlugin, match="no merger named 'RULED'"):
        site.catalogue().spec("merger", "chooses", {})
