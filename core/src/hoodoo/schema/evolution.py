"""Schema evolution: compatibility of incoming columns with a table, and the resulting schema."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
from attrs import frozen

from hoodoo.errors import SchemaError
from hoodoo.schema.column_ids import ColumnsChange
from hoodoo.schema.struct_fields import with_inner_types

__all__ = ["WidensColumns", "changed_columns", "evolved_schema", "is_wider", "same_type"]

_WIDER = {
    (pa.int32(), pa.int64()),
    (pa.int32(), pa.float64()),
    (pa.float32(), pa.float64()),
}


@frozen
class WidensColumns:
    """Option of a write: a column of the table gets the type of the incoming rows if `is_wider` accepts that type."""


def changed_columns(table: pa.Schema, change: ColumnsChange) -> pa.Schema:
    """Return the columns of a table after a change.

    Raises:
        SchemaError: A column or field to place, or its left neighbour, is missing.
    """
    return pa.schema(_changed(list(table), "", change))


def is_wider(type_: pa.DataType, stored: pa.DataType) -> bool:
    """Return whether all readers read values of a stored type unchanged after the column got another, wider type.

    This holds for 32-bit integers only. Readers disagree about a stored 32-bit float in a 64-bit column: for 0.1,
    Hudi's readers return 0.1, and others 0.10000000149011612.
    """
    return (stored, type_) in _WIDER and stored == pa.int32()


def evolved_schema(incoming: pa.Schema, table: pa.Schema, *, widens: bool = False) -> pa.Schema:
    """Return the table's schema after a write: its columns, then the new columns, which are nullable.

    Args:
        incoming: The columns of the rows.
        table: The columns of the table.
        widens: Whether a column of the table gets the type of the rows if `is_wider` accepts that type.

    Raises:
        SchemaError: A column's type is incompatible, a required column is missing, or a column occurs twice or differs
            only in case from a column of the table; the message lists all problems.
    """
    problems = []
    known = frozenset(table.names)
    lower = {name.lower(): name for name in known}
    for name in incoming.names:
        if incoming.get_field_index(name) < 0:
            problems.append(f"column '{name}' occurs twice: rename one of them")
        elif name not in known and name.lower() in lower:
            problems.append(
                f"column '{name}' differs from the table's column '{lower[name.lower()]}' only in case: rename it"
            )
    for field in table:
        index = incoming.get_field_index(field.name)
        if index < 0:
            if not field.nullable:
                problems.append(f"column '{field.name}' is missing and the table requires it: add it")
            continue
        type_ = incoming.field(index).type
        problem = _problem(type_, field.type)
        if widens and is_wider(type_, field.type):
            table = table.set(table.get_field_index(field.name), field.with_type(type_))
        elif problem:
            problems.append(f"column '{field.name}' {problem}")
    if problems:
        raise SchemaError(f"the rows do not fit the table: {'; '.join(problems)}", code="schema_fit")
    added = [field.with_nullable(True) for field in incoming if field.name not in known]
    return pa.schema([*table, *added])


def same_type(left: pa.DataType, right: pa.DataType) -> bool:
    """Return whether two types hold the same values; names of list items and inner nullability are ignored."""
    if pa.types.is_list(left) or pa.types.is_large_list(left):
        return (pa.types.is_list(right) or pa.types.is_large_list(right)) and same_type(
            left.value_type, right.value_type
        )
    if pa.types.is_map(left):
        return (
            pa.types.is_map(right)
            and same_type(left.key_type, right.key_type)
            and same_type(left.item_type, right.item_type)
        )
    if pa.types.is_struct(left):
        return (
            pa.types.is_struct(right)
            and [f.name for f in left] == [f.name for f in right]
            and all(same_type(a.type, b.type) for a, b in zip(left, right, strict=True))
        )
    return bool(left == right)


def _changed(fields: Sequence[pa.Field], above: str, change: ColumnsChange) -> list[pa.Field]:
    """Return the fields of a record after a change; `above` is the path of the record with a dot at its end, or ""."""
    found = {}
    for field in fields:
        path = above + field.name
        if path not in change.dropped:
            named = field.with_name(change.renamed.get(path, field.name)).with_type(_inner(field.type, path, change))
            found[path] = named.with_nullable(True) if path in change.nullable else named
    found |= {path: field for path, field in change.added.items() if _record_of(path) == above}
    for path, after in change.placed.items():
        if _record_of(path) == above:
            missing = [each for each in (path, above + after if after else path) if each not in found]
            if missing:
                wanted = f"after '{after}'" if after else "first"
                raise SchemaError(
                    f"column '{path}' cannot be placed {wanted}: the table has no column '{missing[0]}'; run the "
                    "statement again with columns that exist, because another writer may have changed the table",
                    code="column",
                )
            moved = found.pop(path)
            place = list(found).index(above + after) + 1 if after else 0
            items = list(found.items())
            found = dict([*items[:place], (path, moved), *items[place:]])
    return list(found.values())


def _inner(type_: pa.DataType, path: str, change: ColumnsChange) -> pa.DataType:
    if pa.types.is_struct(type_):
        return pa.struct(_changed(list(type_), f"{path}.", change))
    return with_inner_types(type_, path, lambda inner, at: _inner(inner, at, change))


def _record_of(path: str) -> str:
    """Return the path of the record that contains a field, with a dot at its end; "" for a column."""
    return path[: path.rfind(".") + 1]


def _problem(incoming: pa.DataType, table: pa.DataType) -> str | None:
    if same_type(incoming, table) or (incoming, table) in _WIDER:
        return None
    if pa.types.is_decimal(incoming) and pa.types.is_decimal(table):
        if incoming.scale <= table.scale and incoming.precision - incoming.scale <= table.precision - table.scale:
            return None
        return f"has type {incoming} and the table has {table}: digits would be lost; cast it"
    if (table, incoming) in _WIDER:
        return f"has type {incoming} and the table has the narrower {table}; cast it to {table}"
    return f"has type {incoming} and the table has {table}; cast it"
