"""Values that Arrow accepts and a table does not: strings that are not UTF-8, and maps with repeated keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hoodoo.schema.columns import is_text

__all__ = ["invalid_text", "repeated_map_keys"]

FEW_KEYS = 16
"""Maximum number of keys in a map that are compared pairwise; more keys are sorted, which is slower for few."""

Mask = NDArray[np.bool_]
Ints = NDArray[np.int64]


def invalid_text(values: pa.Array) -> Mask | None:
    """Return a mask of values that contain, at any depth, a string whose bytes are not UTF-8.

    Args:
        values: A column of any type.

    Returns:
        A mask of the values; None if all strings are valid.
    """
    if not _contains_type(values.type, is_text):
        return None
    try:
        values.validate(full=True)
    except pa.ArrowInvalid:
        # the invalid bytes may belong to a null or lie outside the slice
        found = _mask_at_any_depth(values, lambda part: _invalid_text_mask(part) if is_text(part.type) else None)
        return found if found.any() else None
    return None


def repeated_map_keys(values: pa.Array) -> Mask | None:
    """Return a mask of values that contain, at any depth, a map with a repeated key.

    Args:
        values: A column of any type.

    Returns:
        A mask of the values; None if no key is repeated.
    """
    if not _contains_type(values.type, pa.types.is_map):
        return None
    found = _mask_at_any_depth(values, lambda part: _repeated_key_mask(part) if pa.types.is_map(part.type) else None)
    return found if found.any() else None


def _contains_type(type_: pa.DataType, wanted: Callable[[pa.DataType], bool]) -> bool:
    if wanted(type_):
        return True
    if pa.types.is_dictionary(type_):
        return _contains_type(type_.value_type, wanted)
    return any(_contains_type(type_.field(place).type, wanted) for place in range(type_.num_fields))


def _mask_at_any_depth(values: pa.Array, found_in: Callable[[pa.Array], Mask | None]) -> Mask:
    """Return a mask of the values for which `found_in` is true of the value itself or of a nested value."""
    own = found_in(values)
    found = np.zeros(len(values), dtype=bool) if own is None else own
    for parents, part in _nested_arrays(values):
        found[parents[_mask_at_any_depth(part, found_in)]] = True
    return found


def _nested_arrays(values: pa.Array) -> Iterator[tuple[Ints, pa.Array]]:
    """Yield each nested array, after the positions of the parents of its entries.

    The entries of null parents are left out or null.
    """
    if pa.types.is_dictionary(values.type):
        parents = np.flatnonzero(values.is_valid().to_numpy(zero_copy_only=False))
        yield parents, values.dictionary.take(values.indices.drop_null())
    elif pa.types.is_struct(values.type):
        for part in values.flatten():
            yield np.arange(len(values)), part
    elif pa.types.is_fixed_size_list(values.type):
        parents = np.flatnonzero(values.is_valid().to_numpy(zero_copy_only=False))
        yield np.repeat(parents, values.type.list_size), values.flatten()
    elif pa.types.is_list(values.type) or pa.types.is_large_list(values.type) or pa.types.is_map(values.type):
        for part in (values.keys, values.items) if pa.types.is_map(values.type) else (values.values,):
            yield _in_lists(values, part)


def _in_lists(values: pa.Array, part: pa.Array) -> tuple[Ints, pa.Array]:
    """Return the position of the parent list or map of each entry, and the entries."""
    offsets = values.offsets.to_numpy()
    parents = np.repeat(np.arange(len(values)), np.diff(offsets))
    inside = part.slice(offsets[0], offsets[-1] - offsets[0])
    if values.null_count:
        is_valid = values.is_valid().to_numpy(zero_copy_only=False)[parents]
        if not is_valid.all():
            return parents[is_valid], inside.filter(pa.array(is_valid))
    return parents, inside


def _repeated_key_mask(maps: pa.Array) -> Mask:
    found = np.zeros(len(maps), dtype=bool)
    parents, keys = _in_lists(maps, maps.keys)
    longest = int(np.diff(maps.offsets.to_numpy()).max(initial=0))
    if longest < 2:
        return found
    encoded = keys.dictionary_encode()
    codes, number = encoded.indices.to_numpy(zero_copy_only=False), len(encoded.dictionary)
    if longest <= FEW_KEYS:
        for step in range(1, longest):
            same = np.flatnonzero(codes[step:] == codes[:-step])
            found[parents[same[parents[same] == parents[same + step]]]] = True
    else:
        pairs = np.sort(parents * number + codes)
        found[pairs[1:][pairs[1:] == pairs[:-1]] // number] = True
    return found


def _invalid_text_mask(texts: pa.Array) -> Mask:
    stored = texts.cast(pa.large_binary() if pa.types.is_large_string(texts.type) else pa.binary())
    return np.fromiter(
        (value is not None and _is_invalid_utf8(value) for value in stored.to_pylist()), bool, len(stored)
    )


def _is_invalid_utf8(value: bytes) -> bool:
    try:
        value.decode()
    except UnicodeDecodeError:
        return True
    return False
