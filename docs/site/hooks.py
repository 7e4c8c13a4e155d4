"""Hooks of MkDocs: pages from outside `docs`, pages of the Python API, and links as the repository has them.

Links in the repository are relative paths that any viewer of the checkout follows. On the site, those that lead to a
file without a page of its own lead to a page with the text of that file, and those to a folder lose their link.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
ELSEWHERE = {
    "README.md": "index.md",
    "docs/README.md": "all-pages.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "plugins/README.md": "plugin-folders.md",
    "contrib/README.md": "contrib/README.md",
    "tests/benchmarks/README.md": "benchmarks.md",
    **{
        f"contrib/{file.parent.name}/README.md": f"contrib/{file.parent.name}.md"
        for file in ROOT.glob("contrib/*/*.md")
    },
}
"""Pages that the site has under another path than `docs` has, by their path in the repository."""

FENCE = re.compile(r"^(```+).*?^\1\s*$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)#\s]+)(#[^)\s]*)?\)")


def on_config(config: MkDocsConfig) -> None:
    """Replace the patterns of the navigation by the pages that they match."""
    there = sorted({path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")} | set(ELSEWHERE.values()))

    def expand(items: list[Any]) -> Iterator[Any]:
        for item in items:
            if isinstance(item, dict):
                yield {title: list(expand(below)) for title, below in item.items()}
            elif "*" in item:
                yield from (path for path in there if fnmatch(path, item))
            else:
                yield item

    config.nav = list(expand(config.nav))


def on_files(files: Files, config: MkDocsConfig) -> None:
    """Add the pages from outside `docs`, those of the Python API, and the text of files that pages link to."""
    files.remove(files.src_uris["README.md"])
    for source, page in ELSEWHERE.items():
        files.append(File.generated(config, page, abs_src_path=str(ROOT / source)))
    for page in re.findall(r"'(api/[^']+)\.md'", str(config.nav)):
        module = page.removeprefix("api/")
        files.append(File.generated(config, f"{page}.md", content=f"# {module}\n\n::: {module}\n"))
    linked = {target for file in files.documentation_pages() for target in _targets(file)}
    for target in sorted(linked):
        if _page_of(target) not in files.src_uris:
            text = f"---\nsearch:\n  exclude: true\n---\n\n# {target.name}\n\n`{_place(target)}`\n\n{_fenced(target)}\n"
            files.append(File.generated(config, _page_of(target), content=text, inclusion=InclusionLevel.NOT_IN_NAV))


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str | None:
    """Return the text of a page with links to the pages of the site; None for a generated page, which is unchanged."""
    origin = _origin(page.file)
    if origin is None:
        return None
    folder = PurePosixPath(page.file.src_uri).parent

    def link(match: re.Match[str]) -> str:
        text, target, anchor = match[1], match[2], match[3] or ""
        path = (origin.parent / target).resolve()
        if "://" in target or not path.exists():
            return match[0]
        document = _document(path)
        if document is None:
            return text
        return f"[{text}]({os.path.relpath(_page_of(document), folder)}{anchor})"

    return _outside_code(markdown, lambda part: LINK.sub(link, part))


def _origin(file: File) -> Path | None:
    """Return the file of the repository that a page is made of; None for a generated one."""
    return None if file.abs_src_path is None else Path(file.abs_src_path)


def _targets(file: File) -> Iterator[Path]:
    """Yield the files of the repository that a page links to."""
    origin = _origin(file)
    if origin is not None:
        for _, target, _ in LINK.findall(FENCE.sub("", origin.read_text(encoding="utf-8"))):
            path = (origin.parent / target).resolve()
            document = _document(path) if "://" not in target and path.exists() else None
            if document is not None:
                yield document


def _document(path: Path) -> Path | None:
    """Return the file that a link to a path shows: for a folder its README or its only module, or None without one."""
    if path.is_file():
        return path
    found = list(path.glob("README.md")) or list(path.glob("src/*.py"))
    return found[0] if len(found) == 1 else None


def _place(document: Path) -> str:
    return document.relative_to(ROOT).as_posix()


def _page_of(document: Path) -> str:
    """Return the site's path of a file of the repository."""
    place = _place(document)
    if place in ELSEWHERE:
        return ELSEWHERE[place]
    return place.removeprefix("docs/") if document.suffix in (".md", ".svg") else f"source/{place}.md"


def _fenced(document: Path) -> str:
    return f"````{document.suffix.lstrip('.') or 'text'}\n{document.read_text(encoding='utf-8')}````"


def _outside_code(markdown: str, change: Callable[[str], str]) -> str:
    """Change the parts of a text that are not fenced code."""
    parts, end = [], 0
    for fence in FENCE.finditer(markdown):
        parts += [change(markdown[end : fence.start()]), fence[0]]
        end = fence.end()
    return "".join([*parts, change(markdown[end:])])
