"""Contradictions between two descriptions of the columns of one file. A contradiction shows corruption.

Writers differ in how much they record, and tables evolve, so a column that only one description has is not a
contradiction. A similar name, or values of another kind, are contradictions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

import pyarrow as pa

from hoodoo.errors import SchemaError
from hoodoo.schema.avro_decode import from_avro

__all__ = ["columns_of", "contradiction", "looks_like"]


@lru_cache(maxsize=64)
def columns_of(text: str) -> pa.Schema:
    """Return the columns of an Avro schema written by another writer; results are cached.

    Raises:
        SchemaError: The text is not an Avro record schema, or has a type that Arrow tables cannot hold.
    """
    try:
        return from_avro(text)
    except SchemaError:
        raise
    except (TypeError, ValueError, LookupError, AttributeError, OverflowError, NotImplementedError) as error:
        raise SchemaError(f"the Avro schema is invalid: {error}", code="avro_schema") from error


def looks_like(text: str, other: str) -> bool:
    """Return whether two different texts of equal length differ in one character or are anagrams."""
    if len(text) != len(other) or text == other:
        return False
    return sum(one != two for one, two in zip(text, other, strict=True)) == 1 or sorted(text) == sorted(other)


def contradiction(
    stated: Iterable[pa.Field],
    found: Iterable[pa.Field],
    where: str = "",
    *,
    exact: bool = False,
    one_file: bool = False,
) -> str | None:
    """Return a message about the first contradiction between two descriptions of columns; None if both can hold.

    Args:
        stated: Columns of the first description.
        found: Columns of the second description.
        where: The dotted path of the column whose fields these are; "" for the columns of a file.
        exact: Whether a missing column contradicts any unknown column, not only one with a similar name.
        one_file: Whether both describe the bytes of one file. Implies `exact`; also, a column that may be null in
            `stated` must be nullable in `found`, and either both or neither have nanoseconds as unit. (Conversion from
            Avro schemas turns milliseconds into microseconds, so these two units are not compared.)
    """
    stated_fields, found_fields = {field.name: field for field in stated}, {}
    for field in found:
        if field.name in found_fields:
            return f"column '{_path(where, field.name)}' occurs twice"
        found_fields[field.name] = field
    unknown = sorted(found_fields.keys() - stated_fields.keys())
    is_lacking = bool(unknown) and not stated_fields.keys() <= found_fields.keys()
    similar = _spelling_index(unknown) if is_lacking and not (exact or one_file) else {}
    for name, field in stated_fields.items():
        path = _path(where, name)
        if name in found_fields:
            if one_file and field.nullable and not found_fields[name].nullable:
                return f"column '{path}' is required instead of nullable"
            inner = _type_contradiction(field.type, found_fields[name].type, path, exact, one_file)
            if inner is not None:
                return inner
        elif unknown:
            other = unknown[0] if exact or one_file else _similar_name(name, similar)
            if other is not None:
                return f"column '{path}' is called '{_path(where, other)}'"
    return None


def _spelling_index(names: Iterable[str]) -> dict[tuple[int, str], str]:
    """Return names by spellings that similar names share, so that a name is looked up and not compared with all."""
    found: dict[tuple[int, str], str] = {}
    for name in names:
        for spelling in _spellings(name):
            found.setdefault(spelling, name)
    return found


def _similar_name(name: str, index: Mapping[tuple[int, str], str]) -> str | None:
    """Return the first indexed name that is similar to a name, as in `looks_like`; None if there is none."""
    return min((index[spelling] for spelling in _spellings(name) if spelling in index), default=None)


def _spellings(name: str) -> Iterator[tuple[int, str]]:
    yield from ((at, name[:at] + name[at + 1 :]) for at in range(len(name)))
    yield -1, "".join(sorted(name))


def _path(where: str, name: str) -> str:
    return f"{where}.{name}" if where else name


def _type_contradiction(stated: pa.DataType, found: pa.DataType, path: str, exact: bool, one_file: bool) -> str | None:
    if pa.types.is_dictionary(found):
        found = found.value_type
    if pa.types.is_struct(stated) and pa.types.is_struct(found):
        return contradiction(stated, found, path, exact=exact, one_file=one_file)
    if _is_list(stated) and _is_list(found):
        # nullability of items is not compared: two-level lists cannot express it
        return _type_contradiction(stated.value_type, found.value_type, f"{path}[]", exact, one_file)
    if pa.types.is_map(stated) and pa.types.is_map(found):
        return _type_contradiction(stated.item_type, found.item_type, f"{path}{{}}", exact, one_file)
    if _kind(stated) != _kind(found) or (one_file and _has_nanos(stated) != _has_nanos(found)):
        return f"column '{path}' has type {found} instead of {stated}"
    return None


def _has_nanos(type_: pa.DataType) -> bool:
    return bool((pa.types.is_timestamp(type_) or pa.types.is_time(type_)) and type_.unit == "ns")


def _is_list(type_: pa.DataType) -> bool:
    return bool(pa.types.is_list(type_) or pa.types.is_large_list(type_))


def _kind(type_: pa.DataType) -> str:
    """Return the kind of a type; types that differ only in width or unit are of one kind."""
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
