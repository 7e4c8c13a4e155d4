"""Installation of wheels, by name, into fresh environments without the checkout."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

import pytest

from tests.repository.release.build import example_of_readme

pytestmark = pytest.mark.wheels

ROOT = Path(__file__).resolve().parents[3]
HERE = Path(__file__).parent
LIBRARIES = [file.parent for file in sorted(ROOT.glob("plugins/library/*/pyproject.toml"))]
PLUGINS = [file.parent for file in sorted(ROOT.glob("plugins/*/*/pyproject.toml")) if file.parent not in LIBRARIES]
CONTRIB = [file.parent for file in sorted(ROOT.glob("contrib/*/pyproject.toml"))]


class Place:
    """A fresh virtual environment with some of the wheels, and a working directory outside the checkout."""

    def __init__(self, folder: Path, wheels: Path, *requirements: str) -> None:
        self.folder = folder
        self.scripts = folder / "env" / ("Scripts" if os.name == "nt" else "bin")
        venv.create(folder / "env", symlinks=os.name != "nt")
        self.install(wheels, *requirements)

    def install(self, wheels: Path, *requirements: str) -> None:
        """Install by name, from the wheels alone. uv links files that several environments hold."""
        given = ("--quiet", "--no-config", "--no-index", "--find-links", str(wheels), "--cache-dir", str(wheels / "uv"))
        command = [sys.executable, "-m", "uv", "pip", "install", *given, "--python", str(self.folder / "env")]
        subprocess.run([*command, *requirements], cwd=self.folder, check=True)

    def run(self, command: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a script of the environment, with its standard output and errors as text."""
        hidden = ("PYTHONPATH", "PYSPARK_PYTHON", "PYSPARK_DRIVER_PYTHON", "SPARK_HOME", "VIRTUAL_ENV")
        environment = {name: value for name, value in os.environ.items() if name not in hidden}
        environment["PATH"] = os.pathsep.join((str(self.scripts), environment["PATH"]))
        return subprocess.run(
            [str(self.scripts / command), *arguments],
            cwd=self.folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    def output(self, command: str, *arguments: str) -> str:
        """Return the standard output of a command that must succeed."""
        done = self.run(command, *arguments)
        assert done.returncode == 0, (
            f"{command} {arguments} ended with {done.returncode}:\n{done.stdout}\n{done.stderr}"
        )
        return done.stdout

    def plugins(self) -> list[tuple[str, str]]:
        """Return family and name of each plugin that `hoodoo plugins list` shows."""
        listed = json.loads(self.output("hoodoo", "plugins", "list", "--json"))
        return sorted((plugin["family"], plugin["name"]) for plugin in listed)


def pip(*arguments: str) -> None:
    quiet = ("--quiet", "--disable-pip-version-check")
    subprocess.run([sys.executable, "-m", "pip", *quiet, *arguments], cwd=ROOT, check=True)


@pytest.fixture(scope="session")
def wheels(tmp_path_factory):
    """Return a folder with the wheels of the core, all plugins, all contributed distributions, and dependencies."""
    folder = tmp_path_factory.mktemp("wheels")
    sources = [f"./{plugin.relative_to(ROOT).as_posix()}" for plugin in LIBRARIES + PLUGINS + CONTRIB]
    into = ("--wheel-dir", str(folder))
    # the build and test requirements of new plugins are included
    pip("wheel", *into, "flit_core>=3.11", "./core[spark,test]")
    # separate build environments take longer than the builds
    pip("wheel", *into, "--no-build-isolation", "--find-links", str(folder), *sources)
    return folder


@pytest.fixture(scope="module")
def everything(tmp_path_factory, wheels):
    names = [f"hoodoo-{plugin.parent.name}-{plugin.name}" for plugin in PLUGINS]
    names += [f"hoodoo-{folder.name}" for folder in CONTRIB]
    return Place(tmp_path_factory.mktemp("everything"), wheels, "hoodoo-core[spark]", *names)


def test_core_alone(tmp_path, wheels):
    """The core can be imported without Spark, has no plugin, and names the package to install for one."""
    place = Place(tmp_path, wheels, "hoodoo-core")

    where = place.output("python", "-c", "import hoodoo, sys; print(hoodoo.__file__, 'pyspark' in sys.modules)")
    vectors = place.run("python", "-m", "hoodoo.testing.vectors", str(HERE / "vectors.json"))

    assert where.startswith(str(tmp_path))
    assert where.split()[-1] == "False"
    assert place.plugins() == []
    assert vectors.returncode == 1
    assert "pip install hoodoo-merger-event-time" in vectors.stdout
    assert vectors.stdout.splitlines()[-1] == "0 passed, 2 failed"


def test_a_new_plugin_of_every_family(tmp_path, wheels):
    """The distribution from `hoodoo plugins new` can be installed with the core alone, passes its test and is found."""
    place = Place(tmp_path, wheels, "hoodoo-core")
    families = ("payload", "merger", "keygen", "delete", "aggregate", "lock", "catalog", "pre_commit", "post_commit")
    made = [json.loads(place.output("hoodoo", "plugins", "new", family, "brand-new", "--json")) for family in families]
    folders = [str(place.folder / plugin["folder"]) for plugin in made]

    place.install(wheels, *(f"{folder}[test]" for folder in folders))

    assert "failed" not in place.output("pytest", "-q", *folders)
    assert place.plugins() == sorted((family, "brand-new") for family in families)


def test_core_and_one_plugin(tmp_path, wheels):
    """A plugin depends on the core, is found by name, and works without Spark."""
    place = Place(tmp_path, wheels, "hoodoo-merger-event-time")

    vectors = place.output("python", "-m", "hoodoo.testing.vectors", str(HERE / "vectors.json"))

    assert place.plugins() == [("merger", "event-time")]
    assert vectors.splitlines()[-1] == "2 passed, 0 failed"


def declared(folder: Path) -> list[tuple[str, str]]:
    """Return family and name of the plugins that a distribution declares."""
    project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    groups = {group.removeprefix("hoodoo."): names for group, names in project.get("entry-points", {}).items()}
    return [(family, name) for family, names in groups.items() if not family.endswith(".alias") for name in names]


def test_every_plugin_is_listed(everything):
    assert {(plugin.parent.name, plugin.name) for plugin in PLUGINS} <= set(everything.plugins())
    assert everything.plugins() == sorted(pair for folder in PLUGINS + CONTRIB for pair in declared(folder))


def test_spark_upserts_and_spark_and_duckdb_read(everything):
    assert everything.output("python", str(HERE / "upsert.py"), str(everything.folder / "t")) == "ok\n"


def test_the_example_of_the_readme_shows_what_it_says(everything):
    """The test runs the first Python block of the README, with its table in a folder of the test."""
    script = everything.folder / "example.py"
    script.write_text(example_of_readme(everything.folder / "trips"), encoding="utf-8")

    shown = everything.output("python", str(script))

    assert re.search(r"\|\s*t1\|\s*12\.5\|\s*200\|", shown)
    assert "99.0" not in shown
