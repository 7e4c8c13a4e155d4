"""`hoodoo plugins new`: its output is a distribution whose test passes; invalid names are rejected."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from hoodoo.cli import main
from hoodoo.plugin.installed.families import FAMILIES


@pytest.fixture
def new(tmp_path, monkeypatch, capsys):
    """Return a function that runs `hoodoo plugins new` in an empty folder, and returns exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        with pytest.raises(SystemExit) as ended:
            main(["plugins", "new", *arguments])
        out, err = capsys.readouterr()
        return ended.value.code, out, err

    return run


def install(folder: Path, site: Path) -> None:
    """Copy a written distribution into a folder, as an installation does: its module, its entry points, its version."""
    project = tomllib.loads((folder / "pyproject.toml").read_text())["project"]
    [module] = folder.glob("src/*.py")
    site.joinpath(module.name).write_text(module.read_text())
    info = site / f"{module.stem}-0.1.0.dist-info"
    info.mkdir()
    requires = "".join(f"Requires-Dist: {requirement}\n" for requirement in project["dependencies"])
    info.joinpath("METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: 0.1.0\n{requires}")
    groups = project["entry-points"].items()
    info.joinpath("entry_points.txt").write_text(
        "".join(f"[{group}]\n{name} = {value}\n" for group, points in groups for name, value in points.items())
    )


@pytest.mark.nightly
@pytest.mark.slow
def test_every_family_has_a_template_whose_test_passes(new, tmp_path):
    """All tests run in one process, with warnings as errors; each plugin has a name that also occurs in its module."""
    names = dict(
        zip(
            FAMILIES, ("record", "outcome", "row", "option", "law", "target", "tables", "options-2", "log"), strict=True
        )
    )
    site = tmp_path / "site"
    site.mkdir()
    for family, name in names.items():
        code, _, err = new(family, name)
        assert (code, err) == (0, "")
        install(tmp_path / f"hoodoo-{family.replace('_', '-')}-{name}", site)

    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "pytest", "-q", "-rA", "-p", "no:cacheprovider", "."],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(site), os.environ.get("PYTHONPATH", "")])},
    )

    assert done.returncode == 0, done.stdout + done.stderr
    for family, name in names.items():
        distribution = f"hoodoo-{family.replace('_', '-')}-{name}"
        file = f"{distribution}/tests/{distribution.replace('hoodoo', 'test').replace('-', '_')}.py"
        assert re.search(rf"^PASSED {file}::", done.stdout, re.MULTILINE), file
    assert "test_law[REPLAY_SAFE]" in done.stdout


def test_the_next_commands_are_printed(new, tmp_path):
    code, out, _ = new("merger", "larger-fare")

    assert code == 0
    assert out.split("next:\n")[1].splitlines() == [
        "  pip install -e './hoodoo-merger-larger-fare[test]'",
        "  pytest ./hoodoo-merger-larger-fare",
        "  hoodoo plugins show merger:larger-fare",
    ]
    written = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file())
    assert written == sorted(re.findall(r"^wrote (.*)$", out, re.MULTILINE))
    assert len(written) == 4


def test_as_json_into_a_folder_of_choice(new, tmp_path):
    code, out, _ = new("pre_commit", "few-deletes", "--folder", str(tmp_path / "in" / "here"), "--json")

    made = json.loads(out)
    assert code == 0
    assert (made["distribution"], made["module"]) == ("hoodoo-pre-commit-few-deletes", "hoodoo_pre_commit_few_deletes")
    assert made["folder"] == str(tmp_path / "in" / "here")
    assert all(Path(file).is_file() for file in made["files"])
    assert made["next"][1] == f"pytest {tmp_path / 'in' / 'here'}"


def test_the_merger_is_a_class_of_ten_lines(new, tmp_path):
    new("merger", "larger-fare")
    text = (tmp_path / "hoodoo-merger-larger-fare/src/hoodoo_merger_larger_fare.py").read_text()

    body = text.partition("class ")[2].partition("\n\n\n@hookimpl")[0]
    assert len([line for line in body.splitlines() if line.strip()]) <= 10


def test_nothing_is_overwritten(new, tmp_path):
    file = tmp_path / "hoodoo-merger-larger-fare" / "mine.txt"
    file.parent.mkdir()
    file.write_text("mine")

    code, _, err = new("merger", "larger-fare")

    assert code == 1
    assert "'hoodoo-merger-larger-fare' exists already and is not overwritten" in err
    assert [path.name for path in file.parent.iterdir()] == ["mine.txt"]


@pytest.mark.parametrize(
    ("family", "name", "said"),
    [
        ("merger", "LargerFare", "lower-case letters and digits.*try 'larger-fare'"),
        ("merger", "larger_fare", "try 'larger-fare'"),
        ("merger", "larger--fare", "try 'larger-fare'"),
        ("merger", "9-lives", "begin with a letter$"),
        ("merger", "event-time", "'event-time' is a name of the official merger 'event-time'"),
        (
            "aggregate",
            "bool-or",
            "'bool-or' is a name of the official aggregate function 'bool-or'; choose another name",
        ),
        ("payload", "awsdmsavropayload", "the official payload 'aws-dms'"),
        ("mergers", "larger-fare", "there is no plugin family 'mergers'; the families are payload, merger"),
    ],
)
def test_names_that_cannot_be(new, tmp_path, family, name, said):
    code, _, err = new(family, name)

    assert code == 1
    assert re.search(said, err, re.MULTILINE), err
    assert list(tmp_path.iterdir()) == []


def test_a_name_that_an_installed_distribution_has_is_refused(new, tmp_path, monkeypatch):
    info = tmp_path / "site" / "acme_hudi-1.0.dist-info"
    info.mkdir(parents=True)
    info.joinpath("METADATA").write_text("Metadata-Version: 2.1\nName: acme-hudi\nVersion: 1.0\n")
    info.joinpath("entry_points.txt").write_text("[hoodoo.merger]\nlarger-fare = acme_hudi\n")
    monkeypatch.syspath_prepend(str(info.parent))

    code, _, err = new("merger", "larger-fare")

    assert code == 1
    assert "merger 'larger-fare' of acme-hudi is installed" in err
