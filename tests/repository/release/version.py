"""Change of the version of all distributions at once: `tox -e version -- 0.2.0`.

Without an argument it prints the version, and fails if the distributions differ. A version is written in the module of
each distribution, in the project file of `hoodoo` with the exact versions of its requirements, and as a range in the
project files that require the core or another distribution: from the minor version on, up to the next major one.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from packaging.version import InvalidVersion, Version

from tests.repository.release.distributions import ROOT, built_in, contributed, module_file

__all__ = ["current_version", "move", "versions"]

_IN_MODULE = re.compile(r'^(__version__ = )"([^"]+)"$', re.MULTILINE)
_IN_PROJECT = re.compile(r'^(version = )"([^"]+)"$', re.MULTILINE)
_EXACT = re.compile(r"(\bhoodoo[\w-]*(?:\[[\w,]+\])?==)([^\"]+)")
_RANGE = re.compile(r"(\bhoodoo-[\w-]+(?:\[[\w,]+\])?)>=\d[\w.]*,<\d[\w.]*")


def move(version: str, root: Path = ROOT) -> list[Path]:
    """Write a version into all files that have one; return the changed files.

    Raises:
        InvalidVersion: The text is not a version (PEP 440).
    """
    wanted = Version(version)
    # a pre-release is older than its minor version
    lowest = wanted if wanted.is_prerelease else f"{wanted.major}.{wanted.minor}"
    bound = f">={lowest},<{wanted.major + 1}"
    changed = []
    for file in _files(root):
        text = file.read_text(encoding="utf-8")
        if file.suffix == ".py":
            moved = _IN_MODULE.sub(rf'\g<1>"{wanted}"', text)
        else:
            moved = _RANGE.sub(rf"\g<1>{bound}", text)
            if file == root / "pyproject.toml":
                moved = _EXACT.sub(rf"\g<1>{wanted}", _IN_PROJECT.sub(rf'\g<1>"{wanted}"', moved))
        if moved != text:
            file.write_text(moved, encoding="utf-8")
            changed.append(file)
    return changed


def versions(root: Path = ROOT) -> dict[Path, str]:
    """Return the version of each distribution, by the file that has it."""
    found = {}
    for file in [root / "pyproject.toml", *_modules(root)]:
        pattern = _IN_MODULE if file.suffix == ".py" else _IN_PROJECT
        [(_, version)] = pattern.findall(file.read_text(encoding="utf-8"))
        found[file] = version
    return found


def current_version(root: Path = ROOT) -> str:
    """Return the version of the core."""
    return versions(root)[root / "core/src/hoodoo/__about__.py"]


def _modules(root: Path) -> list[Path]:
    others = [module_file(folder) for folder in built_in(root) + contributed(root)]
    return [root / "core/src/hoodoo/__about__.py", *others]


def _files(root: Path) -> Iterator[Path]:
    """Yield the files that may contain versions of the checkout's distributions, including pages and test data."""
    yield from _modules(root)
    yield from sorted(root.glob("*/pyproject.toml"))
    yield root / "pyproject.toml"
    for pattern in ("plugins/*/*", "contrib/*", "tests/repository/third_party/*", "docs/cookbook/*"):
        yield from sorted(root.glob(f"{pattern}/pyproject.toml"))
    for pattern in ("docs/*.md", "docs/cookbook/*.md", "docs/cookbook/*/*.md"):
        yield from sorted(root.glob(pattern))


def main(arguments: list[str]) -> int:
    """Change the version, or print it if there is no argument; return the exit code."""
    if arguments:
        try:
            changed = move(arguments[0])
        except InvalidVersion as error:
            print(f"{error}; give a version such as 0.2.0")
            return 2
        print(f"{len(changed)} files have version {Version(arguments[0])}; run `tox -e sync` and `tox`")
        return 0
    found = versions()
    if len(set(found.values())) > 1:
        for file, version in found.items():
            print(f"{file.relative_to(ROOT)}: {version}")
        return 1
    print(current_version())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
