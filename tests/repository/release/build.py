"""Build and check of a release: `tox -e release`.

It builds the wheel and the source distribution of each distribution into `build/release`, checks them with twine,
installs `hoodoo` into an empty environment, and runs the example of the README there. In that environment the
distributions of hoodoo come from the folder and from nowhere else; those of others come from the index. Nothing is
uploaded.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import venv
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.repository.release.distributions import ROOT, built_in, folders, name_of
from tests.repository.release.version import current_version, versions

__all__ = ["check_origin", "example_of_readme"]

OUTPUT = ROOT / "build/release"
_BUILDS = 2
"""The number of builds that run at the same time."""


def main() -> int:
    """Build, check, install and try the distributions; return 1 if their versions differ, and 0 otherwise.

    Raises:
        CalledProcessError: twine rejects a file.
        SystemExit: Another step failed.
    """
    if len(set(versions().values())) > 1:
        print("the distributions have different versions; run `tox -e version -- X.Y.Z`")
        return 1
    version = current_version()
    wheels = build(OUTPUT)
    files = sorted(OUTPUT.iterdir())
    subprocess.run([sys.executable, "-m", "twine", "check", "--strict", *map(str, files)], check=True)
    with tempfile.TemporaryDirectory() as folder:
        place = Environment(Path(folder))
        check_origin(place.install(OUTPUT, f"hoodoo=={version}"), wheels)
        place.check_plugins()
        place.check_example()
    print(f"hoodoo {version}: {len(files)} files in {OUTPUT.relative_to(ROOT)}; see docs/RELEASING.md")
    return 0


def build(output: Path) -> dict[str, Path]:
    """Build all distributions, the wheels from the source distributions, and return the wheels by name."""
    shutil.rmtree(output, ignore_errors=True)
    output.mkdir(parents=True)
    with ThreadPoolExecutor(_BUILDS) as pool:
        for _ in pool.map(lambda folder: _build(folder, output), folders()):
            pass
    wheels = {}
    for folder in folders():
        stem = f"{name_of(folder).replace('-', '_')}-{current_version()}"
        [wheel] = output.glob(f"{stem}-*.whl")
        if not (output / f"{stem}.tar.gz").exists():
            raise SystemExit(f"{stem}.tar.gz was not built")
        wheels[name_of(folder)] = wheel
    extra = len(list(output.iterdir())) - 2 * len(wheels)
    if extra:
        raise SystemExit(f"{output} has {extra} files that belong to no distribution")
    return wheels


def _build(folder: Path, output: Path) -> None:
    # the backends are installed here; an environment for each build takes longer than the builds
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(output), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(
            f"the build of {folder.relative_to(ROOT)} failed\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}"
        )


def check_origin(addresses: dict[str, str], wheels: dict[str, Path]) -> None:
    """Check that hoodoo, the core and all built-in plugins were installed, each from its wheel."""
    required = {"hoodoo", "hoodoo-core", *map(name_of, built_in())}
    found = {name: url for name, url in addresses.items() if name == "hoodoo" or name.startswith("hoodoo-")}
    if found.keys() != required:
        raise SystemExit(f"installed and required distributions differ: {sorted(found.keys() ^ required)}")
    for name, url in sorted(found.items()):
        if url != wheels[name].as_uri():
            raise SystemExit(f"{name} was not installed from {wheels[name].name}, but from {url}")


class Environment:
    """Virtual environment in which the built distributions are installed and checked."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.scripts = folder / "env" / ("Scripts" if os.name == "nt" else "bin")
        venv.create(folder / "env", with_pip=True, symlinks=os.name != "nt")

    def install(self, source: Path, requirement: str) -> dict[str, str]:
        """Install a distribution and its requirements from a folder and the index; return the addresses by name."""
        report = self.folder / "report.json"
        given = ("--quiet", "--find-links", str(source), "--report", str(report))
        self.run("python", "-m", "pip", "install", *given, requirement)
        self.run("python", "-m", "pip", "check")
        installed = json.loads(report.read_text(encoding="utf-8"))["install"]
        return {one["metadata"]["name"]: one["download_info"]["url"] for one in installed}

    def run(self, command: str, *arguments: str) -> str:
        """Run a command of the environment outside of the checkout, and return its standard output."""
        hidden = ("PYTHONPATH", "PYSPARK_PYTHON", "PYSPARK_DRIVER_PYTHON", "SPARK_HOME", "VIRTUAL_ENV")
        environment = {name: value for name, value in os.environ.items() if name not in hidden}
        environment["PATH"] = os.pathsep.join((str(self.scripts), environment["PATH"]))
        done = subprocess.run(
            [str(self.scripts / command), *arguments], cwd=self.folder, env=environment, capture_output=True, text=True
        )
        if done.returncode:
            raise SystemExit(f"{command} {arguments} failed\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}")
        return done.stdout

    def check_plugins(self) -> None:
        """Check that the command line lists all built-in plugins."""
        listed = json.loads(self.run("hoodoo", "plugins", "list", "--json"))
        found = {f"hoodoo-{plugin['family']}-{plugin['name']}" for plugin in listed}
        missing = {name_of(folder) for folder in built_in() if folder.parent.name != "library"} - found
        if missing:
            raise SystemExit(f"these plugins are installed and not listed: {sorted(missing)}")

    def check_example(self) -> None:
        """Run the first example of the README and compare its output."""
        script = self.folder / "example.py"
        script.write_text(example_of_readme(self.folder / "trips"), encoding="utf-8")
        shown = self.run("python", str(script))
        if not re.search(r"\|\s*t1\|\s*12\.5\|\s*200\|", shown) or "99.0" in shown:
            raise SystemExit(f"the example of the README shows other rows than it states:\n{shown}")


def example_of_readme(table: Path) -> str:
    """Return the first Python block of the README, with its table in another folder."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    block = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)[0]
    return block.replace("/tmp/trips", str(table))


if __name__ == "__main__":
    sys.exit(main())
