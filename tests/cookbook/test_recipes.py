"""The recipes of docs/cookbook are distributions whose tests pass, and their pages show the files."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
import xml.etree.ElementTree as ElementTree
from collections import Counter
from pathlib import Path

import pytest

from hoodoo.cli.scaffold import NewPlugin
from hoodoo.plugin import Catalogue

from .pages import COOKBOOK, RECIPES, module_of, pages


def run(site: Path, folder: Path) -> Counter[tuple[str, str]]:
    """Run the tests of all recipes, fail if one fails, and count the results by recipe and outcome."""
    report = folder / "report.xml"
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", f"--junitxml={report}"],
        cwd=COOKBOOK,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(site), os.environ.get("PYTHONPATH", "")])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return Counter(
        (
            re.search(r"cookbook\.([\w-]+)\.tests", case.attrib["classname"])[1],
            next((part.tag for part in case), "passed"),
        )  # type: ignore[index]
        for case in ElementTree.parse(report).iter("testcase")
    )


@pytest.mark.nightly
@pytest.mark.slow
def test_recipes_pass_all_their_tests(site, tmp_path):
    results = run(site, tmp_path)

    assert {recipe for recipe, _ in results} == set(RECIPES)
    assert all(results[recipe, "passed"] > 10 for recipe in RECIPES), results


def test_there_are_twelve():
    assert len(RECIPES) == 12


@pytest.mark.slow
@pytest.mark.parametrize("recipe", RECIPES)
def test_a_recipe_is_what_the_command_writes(recipe, monkeypatch):
    """The names of its files, and its project file except dependencies, are those of `hoodoo plugins new`."""
    folder = COOKBOOK / recipe
    family = module_of(folder).stem.split("_")[1]
    files = NewPlugin.of(family, recipe, Catalogue()).files()
    found = {path.relative_to(folder).as_posix() for path in folder.rglob("*.*") if "__pycache__" not in path.parts}
    project, new = (
        tomllib.loads(text)
        for text in ((folder / "pyproject.toml").read_text(encoding="utf-8"), files["pyproject.toml"])
    )

    assert found == set(files)
    for text in (project, new):
        assert text["project"].pop("dependencies")[0] == "hoodoo-core>=0.1,<1"
        assert "hoodoo-core[test]" in text["project"].pop("optional-dependencies")["test"]
    assert project == new


def test_pages_show_the_files():
    for path, text in pages().items():
        assert path.read_text(encoding="utf-8") == text, f"{path}: run `tox -e sync`"


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_page_shows_the_module_and_the_test(recipe):
    text = (COOKBOOK / recipe / "README.md").read_text(encoding="utf-8")
    shown = re.findall(r"<!-- file: (\S+) -->", text)

    assert [file.partition("/")[0] for file in shown] == ["src", "tests"]
    assert f'"{recipe}"' in text.partition("## The module")[0], "the page does not show how the rule is selected"
    assert f"({recipe}/README.md)" in (COOKBOOK / "README.md").read_text(encoding="utf-8")
