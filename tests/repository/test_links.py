"""Links between the Markdown files of the repository lead to files and headings that exist.

`tox -e docs` checks the same for the site. This test needs no package of the site, and covers files outside of it.
"""

from __future__ import annotations

import functools
import os
import re
from collections import Counter
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
IGNORED = [".git", *(pattern.rstrip("/") for pattern in (ROOT / ".gitignore").read_text(encoding="utf-8").split())]

FENCE = re.compile(r"^(`{3,}).*?^\1\s*$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)")
HEADING = re.compile(r"^#{1,6} +(.+?) *#*$", re.MULTILINE)


def documents() -> Iterator[Path]:
    """Yield the Markdown files of the repository."""
    for place, folders, names in os.walk(ROOT):
        folders[:] = [name for name in folders if not any(fnmatch(name, pattern) for pattern in IGNORED)]
        yield from (Path(place, name) for name in names if name.endswith(".md"))


def anchors(text: str) -> set[str]:
    """Return the anchors that GitHub and the site give to the headings of a page."""
    counts: Counter[str] = Counter()
    found = set()
    for heading in HEADING.findall(FENCE.sub("", text)):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        slug = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
        found.add(f"{slug}-{counts[slug]}" if counts[slug] else slug)
        counts[slug] += 1
    return found


@functools.cache
def anchors_of(path: Path) -> set[str]:
    return anchors(path.read_text(encoding="utf-8"))


def broken_links(path: Path, text: str) -> Iterator[str]:
    """Yield the links of a page that lead to a missing file or heading."""
    for target, anchor in LINK.findall(FENCE.sub("", text)):
        if "://" in target or target.startswith("mailto:"):
            continue
        other = (path.parent / target).resolve() if target else path
        there = (
            anchors(text) if other == path else anchors_of(other) if other.suffix == ".md" and other.exists() else None
        )
        if not other.exists() or (anchor and there is not None and anchor not in there):
            yield f"{target}#{anchor}" if anchor else target


def test_links_between_documents_lead_somewhere():
    broken = [
        f"{path.relative_to(ROOT).as_posix()}: {link}"
        for path in documents()
        for link in broken_links(path, path.read_text(encoding="utf-8"))
    ]

    assert broken == []


@pytest.mark.parametrize(
    "link", ["nowhere.md", "#nowhere", "README.md#nowhere", "docs/nowhere/", "[a](README.md) [b](nowhere.md)"]
)
def test_a_broken_link_is_found(link):
    text = link if link.startswith("[") else f"# Here\n\n[text]({link})\n"

    assert len(list(broken_links(ROOT / "CHANGELOG.md", text))) == 1


@pytest.mark.parametrize(
    "link", ["README.md", "#here-and-there", "docs", "README.md#source-tree", "https://example.org/#x"]
)
def test_a_right_link_is_let_through(link):
    text = f"# `Here`, and *there*!\n\n[text]({link})\n\n```\n[no](link)\n```\n"

    assert list(broken_links(ROOT / "CHANGELOG.md", text)) == []


def test_repeated_headings_have_numbers():
    assert anchors("# A b\n## A b\n```\n# no heading\n```\n### A b #\n") == {"a-b", "a-b-1", "a-b-2"}
