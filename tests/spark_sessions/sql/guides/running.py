"""Execution of the statements of a section."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import hoodoo
from hoodoo.errors import HoodooError

from .statement import Section, Statement

__all__ = ["run_section"]


def run_section(spark: SparkSession, section: Section, folder: Path, database: Path) -> list[str]:
    """Execute a section, and return a text for each statement that did not have the expected outcome.

    Args:
        spark: The session, whose current database is empty.
        section: The section, whose `needs` are executed first.
        folder: The folder that replaces `<folder>` in the statements.
        database: The folder of tables without a location.
    """
    wrong = []
    for text in section.needs:
        hoodoo.sql(spark, _filled(text, folder, database)).collect()
    for statement in section.statements:
        text = _filled(statement.text, folder, database)
        problem = _problem(spark, statement, text, section.is_python)
        if problem:
            wrong.append(f"{text}\n    {problem}")
    return wrong


def _problem(spark: SparkSession, statement: Statement, text: str, is_python: bool) -> str:
    """Execute a statement; return a text about an outcome that is not the expected one, or an empty text."""
    try:
        result = _call(spark, text) if is_python else hoodoo.sql(spark, text)
        rows = sorted(map(tuple, result.collect()), key=repr) if isinstance(result, DataFrame) else []
    except (HoodooError, PySparkException) as error:
        if statement.refused is None:
            return f"refused: {type(error).__name__}: {error}"
        return "" if statement.refused.lower() in str(error).lower() else f"another message: {error}"
    if statement.refused is not None:
        return "it runs"
    if statement.rows is not None and rows != sorted(statement.rows, key=repr):
        return f"rows: {rows}"
    return ""


def _call(spark: SparkSession, text: str) -> Any:
    """Evaluate a call, in which `spark.sql` executes a statement by hoodoo, and return its result."""

    class Session:
        """Session whose SQL is executed by hoodoo, as after `hoodoo.enable`."""

        table = staticmethod(spark.table)

        @staticmethod
        def sql(statement: str) -> DataFrame:
            return hoodoo.sql(spark, statement)

    return eval(text, {"hoodoo": hoodoo, "spark": Session, "col": F.col, "lit": F.lit, "max": F.max})


def _filled(text: str, folder: Path, database: Path) -> str:
    """Return a text with its placeholders replaced by the paths and instants of the test."""
    text = text.replace("<folder>/warehouse", str(database)).replace("<folder>", str(folder))
    if "<first>" in text or "<before>" in text:
        places = (folder / "parcels", database / "parcels")
        table = hoodoo.Table(next(path for path in places if path.exists()))
        first = table.timeline.commits[0].time
        text = text.replace("<first>", first).replace("<before>", f"{int(first) - 1}")
    return text
