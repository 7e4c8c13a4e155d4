"""DataFrames whose `where` plans the query again, with fewer files.

A query is planned when its DataFrame is created, before the DataFrame is filtered. With a metadata table, a filter that
is given as text and can exclude files results in a new plan with fewer files, for the same state of the table. Spark
applies the filter to the rows as well.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pyarrow as pa
from attrs import frozen

from hoodoo.reading.indexed import FunctionCall, Node
from hoodoo.spark.narrowing.spark_filters import spark_filter

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

__all__ = ["Narrowing"]


@frozen
class Narrowing:
    """Function and state for planning a query again.

    Attributes:
        plan: Function that returns the rows of the query, and excludes files in which no row matches a filter.
        schema: The columns of the query.
        case_sensitive: Whether names of columns that differ by case are different.
        texts: The filters that were applied.
        node: The structure of all these filters, connected by AND; None without filters.
    """

    plan: Callable[[Node], DataFrame]
    schema: pa.Schema
    case_sensitive: bool
    texts: tuple[str, ...] = ()
    node: Node | None = None

    def of(self, frame: DataFrame) -> DataFrame:
        """Return the DataFrame, whose `where` and `filter` now plan again for a text that can exclude files."""
        # `where` of a DataFrame calls its `filter`
        plain = frame.filter

        def where(condition: Column | str) -> DataFrame:
            found = None
            if isinstance(condition, str):
                found = spark_filter(condition, self.schema, case_sensitive=self.case_sensitive)
            if found is None or not isinstance(condition, str):
                return plain(condition)
            return self._narrowed(condition, found)

        for name in ("where", "filter"):
            setattr(frame, name, where)
        return frame

    def _narrowed(self, text: str, found: Node) -> DataFrame:
        node = found if self.node is None else FunctionCall("and_kleene", (self.node, found))
        texts = (*self.texts, text)
        frame = self.plan(node)
        for one in texts:
            frame = frame.where(one)
        return Narrowing(self.plan, self.schema, self.case_sensitive, texts, node).of(frame)
