"""Whether two statements about the columns of one file contradict each other, as damaged ones do.

Writers differ in how much they state, and tables evolve: a column that only one side has proves nothing. A column that
is spelt differently, or whose values are of another kind, does.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import pyarrow as pa

from hoodoo.errors import SchemaError
from hoodoo.schema.avro_reading import from_avro

__all__ = ["columns_of", "contradiction", "looks_like"]


@lru_cache(maxsize=64)
def columns_of(text: str) -> pa.Schema:
    """The columns of an Avro schema that others wrote, for texts that come again and again.

    Raises:
        SchemaError: It is no Avro record, or has a type that Arrow tables cannot hold.
    """
    try:
        return from_avro(text)
    except SchemaError:
        raise
    except (TypeError, ValueError, LookupError, AttributeError, OverflowError, NotImplementedError) as error:
        raise SchemaError(f"the table's Avro schema is no Avro: {error!r}", code="avro_schema") from error


def looks_like(text: str, other: str) -> bool:
    """Whether two different texts are of one length, and one place differs or the same letters stand elsewhere."""
    if len(text) != len(other) or text == other:
        return False
    return sum(one != two for one, two in zip(text, other, strict=True)) == 1 or sorted(text) == sorted(other)


def contradiction(
    stated: Iterable[pa.Field], found: Iterable[pa.Field], where: str = "", *, exact: bool = False
) -> str | None:
    """What `found` contradicts in `stated`, for a message; None where both may be true.

    Args:
        stated: Columns as one place states them.
        found: Columns as another states them.
        where: The dotted path of the column whose fields these are.
        exact: A column that is not found contradicts where another one is, whatever that is called.
    """
    here, there = {field.name: field.type for field in stated}, {field.name: field.type for field in found}
    unknown = there.keys() - here.keys()
    for name, type_ in here.items():
        path = f"{where}.{name}" if where else name
        if name in there:
            inner = _inner(type_, there[name], path, exact)
            if inner is not None:
                return inner
        elif unknown:
            other = next((other for other in sorted(unknown) if exact or looks_like(name, other)), None)
            if other is not None:
                return f"column '{path}' is called '{other}'"
    return None


def _inner(stated: pa.DataType, found: pa.DataType, path: str, exact: bool) -> str | None:
    if pa.types.is_dictionary(found):
        found = found.value_type
    if pa.types.is_struct(stated) and pa.types.is_struct(found):
        return contradiction(stated, found, path, exact=exact)
    if _is_list(stated) and _is_list(found):
        return _inner(stated.value_type, found.value_type, f"{path}[]", exact)
    if pa.types.is_map(stated) and pa.types.is_map(found):
        return _inner(stated.item_type, found.item_type, f"{path}{{}}", exact)
    if _kind(stated) != _kind(found):
        return f"column '{path}' has type {found} instead of {stated}"
    return None


def _is_list(type_: pa.DataType) -> bool:
    return bool(pa.types.is_list(type_) or pa.types.is_large_list(type_))


def _kind(type_: pa.DataType) -> str:
    """What values are: wider and narrower ones, and those of another unit, are of one kind."""
    return next((kind for kind, check in _KINDS.items() if check(type_)), str(type_))


_KINDS = {
    "integer": pa.types.is_integer,
    "float": pa.types.is_floating,
    "timestamp": pa.types.is_timestamp,
    "time": pa.types.is_time,
    "bytes": lambda type_: (
        pa.types.is_string(type_)
        or pa.types.is_large_string(type_)
        or pa.types.is_binary(type_)
        or pa.types.is_large_binary(type_)
        or pa.types.is_fixed_size_binary(type_)
    ),
    "list": _is_list,
    "struct": pa.types.is_struct,
    "map": pa.types.is_map,
}
