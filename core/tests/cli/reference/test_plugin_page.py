"""The pages of the built-in plugins match the plugins."""

from __future__ import annotations

from pathlib import Path

import pytest

from hoodoo.cli.reference.plugin_page import FAMILIES_WITH_PAGES, plugin_pages
from hoodoo.record import Law

ROOT = Path(__file__).parents[4]
PLUGINS, PAGES = ROOT / "plugins", ROOT / "docs" / "plugins"

pytestmark = pytest.mark.skipif(not PLUGINS.is_dir(), reason="plugins and documentation are in the checkout only")


@pytest.fixture(scope="module")
def pages():
    return plugin_pages(PLUGINS)


def test_the_checked_in_pages_are_up_to_date(pages):
    stored = {path.name: path.read_text(encoding="utf-8") for path in PAGES.glob("*.md")}
    stale = sorted(name for name in {*stored, *pages} if stored.get(name) != pages.get(name))

    assert stale == [], "run: tox -e sync, or python -m hoodoo.cli.reference.plugin_page plugins docs/plugins"


def test_every_plugin_has_a_page_and_a_line_in_the_list(pages):
    folders = [
        folder for family in FAMILIES_WITH_PAGES for folder in (PLUGINS / family.name).iterdir() if folder.is_dir()
    ]
    names = {f"{folder.parent.name}-{folder.name}.md" for folder in folders}

    assert set(pages) == names | {"README.md"}
    assert all(f"]({name})" in pages["README.md"] for name in names)


def test_a_page_lists_options_aliases_and_laws(pages):
    page = pages["merger-event-time-partial.md"]

    assert page.startswith("# Merger `event-time-partial`\n")
    assert "| `partial` | `str` | required | Partial update mode: " in page
    assert "| `unavailable_value`, `hoodie.write.partial.update.unavailable.value` | `str` |" in page
    assert f"| idempotent | yes | {Law.IDEMPOTENT.value} |" in page
    assert f"| associative |  | {Law.ASSOCIATIVE.value} |" in page
    assert "`EVENT_TIME_ORDERING`" in pages["merger-event-time.md"]
    assert "## Laws" not in pages["keygen-simple.md"]
