"""Assignment to fields of a struct."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from hoodoo.sql_text.placed_text import error_at

if TYPE_CHECKING:
    from pyspark.sql import Column
    from pyspark.sql.types import DataType

__all__ = ["Fields", "assigned_fields", "field_of"]

Fields = tuple[str, ...]
"""Path of a field in a struct: the names of the field of the column, of the field in this field, and so on."""


def field_of(path: str, type_: DataType, *, case_sensitive: bool = False) -> tuple[Fields, DataType]:
    """Return the names of the fields on a path below the column, in the table's spelling, and the type of the last one.

    Args:
        path: The column and the fields, with dots between them.
        type_: The type of the column.
        case_sensitive: Whether names that differ by case are different.

    Raises:
        StatementError: There is no such field, or a value on the path is not a struct.
    """
    column, *wanted = path.split(".")
    found: list[str] = []
    for name in wanted:
        place = ".".join([column, *found])
        if not isinstance(type_, StructType):
            raise error_at(
                f"'{place}' is of type {type_.simpleString()}, which has no field '{name}' that can be assigned; "
                "assign the whole value",
                path,
                code="column",
            )
        own = {name if case_sensitive else name.lower(): name for name in type_.names}
        spelled = own.get(name if case_sensitive else name.lower())
        if spelled is None:
            raise error_at(f"'{place}' has no field '{name}'; it has: {', '.join(type_.names)}", path, code="column")
        found.append(spelled)
        type_ = type_[spelled].dataType
    return tuple(found), type_


def assigned_fields(value: Column, type_: DataType, assigned: Mapping[Fields, Column]) -> Column:
    """Return a struct in which fields have new values. A struct that is null becomes one whose other fields are null.

    Args:
        value: The struct.
        type_: Its type.
        assigned: The new values, in the types of their fields.
    """
    assert isinstance(type_, StructType)
    made: list[Column] = []
    for field in type_.fields:
        own = value.getField(field.name)
        inside = {names[1:]: each for names, each in assigned.items() if names[0] == field.name}
        if () in inside:
            own = inside[()]
        elif inside:
            own = assigned_fields(own, field.dataType, inside)
        made.append(own.alias(field.name))
    return F.struct(*made)
