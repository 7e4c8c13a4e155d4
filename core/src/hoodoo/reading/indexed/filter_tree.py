"""Structure of a row filter. pyarrow does not expose the parts of an expression, but its serialized form contains them.

The serialized form is a batch whose columns are the literals and the options of functions. The metadata of its schema
lists the parts in order, with repeated keys: the text of the schema is the only form that keeps the repetitions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from attrs import field, frozen

__all__ = ["FLIPPED", "Column", "FunctionCall", "Literal", "Node", "columns_of", "filter_tree"]

FLIPPED = {
    "equal": "equal",
    "not_equal": "not_equal",
    "less": "greater",
    "less_equal": "greater_equal",
    "greater": "less",
    "greater_equal": "less_equal",
}
"""For each comparison, the one that has the same result if the two arguments are exchanged."""

_HEADING = "-- schema metadata --\n"


@frozen
class Column:
    """Column of the table, by name."""

    name: str


@frozen
class Literal:
    """Constant in a filter, as an Arrow scalar."""

    value: pa.Scalar = field(eq=False)


@frozen
class FunctionCall:
    """Call of a function.

    Attributes:
        function: Name of the function in pyarrow.
        arguments: The arguments; None for those of an unknown form.
        options: The options of the call by name, as Arrow scalars.
    """

    function: str
    arguments: tuple[Node | None, ...]
    options: Mapping[str, Any] = field(factory=dict, eq=False)


Node = Column | Literal | FunctionCall


def filter_tree(condition: pc.Expression, schema: pa.Schema) -> Node | None:
    """Return the structure of a filter; None if its serialized form is unknown, for example with a later pyarrow.

    The result is also None if the name of a column contains a line break, or if the filter is a field of a struct.

    Args:
        condition: The filter as an expression of pyarrow.
        schema: The columns to which it may refer.
    """
    if any("\n" in name for name in schema.names):
        return None
    try:
        [buffer] = condition.__reduce__()[1]
        reader = pa.ipc.open_file(buffer)
        batch = reader.get_batch(0)
        text = reader.schema.to_string(show_field_metadata=False, show_schema_metadata=True, truncate_metadata=False)
        parts = _parts(text.split(_HEADING, 1)[1])
        node = _node(parts, batch)
    except (ValueError, LookupError, TypeError, AttributeError, StopIteration, pa.ArrowException):
        return None
    return node if next(parts, None) is None else None


def columns_of(node: Node | None) -> set[str]:
    """Return the names of the columns in a filter, except those of which only a field of a struct is used."""
    if isinstance(node, Column):
        return {node.name}
    return set().union(*map(columns_of, node.arguments)) if isinstance(node, FunctionCall) else set()


def _parts(text: str) -> Iterator[tuple[str, str]]:
    for line in text.splitlines():
        kind, _, value = line.partition(": ")
        yield kind, value[1:-1]


def _node(parts: Iterator[tuple[str, str]], batch: pa.RecordBatch) -> Node | None:
    """Return the next node; None for a field of a struct. Raise `ValueError` if no node begins with the next part."""
    kind, value = next(parts)
    if kind == "field_ref":
        return Column(value)
    if kind == "literal":
        return Literal(batch.column(int(value))[0])
    if kind == "nested_field_ref":
        for _ in range(int(value)):
            next(parts)
        return None
    if kind != "call":
        raise ValueError(kind)
    return _call(value, parts, batch)


def _call(function: str, parts: Iterator[tuple[str, str]], batch: pa.RecordBatch) -> FunctionCall:
    arguments: list[Node | None] = []
    options: Mapping[str, Any] = {}
    for kind, value in parts:
        if kind == "end":
            return FunctionCall(function, tuple(arguments), options)
        if kind == "options":
            scalar = batch.column(int(value))[0]
            options = dict(scalar.items())
        else:
            arguments.append(_node(chain([(kind, value)], parts), batch))
    raise ValueError(function)
