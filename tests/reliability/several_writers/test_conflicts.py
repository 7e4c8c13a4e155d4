"""The tables of conflicts in the documentation match the code."""

from __future__ import annotations

import pytest

from tests.reliability.operations import KINDS

from .conflicts import PAGE, TABLES, matrix

pytestmark = pytest.mark.slow


@pytest.mark.representatives(title=["Copy-on-write"])
@pytest.mark.parametrize("title", TABLES)
def test_the_tables_of_the_page_are_right(title: str) -> None:
    section = f"<!-- conflicts: {title} -->\n{matrix(KINDS[TABLES[title]])}\n<!-- end -->"
    assert section in PAGE.read_text(encoding="utf-8"), "run: python -m tests.reliability.several_writers.conflicts"
