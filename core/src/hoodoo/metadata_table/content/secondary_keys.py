"""Keys of a secondary index: the value of a column and a record key, separated by `$`."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from hoodoo.errors import CorruptTableError
from hoodoo.metadata_table.content.flat_members import decode_member
from hoodoo.metadata_table.layers import Layer

__all__ = ["ENTRIES", "secondary_entries", "secondary_prefix"]

ENTRIES = pa.schema([pa.field("value", pa.string()), pa.field("key", pa.string())])
"""Columns of the entries of a secondary index: the value as text, null for a null, and the record key."""

_NULL = "\0"
_PATTERN = r"(?s)^(?P<value>(?:[^\\$]|\\.)*)\$(?P<key>.*)$"
_SPECIAL = re.compile(r"[\\$\0]")


def secondary_prefix(value: str | None) -> bytes:
    """Return the prefix of the index keys of a value, which is the escaped value and `$`; None stands for null."""
    escaped = _NULL if value is None else _SPECIAL.sub(lambda found: "\\" + found[0], value)
    return f"{escaped}$".encode()


def secondary_entries(layers: Sequence[Layer]) -> pa.Table:
    """Return the entries in layers as a table with the columns `ENTRIES`, without deleted entries.

    The layers must have one version of each key.

    Raises:
        CorruptTableError: A record or its key cannot be decoded.
    """
    parts = []
    for layer in (piece for whole in layers for piece in whole.pieces()):
        deleted = decode_member(layer, "SecondaryIndexMetadata", ["isDeleted"]).column(0).combine_chunks()
        keys = layer.cells.keys.filter(pc.invert(deleted)).cast(pa.string())
        found = pc.extract_regex(keys, _PATTERN)
        if found.null_count:
            raise CorruptTableError(
                f"{layer.what} has a key of a secondary index without '$'; restore the file", file=layer.file
            )
        value, key = (_unescaped(part) for part in found.flatten())
        is_null = pc.equal(found.field("value"), _NULL)
        parts.append(pa.Table.from_arrays([pc.if_else(is_null, None, value), key], schema=ENTRIES))
    return pa.concat_tables([ENTRIES.empty_table(), *parts])


def _unescaped(texts: pa.Array) -> pa.Array:
    return pc.replace_substring_regex(texts, r"(?s)\\(.)", r"\1")
