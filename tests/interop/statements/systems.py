"""Two systems that execute SQL statements, and the rows that they read."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from pathlib import Path
from typing import Any

import pyarrow as pa
from attrs import define, field

import hoodoo
from tests.interop.comparing import parquet_table
from tests.interop.processes.hudi_side import HudiSide

__all__ = ["Hoodoo", "Hudi"]


@define
class Hudi:
    """SQL of Hudi.

    Attributes:
        side: The process that runs Hudi.
        folder: The folder for the Parquet files of the rows that `rows` returns.
        settings: Settings of the session for all statements.
    """

    side: HudiSide
    folder: Path
    settings: dict[str, str] = field(factory=dict)
    _numbers: Any = field(factory=count, init=False)

    def run(self, text: str, settings: Mapping[str, str] | None = None) -> list[dict[str, Any]]:
        """Execute a statement, and return its rows.

        Raises:
            HudiFailed: Hudi raises an error.
        """
        return self.side.sql([text], {**self.settings, **(settings or {})})

    def refresh(self, table: str) -> None:
        """Discard the list of files that Spark caches in a session, after another system wrote to the table."""
        self.run(f"REFRESH TABLE {table}")

    def rows(self, text: str) -> pa.Table:
        """Return the rows of a query."""
        to = self.folder / f"rows{next(self._numbers)}"
        self.side.query(text, to)
        return parquet_table(to)


@define
class Hoodoo:
    """SQL of hoodoo.

    Attributes:
        spark: The Spark session, in whose current database tables are named.
        settings: Settings of the session for all statements.
    """

    spark: Any
    settings: Mapping[str, str] = field(factory=dict)

    def run(self, text: str, settings: Mapping[str, str] | None = None) -> list[dict[str, Any]]:
        """Execute a statement, and return its rows.

        Raises:
            HoodooError: hoodoo refuses the statement, or fails.
        """
        given = {**self.settings, **(settings or {})}
        for name, value in given.items():
            self.spark.conf.set(name, value)
        try:
            return [row.asDict() for row in hoodoo.sql(self.spark, text).collect()]
        finally:
            for name in given:
                self.spark.conf.unset(name)

    def refresh(self, table: str) -> None:
        """Do nothing: each query reads the newest commit."""

    def rows(self, text: str) -> pa.Table:
        """Return the rows of a query."""
        return hoodoo.sql(self.spark, text).toArrow()
