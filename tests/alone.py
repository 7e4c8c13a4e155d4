"""Test each plugin with the core and nothing else installed: `tox -e alone [-- plugins/merger/event-time ...]`.

Plugins, then the distributions of contrib, are installed and removed one after the other in the running environment,
which therefore must hold the core and no plugin. An import that one of them does not declare fails here. Contrib comes
last because what it depends on stays installed.
"""

from __future__ import annotations

import subprocess
import sys
import tomllib
from importlib.metadata import distributions
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NO_PIP_NOISE = ("--quiet", "--disable-pip-version-check", "--root-user-action=ignore")


def main(arguments: list[str]) -> int:
    """Test the given plugin folders, all by default; 1 if one failed."""
    strays = sorted({name for name in installed() if name.startswith("hoodoo-") and name != "hoodoo-core"})
    if strays:
        print(f"these plugins are installed already, use an environment without them: {', '.join(strays)}")
        return 2
    folders = [Path(argument).resolve() for argument in arguments]
    folders = folders or [
        file.parent
        for pattern in ("plugins/*/*/pyproject.toml", "contrib/*/pyproject.toml")
        for file in sorted(ROOT.glob(pattern))
    ]
    if not folders:
        print(f"no folder of a distribution under {ROOT}")
        return 2
    failed = [folder for folder in folders if not passes(folder)]
    for folder in failed:
        print(f"FAILED {folder}")
    print(f"{len(folders) - len(failed)} distributions passed alone, {len(failed)} failed")
    return 1 if failed else 0


def installed() -> list[str]:
    return [distribution.metadata["Name"].lower() for distribution in distributions()]


def passes(folder: Path) -> bool:
    """Install one plugin, run its tests, remove it."""
    name = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]["name"]
    print(f"--- {name}", flush=True)
    if not run("pip", "install", *NO_PIP_NOISE, "--no-build-isolation", str(folder)):
        return False
    try:
        return run("pytest", "-q", "-p", "no:cacheprovider", str(folder))
    finally:
        run("pip", "uninstall", *NO_PIP_NOISE, "--yes", name)


def run(module: str, *arguments: str) -> bool:
    return subprocess.run([sys.executable, "-m", module, *arguments], cwd=ROOT, check=False).returncode == 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
