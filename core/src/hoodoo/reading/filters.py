"""Row filters as pyarrow expressions: which columns they look at."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from hoodoo.errors import SchemaError

__all__ = ["filter_columns"]


def filter_columns(condition: pc.Expression, schema: pa.Schema) -> list[str]:
    """The columns of a schema that a filter refers to, in the schema's order.

    An expression does not tell: it is tried on no rows, with one column left out at a time.

    Raises:
        SchemaError: it refers to a column that the schema lacks, or compares values of types that cannot be compared.
    """
    empty = schema.empty_table()
    try:
        empty.filter(condition)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError) as error:
        raise SchemaError(f"the filter {condition} does not fit the table: {error}", code="filter") from error
    referred = []
    for name in schema.names:
        try:
            empty.drop_columns([name]).filter(condition)
        except pa.ArrowInvalid:
            referred.append(name)
    return referred
