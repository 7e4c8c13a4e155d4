"""Record keys of the rows that match a filter, for filters that determine them."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa

from hoodoo.plugin.installed.catalogue import default_catalogue
from hoodoo.properties import TableProperties
from hoodoo.reading.indexed.filter_tree import Column, FunctionCall, Literal, Node
from hoodoo.schema.meta_columns import RECORD_KEY
from hoodoo.table_rules.stored_keys import StoredKeys

__all__ = ["key_columns", "wanted_keys"]


def key_columns(properties: TableProperties, table: pa.Schema) -> dict[str, pa.DataType]:
    """Return the columns whose values, as text, are the record keys, with their types.

    These are the meta column with the key, unless the table leaves it empty, and a single key column whose text is the
    key. Columns that are neither strings nor integers are left out.

    Args:
        properties: The properties of the table.
        table: The columns of the table.
    """
    keys = StoredKeys.of_table(properties, default_catalogue())
    names = [] if keys.config is not None else [RECORD_KEY]
    if keys.twin is not None:
        names.append(keys.twin)
    elif keys.config is not None and not keys.is_composite:
        names.extend(keys.config.record_key)
    types = {name: table.field(name).type for name in names if name in table.names}
    return {name: type_ for name, type_ in types.items() if pa.types.is_string(type_) or pa.types.is_integer(type_)}


def wanted_keys(
    node: Node | None, columns: Mapping[str, pa.DataType], *, has_nulls: bool = False
) -> frozenset[str] | None:
    """Return a set that contains the keys of all rows that match a filter; None if the filter does not determine them.

    Args:
        node: The filter; None for an unknown one.
        columns: The result of `key_columns`; or one other column, whose values are then returned as text.
        has_nulls: Whether a value may be null. An IN list that contains null then determines nothing.
    """
    if not isinstance(node, FunctionCall):
        return None
    arguments = node.arguments
    if node.function in ("and_kleene", "or_kleene") and len(arguments) == 2:
        one, two = (wanted_keys(argument, columns, has_nulls=has_nulls) for argument in arguments)
        if node.function == "and_kleene":
            return one & two if one is not None and two is not None else (two if one is None else one)
        return one | two if one is not None and two is not None else None
    if node.function == "equal" and len(arguments) == 2:
        column, value = arguments if isinstance(arguments[0], Column) else arguments[::-1]
        if isinstance(column, Column) and column.name in columns and isinstance(value, Literal):
            return _texts([value.value], columns[column.name])
    if node.function == "is_in" and len(arguments) == 1:
        column = arguments[0]
        if isinstance(column, Column) and column.name in columns:
            values = node.options["value_set"].values
            return None if has_nulls and values.null_count else _texts(values, columns[column.name])
    return None


def _texts(values: pa.Array | list[pa.Scalar], type_: pa.DataType) -> frozenset[str] | None:
    """Return the values that are not null as text; None if the text may differ from that in a column of `type_`."""
    types = {values.type} if isinstance(values, pa.Array) else {value.type for value in values}
    is_text = all(pa.types.is_string(one) or pa.types.is_large_string(one) for one in types)
    is_number = all(pa.types.is_integer(one) for one in types)
    if not (is_text if pa.types.is_string(type_) else is_number):
        return None
    return frozenset(str(value.as_py()) for value in values if value.is_valid)
