"""Distributions with a plugin that no entry point declares are named as the likely cause of a missing plugin."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from hoodoo.errors import UnknownPlugin
from hoodoo.plugin import Catalogue
from hoodoo.plugin.installed.undeclared import Undeclared, undeclared_plugins

SOURCE = """
from attrs import frozen
from hoodoo.plugin import hookimpl

@hookimpl
def hoodoo_merger():
    return None
"""


@pytest.fixture
def lay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Return a function that installs the distribution `acme-rules`, and returns the folder of its code."""
    monkeypatch.delenv("HOODOO_PLUGINS", raising=False)

    def lay(requires: str = "hoodoo-core>=0.1", points: str = "", module: str = SOURCE, editable: bool = False) -> Path:
        site, project = tmp_path / "site", tmp_path / "a project"
        info = site / "acme_rules-1.5.dist-info"
        info.mkdir(parents=True)
        info.joinpath("METADATA").write_text(
            f"Metadata-Version: 2.1\nName: acme-rules\nVersion: 1.5\nRequires-Dist: {requires}\n"
        )
        info.joinpath("entry_points.txt").write_text(points)
        code = project / "src" if editable else site
        code.mkdir(parents=True, exist_ok=True)
        code.joinpath("acme_rules.py").write_text(module)
        if editable:
            direct = {"url": project.as_uri(), "dir_info": {"editable": True}}
            info.joinpath("direct_url.json").write_text(json.dumps(direct))
        else:
            info.joinpath("RECORD").write_text("acme_rules.py,,\nacme_gone.py,,\n")
        monkeypatch.syspath_prepend(str(site))
        return code

    return lay


def found() -> Undeclared | None:
    return next((one for one in undeclared_plugins() if one.distribution == "acme-rules"), None)


def asked(name: str) -> str:
    with pytest.raises(UnknownPlugin) as caught:
        Catalogue().find("merger", name)
    return str(caught.value)


def test_a_group_that_does_not_exist_is_named_with_the_nearest(lay: Callable[..., Path]) -> None:
    lay(points="[hoodoo.mergers]\nacme-max = acme_rules\n")

    assert asked("acme-max") == (
        "no merger named 'acme-max' is installed; likely cause: acme-rules 1.5 declares 'acme-max' in entry point "
        "group 'hoodoo.mergers', which hoodoo does not have: write [project.entry-points.\"hoodoo.merger\"] in its "
        "pyproject.toml and install it again"
    )
    assert "Likely cause: acme-rules 1.5 declares 'acme-max'" in asked("zzzzzzzz")
    assert asked("event-tim").startswith("no merger named 'event-tim' is installed; did you mean 'event-time'")


def test_a_group_like_no_other_lists_the_groups(lay: Callable[..., Path]) -> None:
    lay(points="[hoodoo.xyz]\nacme-max = acme_rules\n")

    assert "write one of hoodoo.payload, hoodoo.merger, hoodoo.keygen" in asked("acme-max")


@pytest.mark.parametrize("editable", [False, True])
def test_a_plugin_without_an_entry_point_is_found_by_its_hook(lay: Callable[..., Path], editable: bool) -> None:
    lay(editable=editable)

    assert asked("acme-max").endswith(
        "Likely cause: acme-rules 1.5 has a plugin in module acme_rules and declares no entry point: write "
        '[project.entry-points."hoodoo.merger"] with NAME = "acme_rules" in its pyproject.toml and install it again'
    )


@pytest.mark.parametrize(
    "metadata",
    [
        {"module": "import hoodoo\n"},
        {"module": "from pluggy import HookimplMarker\nhookimpl = 1\n@hookimpl\ndef other_merger(): ...\n"},
        {"requires": "attrs"},
        {"requires": "hoodoo-core; extra == 'test'"},
        {"points": "[hoodoo.merger]\nacme-max = acme_rules\n"},
    ],
)
def test_applications_and_plugins_are_not_suspected(lay: Callable[..., Path], metadata: dict[str, str]) -> None:
    lay(**metadata)

    assert found() is None


def test_what_is_installed_here_is_not_suspected() -> None:
    assert undeclared_plugins() == []
