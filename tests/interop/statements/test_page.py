"""docs/sql.md lists the differences that are tested."""

from __future__ import annotations

import re
from pathlib import Path

from .differences import DIFFERENCES

PAGE = Path(__file__).resolve().parents[3] / "docs" / "sql.md"


def test_the_table_of_differences_is_that_of_the_tests() -> None:
    text = PAGE.read_text(encoding="utf-8")
    table = text[text.index("| case | Hudi 1.2.0 | hoodoo |") :].partition("\n\n")[0]
    assert re.findall(r"^\| ([^|]+) \|", table, re.MULTILINE)[1:] == [each.name for each in DIFFERENCES]
