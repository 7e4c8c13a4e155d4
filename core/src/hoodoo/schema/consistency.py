"""Whether two statements about the columns of one file contradict each other, as damaged ones do.

Writers differ in how much they state, and tables evolve: a column that only one side has proves nothing. A column that
is spelt differently, or whose values are of another kind, does.
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
    stated: Iterable[pa.Field],
    found: Iterable[pa.Field],
    where: str = "",
    *,
    exact: bool = False,
    one_file: bool = False,
) -> str | None:
    """Find what `found` contradicts in `stated`; returns it for a message, and None where both may be true.

    Args:
        stated: Columns as one place states them.
        found: Columns as another states them.
        where: The dotted path of the column whose fields these are.
        exact: A column that is not found contradicts where another one is, whatever that is called.
        one_file: Both describe the bytes of one file: as `exact`, and what may be null in one may be so in the other,
            and both or none count nanoseconds. (Avro schemas are read without their milliseconds.)
    """
    here, there = {field.name: field for field in stated}, {}
    for field in found:
        if field.name in there:
            return f"column '{_path(where, field.name)}' comes twice"
        there[field.name] = field
    unknown = sorted(there.keys() - here.keys())
    lacks = bool(unknown) and not here.keys() <= there.keys()
    spelt = _spelt(unknown) if lacks and not (exact or one_file) else {}
    for name, field in here.items():
        path = _path(where, name)
        if name in there:
            if one_file and field.nullable and not there[name].nullable:
                return f"column '{path}' must not be null"
            inner = _inner(field.type, there[name].type, path, exact, one_file)
            if inner is not None:
                return inner
        elif unknown:
            other = unknown[0] if exact or one_file else _alike(name, spelt)
            if other is not None:
                return f"column '{path}' is called '{_path(where, other)}'"
    return None


def _spelt(names: Iterable[str]) -> dict[tuple[int, str], str]:
    """Index names by what they have in common with names that look like them, so that each is compared once."""
    found: dict[tuple[int, str], str] = {}
    for name in names:
        for spelling in _spellings(name):
            found.setdefault(spelling, name)
    return found


def _alike(name: str, spelt: Mapping[tuple[int, str], str]) -> str | None:
    """Return the first of the indexed names that looks like another one, see `looks_like`."""
    return min((spelt[spelling] for spelling in _spellings(name) if spelling in spelt), default=None)


def _spellings(name: str) -> Iterator[tuple[int, str]]:
    yield from ((at, name[:at] + name[at + 1 :]) for at in range(len(name)))
    yield -1, "".join(sorted(name))


def _path(where: str, name: str) -> str:
    return f"{where}.{name}" if where else name


def _inner(stated: pa.DataType, found: pa.DataType, path: str, exact: bool, one_file: bool) -> str | None:
    if pa.types.is_dictionary(found):
        found = found.value_type
    if pa.types.is_struct(stated) and pa.types.is_struct(found):
        return contradiction(stated, found, path, exact=exact, one_file=one_file)
    if _is_list(stated) and _is_list(found):
        # whether items may be null is not compared: lists of two levels cannot state it
        return _inner(stated.value_type, found.value_type, f"{path}[]", exact, one_file)
    if pa.types.is_map(stated) and pa.types.is_map(found):
        return _inner(stated.item_type, found.item_type, f"{path}{{}}", exact, one_file)
    if _kind(stated) != _kind(found) or (one_file and _has_nanos(stated) != _has_nanos(found)):
        return f"column '{path}' has type {found} instead of {stated}"
    return None


def _has_nanos(type_: pa.DataType) -> bool:
    return bool((pa.types.is_timestamp(type_) or pa.types.is_time(type_)) and type_.unit == "ns")


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
