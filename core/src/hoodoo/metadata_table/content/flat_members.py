"""Columnar decoder of the records of indexes that have one record per key.

In such a record one field has content and the other fields are null. It is decoded as a record of plain fields, in
which the branch number of the union precedes the fields of the content.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hoodoo.errors import CorruptTableError, SchemaError
from hoodoo.format.avro.flat_records import decode_flat
from hoodoo.format.avro.numpy_arrays import int64s
from hoodoo.format.avro.record_batches import AvroRecords
from hoodoo.format.avro.resolved_schema import AvroSchema, parse_schema
from hoodoo.metadata_table.layers import Layer

__all__ = ["decode_member"]

_BRANCH = "_branch"


def decode_member(layer: Layer, member: str, fields: Sequence[str]) -> pa.Table:
    """Return some fields of one member of each record, as columns.

    Args:
        layer: A layer with at least one record, without deletes.
        member: The field of the record with the content, a union of null and a record.
        fields: Names of fields of the content; the column of a field that the schema lacks is null.

    Raises:
        CorruptTableError: A record has other content, or does not match the schema.
    """
    try:
        schema, present, others = _flattened(layer.schema or "", member)
        there = [name for name in fields if name in present]
        names = [_BRANCH, *others, *(f"m_{name}" for name in there)]
        branches, *arrays = decode_flat(_records(layer.cells.values), schema, names)
        if not pc.all(pc.equal(branches, 1)).as_py():
            raise ValueError(f"it has no {member}")
        if any(array.null_count != len(array) for array in arrays[: len(others)]):
            raise ValueError(f"it has content other than {member}")
    except (ValueError, TypeError, LookupError, AttributeError, SchemaError, pa.ArrowException) as error:
        raise CorruptTableError(
            f"{layer.what} has a record of the metadata table that cannot be decoded: {error}; restore the file, or "
            "remove the metadata table and create it again",
            file=layer.file,
        ) from error
    found = dict(zip(there, arrays[len(others) :], strict=True))
    return pa.table([found.get(name, pa.nulls(len(layer.cells))) for name in fields], list(fields))


def _records(values: pa.Array) -> AvroRecords:
    """Return values with their lengths in the form of an Avro data block."""
    lengths = int64s(pc.binary_length(values))
    heads = pa.Array.from_buffers(pa.binary(4), len(values), [None, pa.py_buffer(lengths.astype(">u4").tobytes())])
    joined = pc.binary_join_element_wise(
        heads.cast(pa.large_binary()), values.cast(pa.large_binary()), pa.scalar(b"", pa.large_binary())
    )
    data = memoryview(joined.buffers()[2])[: int(lengths.sum()) + 4 * len(values)]
    return AvroRecords(data, np.asarray(lengths, np.int64))


@cache
def _flattened(text: str, member: str) -> tuple[AvroSchema, frozenset[str], tuple[str, ...]]:
    """Return a schema of plain fields, the fields of the content, and the other fields that must be null."""
    fields: list[dict[str, Any]] = []
    present: list[str] = []
    others: list[str] = []
    for entry in json.loads(text)["fields"]:
        name, type_ = entry["name"], entry["type"]
        if name == member:
            (content,) = (branch for branch in type_ if isinstance(branch, dict))
            if type_[0] != "null" or len(type_) != 2:
                raise ValueError(f"its schema has an unknown form of {member}")
            fields.append({"name": _BRANCH, "type": "long"})
            for inner in content["fields"]:
                present.append(inner["name"])
                fields.append({"name": f"m_{inner['name']}", "type": inner["type"]})
        elif isinstance(type_, list) and type_[0] == "null" and isinstance(type_[1], dict):
            others.append(name)
            fields.append({"name": name, "type": ["null", "long"]})
        else:
            fields.append({"name": name, "type": type_})
    if not present:
        raise ValueError(f"its schema has no {member}")
    schema = parse_schema(json.dumps({"type": "record", "name": "flat", "fields": fields}))
    if not schema.is_flat:
        raise ValueError(f"its schema has an unknown form of {member}")
    return schema, frozenset(present), tuple(others)
