"""Columns that a row filter, a pyarrow expression, refers to."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from hoodoo.errors import SchemaError

__all__ = ["filter_columns"]


def filter_columns(condition: pc.Expression, schema: pa.Schema) -> list[str]:
    """Return the columns of a schema that a filter refers to, in the schema's order.

    An expression does not list its columns. They are found by applying it to empty tables that lack some of them.

    Raises:
        SchemaError: The filter refers to a column that the schema lacks, or compares types that cannot be compared.
    """
    empty = schema.empty_table()
    try:
        empty.filter(condition)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError) as error:
        raise SchemaError(
            f"the filter {condition} cannot be applied to the table: {error}; correct the filter", code="filter"
        ) from error
    # the text of an expression contains its column names; if a later pyarrow changes that, all columns are tried
    text = str(condition)
    named = empty.select([name for name in schema.names if name in text])
    likely = named if _fits(condition, named) else empty
    return _referred(condition, likely, likely.column_names)


def _referred(condition: pc.Expression, empty: pa.Table, names: Sequence[str]) -> list[str]:
    """Return the names that the condition refers to, by bisection, which is fast for few columns of many.

    Args:
        condition: A filter that can be applied to the table.
        empty: A table without rows, and without columns that are known to be unused.
        names: Some of the columns of `empty`.
    """
    others = frozenset(names)
    without = empty.select([name for name in empty.column_names if name not in others])
    if _fits(condition, without):
        return []
    if len(names) == 1:
        return list(names)
    middle = len(names) // 2
    first = _referred(condition, empty, names[:middle])
    left = without.column_names + first + list(names[middle:])
    return first + _referred(condition, empty.select(left), names[middle:])


def _fits(condition: pc.Expression, empty: pa.Table) -> bool:
    try:
        empty.filter(condition)
    except pa.ArrowInvalid:
        return False
    return True
