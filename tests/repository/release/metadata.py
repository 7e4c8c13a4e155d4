"""Metadata that an index shows: page, license, classifiers and addresses of each distribution.

`python -m tests.repository.release.metadata` (part of `tox -e sync`) writes them into the project files, and the
dependencies of the distribution `hoodoo` into that of the checkout.
"""

from __future__ import annotations

import re
from pathlib import Path

from tests.repository.release.distributions import LIBRARY, ROOT, built_in, folders, name_of, sentence
from tests.repository.release.version import current_version

__all__ = ["requirements", "with_metadata"]

URLS = {"Homepage": "https://pypi.org/project/hoodoo/"}
"""Addresses of the project. The page of an index is the only public one; a public repository is added here."""

CLASSIFIERS = (
    "Development Status :: 4 - Beta",
    "Intended Audience :: Developers",
    "Operating System :: OS Independent",
    "Programming Language :: Python :: 3",
    "Programming Language :: Python :: 3.11",
    "Programming Language :: Python :: 3.12",
    "Programming Language :: Python :: 3.13",
    "Topic :: Database",
)
LICENSE = 'license = "Apache-2.0"'

_TEXT = re.compile(r'^readme\.content-type = .*\nreadme\.text = """\n.*?^"""\n', re.MULTILINE | re.DOTALL)
_LISTED = re.compile(r"^classifiers = \[.*?\]\n", re.MULTILINE | re.DOTALL)
_ADDRESSES = re.compile(r"^\[project\.urls\]\n(?:.+\n)*\n?", re.MULTILINE)
_DEPENDENCIES = re.compile(r"^dependencies = \[\n.*?^\]\n", re.MULTILINE | re.DOTALL)

CORE_PAGE = """\
# hoodoo-core

Apache Hudi tables in pure Python on Spark; the rule that decides which version of a record wins is a plugin.

`pip install hoodoo` installs this distribution with Spark and all built-in plugins. `hoodoo-core` alone has no plugin
and does not need Spark: `hoodoo.Table(path).to_arrow()` reads a table. Its extras are `spark`, `s3` and `test`.
"""


def page(folder: Path) -> str | None:
    """Return the page of a distribution in Markdown; None for a distribution with a README."""
    if (folder / "README.md").exists():
        return None
    if folder.name == "core":
        return CORE_PAGE
    name, family, plugin = name_of(folder), folder.parent.name, folder.name
    if family == LIBRARY:
        use = "This package is code that plugins of hoodoo share. pip installs it together with them."
    else:
        kind = _FAMILIES.get(family, family)
        use = (
            f"This is the {kind} `{plugin}` of hoodoo: Apache Hudi tables in pure Python on Spark.\n"
            "`pip install hoodoo` installs it together with the core, Spark and all other built-in plugins.\n"
            f"`hoodoo plugins show {plugin}` prints its options."
        )
    return f"# {name}\n\n{sentence(folder)}\n\n{use}\n"


_FAMILIES = {
    "aggregate": "aggregate function",
    "delete": "delete rule",
    "keygen": "key generator",
    "lock": "lock provider",
    "catalog": "catalog provider",
    "merger": "merge rule",
    "payload": "payload",
}


def with_metadata(folder: Path) -> str:
    """Return the project file of a distribution with current metadata."""
    text = (folder / "pyproject.toml").read_text(encoding="utf-8")
    lines = [f"{LICENSE}\n", "classifiers = [\n", *(f'  "{name}",\n' for name in CLASSIFIERS), "]\n"]
    shown = page(folder)
    if shown is not None:
        escaped = shown.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
        lines.insert(0, f'readme.content-type = "text/markdown"\nreadme.text = """\n{escaped}"""\n')
    addresses = "".join(f'{name} = "{url}"\n' for name, url in URLS.items())
    text = _ADDRESSES.sub("", _LISTED.sub("", _TEXT.sub("", text)))
    text = re.sub(rf"^{re.escape(LICENSE)}\n", "", text, flags=re.MULTILINE)
    text = re.sub(r"^(requires-python = .*\n)", lambda match: match[1] + "".join(lines), text, count=1, flags=re.M)
    # the table follows the keys of `project`, before the first other table
    head, start, rest = text.partition("[project]\n")
    own, table, others = rest.partition("\n[")
    return f"{head}{start}{own}\n[project.urls]\n{addresses}{table}{others}"


def requirements(root: Path = ROOT) -> list[str]:
    """Return the requirements of `hoodoo`: the core with Spark, and each built-in plugin, of the same version."""
    version = current_version(root)
    return [f"hoodoo-core[spark]=={version}", *(f"{name_of(folder)}=={version}" for folder in built_in(root))]


def with_requirements(text: str) -> str:
    """Return the project file of the checkout with the current requirements."""
    lines = "".join(f'  "{requirement}",\n' for requirement in requirements())
    return _DEPENDENCIES.sub(f"dependencies = [\n{lines}]\n", text, count=1)


def main() -> None:
    """Rewrite the project files."""
    for folder in folders():
        text = with_metadata(folder)
        (folder / "pyproject.toml").write_text(with_requirements(text) if folder == ROOT else text, encoding="utf-8")


if __name__ == "__main__":
    main()
