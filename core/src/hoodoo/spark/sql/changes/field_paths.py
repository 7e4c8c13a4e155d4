"""Columns and fields of structs that a statement names, by their dotted paths."""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa
from attrs import frozen

from hoodoo.schema.struct_fields import ELEMENT, KEY, VALUE
from hoodoo.sql_text.fragment import Name

__all__ = ["FieldPath", "field_path", "struct_path"]


@frozen
class FieldPath:
    """Column of a table, or field of a struct in a column.

    Attributes:
        above: The path of the struct with a dot at its end, such as `s.`, `list.element.` or `map.value.`; "" for a
            column of the table.
        name: The name, in the case of the table.
        field: The Arrow field, with its type.
        siblings: The names of all columns of the table, or of all fields of the struct.
    """

    above: str
    name: str
    field: pa.Field
    siblings: tuple[str, ...]

    @property
    def path(self) -> str:
        """Return the dotted path."""
        return self.above + self.name

    def sibling(self, name: Name | str) -> str | None:
        """Return the name of a sibling, or of the field itself, in the case of the table; None if there is none."""
        return _match(self.siblings, str(name))


def field_path(schema: pa.Schema, column: Name) -> FieldPath:
    """Return the column of a table, or the field of a struct, that a name identifies.

    Raises:
        StatementError: The table has no such column or field, or a value on the path is not a struct.
    """
    above, fields = struct_path(schema, column)
    name = _match(fields, column.parts[-1])
    if name is None:
        what = (
            f"struct '{above[:-1]}' has no field '{column.parts[-1]}'; its fields are"
            if above
            else (f"the table has no column '{column}'; its columns are")
        )
        raise column.at.error(f"{what}: {', '.join(fields)}", code="column")
    return FieldPath(above, name, fields[name], tuple(fields))


def struct_path(schema: pa.Schema, column: Name) -> tuple[str, dict[str, pa.Field]]:
    """Return the path of the struct that contains a named field, with a dot at its end, and the fields of the struct.

    For a column of the table, return "" and the columns.

    Raises:
        StatementError: The table has no such struct, or a value on the path is not a struct.
    """
    above, type_ = "", schema
    for part in column.parts[:-1]:
        inside = _parts(type_)
        name = _match(inside, part)
        if name is None:
            owner = f"'{above[:-1]}'" if above else "the table"
            raise column.at.error(
                f"{owner} has no column or field '{part}'; it has: {', '.join(inside) or 'no fields'}",
                code="column",
            )
        above, type_ = f"{above}{name}.", inside[name].type
    if not _is_record(type_):
        raise column.at.error(
            f"'{above[:-1]}' is of type {type_}, and only structs have fields; the struct inside of an array is "
            f"its '{ELEMENT}', and the struct inside of a map is its '{VALUE}'",
            code="column",
        )
    return above, _parts(type_)


def _match(names: Iterable[str], wanted: str) -> str | None:
    return next((name for name in names if name.lower() == wanted.lower()), None)


def _is_record(type_: pa.DataType | pa.Schema) -> bool:
    return isinstance(type_, pa.Schema) or bool(pa.types.is_struct(type_))


def _parts(type_: pa.DataType | pa.Schema) -> dict[str, pa.Field]:
    """Return the fields with which a path can continue below a type, by name; empty for a plain type."""
    if _is_record(type_):
        return {field.name: field for field in type_}
    if pa.types.is_list(type_) or pa.types.is_large_list(type_):
        return {ELEMENT: type_.value_field}
    if pa.types.is_map(type_):
        return {KEY: type_.key_field, VALUE: type_.item_field}
    return {}
