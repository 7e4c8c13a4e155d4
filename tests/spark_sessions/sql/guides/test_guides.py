"""The statements of public guides run with only names changed, or are refused with a reason."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from .collected import GUIDES
from .running import run_section
from .statement import Section

pytestmark = [
    pytest.mark.needs_pyspark("4.0"),
    # guides set options of the metadata table, and of shuffles
    pytest.mark.filterwarnings("ignore::hoodoo.options.parsing.parse.NoEffectWarning"),
]

SECTIONS = {f"{guide.name}: {section.title}": section for guide in GUIDES for section in guide.sections}


@pytest.mark.nightly
@pytest.mark.parametrize("section", SECTIONS.values(), ids=SECTIONS)
def test_the_statements_of_a_section_run(section: Section, spark: SparkSession, database: str, tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    wrong = run_section(spark, section, folder, Path(database))
    assert not wrong, "\n".join(wrong)
