"""Locations of record keys, from the record index."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from attrs import evolve

from hoodoo.format.avro.numpy_arrays import int64s
from hoodoo.format.hfile import Cells
from hoodoo.metadata_table.content.flat_members import decode_member
from hoodoo.metadata_table.layers import Layer

__all__ = ["LOCATIONS", "record_locations"]

LOCATIONS = pa.schema(
    [
        pa.field("key", pa.string()),
        pa.field("partition", pa.string()),
        pa.field("file_id", pa.string()),
        pa.field("instant", pa.timestamp("ms", "UTC")),
    ]
)
"""Columns of record locations. The instant is that of the commit, converted to UTC by its writer."""

_FIELDS = ("partitionName", "fileIdHighBits", "fileIdLowBits", "fileIndex", "fileId", "instantTime", "fileIdEncoding")
_NO_INDEX = -1
_HEX = np.frombuffer(b"0123456789abcdef", np.uint8)
# positions of the digits of a UUID between its dashes
_DIGITS = np.array([place for place in range(36) if place not in (8, 13, 18, 23)])


def record_locations(layers: Sequence[Layer]) -> pa.Table:
    """Return the locations in layers as a table with the columns `LOCATIONS`.

    The layers must have one version of each key, and no deletes.

    Raises:
        CorruptTableError: A record cannot be decoded.
    """
    parts = [_locations(piece) for layer in layers for piece in layer.pieces()]
    return pa.concat_tables([LOCATIONS.empty_table(), *parts])


def _locations(layer: Layer) -> pa.Table:
    # all keys of a file group that one commit added have the same value: each value is decoded once
    values = layer.cells.values.dictionary_encode()
    found = _decoded(evolve(layer, cells=Cells(values.dictionary, values.dictionary)))
    columns = [column.combine_chunks().take(values.indices) for column in found.columns]
    return pa.Table.from_arrays([layer.cells.keys.cast(pa.string()), *columns], schema=LOCATIONS)


def _decoded(layer: Layer) -> pa.Table:
    """Return the locations without the keys."""
    rows = decode_member(layer, "recordIndexMetadata", _FIELDS).combine_chunks()
    columns = {name: rows.column(name).combine_chunks() for name in rows.column_names}
    high, low = (int64s(columns[name].fill_null(0)) for name in ("fileIdHighBits", "fileIdLowBits"))
    index = columns["fileIndex"].cast(pa.int64()).fill_null(_NO_INDEX)
    ids = _uuids(high, low)
    ids = pc.if_else(
        pc.equal(index, _NO_INDEX), ids, pc.binary_join_element_wise(ids, index.cast(pa.string()), pa.scalar("-"))
    )
    text = columns["fileId"].cast(pa.string())
    is_text = pc.equal(columns["fileIdEncoding"].cast(pa.int64()).fill_null(0), 1)
    return pa.Table.from_arrays(
        [
            columns["partitionName"].cast(pa.string()),
            pc.if_else(is_text, text, ids),
            columns["instantTime"].cast(pa.int64()).cast(LOCATIONS.field("instant").type),
        ],
        schema=pa.schema(list(LOCATIONS)[1:]),
    )


def _uuids(high: np.ndarray, low: np.ndarray) -> pa.Array:
    """Return UUIDs as text, each from its high and its low 64 bits."""
    octets = np.stack([high, low], axis=1).astype(">i8").view(np.uint8).reshape(len(high), 16)
    text = np.full((len(high), 36), ord("-"), np.uint8)
    text[:, _DIGITS[0::2]] = _HEX[octets >> 4]
    text[:, _DIGITS[1::2]] = _HEX[octets & 15]
    return (
        pa.Array.from_buffers(pa.binary(36), len(high), [None, pa.py_buffer(text.tobytes())])
        .cast(pa.binary())
        .cast(pa.string())
    )
