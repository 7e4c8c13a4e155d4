"""Requirements of `hoodoo`, metadata that an index shows, and the one version of all distributions."""

from __future__ import annotations

import re
import shutil

import pytest
from packaging.requirements import Requirement
from packaging.version import InvalidVersion, Version

from tests.repository.release.build import check_origin, example_of_readme
from tests.repository.release.distributions import ROOT, built_in, folders, module_file, name_of, project, sentence
from tests.repository.release.metadata import URLS, requirements, with_metadata
from tests.repository.release.version import current_version, move, versions

each_distribution = pytest.mark.parametrize("folder", folders(), ids=name_of)


@pytest.fixture
def copy(tmp_path):
    """Return a folder with copies of the files that contain versions, at the same relative paths."""
    files = [*(folder / "pyproject.toml" for folder in folders()), *versions(), *ROOT.glob("docs/*.md")]
    for pattern in ("tests/repository/third_party/*/pyproject.toml", "docs/cookbook/*/pyproject.toml"):
        files += ROOT.glob(pattern)
    for file in set(files):
        target = tmp_path / file.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, target)
    return tmp_path


def test_hoodoo_requires_the_core_with_spark_and_every_built_in_plugin():
    """`hoodoo` requires the core and the distribution in each folder under plugins, in its own version."""
    required = [Requirement(text) for text in project(ROOT)["dependencies"]]
    families = sorted(path.name for path in (ROOT / "plugins").iterdir() if path.is_dir())
    names = {f"hoodoo-{family}-{path.name}" for family in families for path in (ROOT / "plugins" / family).iterdir()}
    assert {one.name for one in required} == {"hoodoo-core", *names}
    assert len(required) == len(names) + 1
    assert [one.extras for one in required if one.name == "hoodoo-core"] == [{"spark"}]
    assert {str(one.specifier) for one in required} == {f"=={project(ROOT)['version']}"}
    assert project(ROOT)["dependencies"] == requirements(), "run `tox -e sync`"


@each_distribution
def test_a_distribution_has_what_an_index_shows(folder):
    declared = project(folder)
    dynamic = declared.get("dynamic", [])
    readme = declared["readme"]
    page = (folder / readme).read_text() if isinstance(readme, str) else readme["text"]
    assert isinstance(readme, str) or readme["content-type"] == "text/markdown"
    assert name_of(folder).removeprefix("hoodoo-") in page
    assert declared["license"] == "Apache-2.0"
    assert declared["urls"] == URLS
    assert {"Programming Language :: Python :: 3.11", "Topic :: Database"} <= set(declared["classifiers"])
    assert not any(name.startswith(("License", "Private")) for name in declared["classifiers"])
    assert "description" in dynamic or declared["description"]
    assert (folder / "pyproject.toml").read_text() == with_metadata(folder), "run `tox -e sync`"


def test_the_page_of_a_plugin_begins_with_its_sentence():
    for folder in built_in():
        assert project(folder)["readme"]["text"].splitlines()[:3] == [f"# {name_of(folder)}", "", sentence(folder)]


def test_all_distributions_have_one_version():
    assert len(versions()) == len(folders())
    assert set(versions().values()) == {current_version()}


def test_one_command_moves_all_versions_and_bounds(copy):
    old = current_version(copy)
    changed = move("7.4.0rc1", copy)
    assert set(versions(copy).values()) == {"7.4.0rc1"}
    assert old != "7.4.0rc1"
    for folder in folders(copy):
        # the file of the core has no version of a distribution
        assert folder == copy / "core" or folder / "pyproject.toml" in changed
        declared = project(folder)
        extras = [text for texts in declared.get("optional-dependencies", {}).values() for text in texts]
        for one in map(Requirement, declared.get("dependencies", []) + extras):
            if one.name.startswith("hoodoo") and str(one.specifier):
                assert one.specifier.contains(Version("7.4.0rc1"), prereleases=True), f"{folder}: {one}"
                assert not one.specifier.contains(Version(old)), f"{folder}: {one}"
                assert not one.specifier.contains(Version("8.0"), prereleases=True), f"{folder}: {one}"
        if folder == copy / "core":
            assert folder / "src/hoodoo/__about__.py" in changed
        elif folder != copy:
            assert module_file(folder) in changed
    left = [file for file in copy.rglob("*.toml") if re.search(r"hoodoo[\w-]*(\[\w+\])?(==|>=)0\.", file.read_text())]
    assert left == []
    assert move("7.4.0rc1", copy) == []


@pytest.mark.parametrize("text", ["next", "1.2.x", ""])
def test_a_text_that_is_no_version_changes_nothing(copy, text):
    with pytest.raises(InvalidVersion):
        move(text, copy)
    assert set(versions(copy).values()) == {current_version()}


@pytest.fixture
def wheels(tmp_path):
    """Return a path for the wheel of each distribution, by name; the wheels do not exist."""
    return {name_of(folder): tmp_path / f"{name_of(folder)}.whl" for folder in folders()}


def test_an_installation_of_hoodoo_is_checked_by_name_and_address(wheels):
    contributed = {"hoodoo-duckdb", "hoodoo-json-merge-patch", "hoodoo-validators"}
    installed = {name: wheel.as_uri() for name, wheel in wheels.items() if name not in contributed}
    check_origin({**installed, "pyarrow": "https://index/pyarrow.whl"}, wheels)
    for wrong, message in (
        ({**installed, "hoodoo-core": "https://index/hoodoo_core.whl"}, "hoodoo-core was not installed from"),
        ({**installed, "hoodoo-duckdb": wheels["hoodoo-duckdb"].as_uri()}, "hoodoo-duckdb"),
        ({name: url for name, url in installed.items() if name != "hoodoo-lock-zookeeper"}, "hoodoo-lock-zookeeper"),
    ):
        with pytest.raises(SystemExit, match=message):
            check_origin(wrong, wheels)


def test_the_readme_begins_with_an_installation_and_ten_lines(tmp_path):
    """`tox -e release` and `tox -e wheels` run these lines."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    first = readme.split("```")[1:4:2]
    assert first[0] == "shell\npip install hoodoo\n"
    code = example_of_readme(tmp_path)
    assert first[1].removeprefix("python\n").replace("/tmp/trips", str(tmp_path)) == code
    assert len([line for line in code.splitlines() if line]) <= 10
    assert "pip install tox && tox -e quickstart\npip install tox && tox\n" in "\n".join(readme.splitlines()[:40])
