"""The page of public guides lists the statements that tests run."""

from __future__ import annotations

from .collected import GUIDES
from .page import PAGE, page


def test_the_page_is_that_of_the_statements() -> None:
    command = "python -m tests.spark_sessions.sql.guides.page"
    assert PAGE.read_text(encoding="utf-8") == page(), f"run: {command}"


def test_enough_statements_are_collected_and_each_once_in_its_section() -> None:
    texts = [(section, s.text) for guide in GUIDES for section in guide.sections for s in section.statements]
    written = {text for _, text in texts if not text.lower().startswith(("select", "set", "reset", "spark.sql"))}
    assert len(written) >= 120
    for guide in GUIDES:
        for section in guide.sections:
            refused = [statement for statement in section.statements if statement.refused is not None]
            assert all(statement.instead for statement in refused), f"{guide.name}: {section.title}"
