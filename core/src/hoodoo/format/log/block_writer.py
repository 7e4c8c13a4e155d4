"""Encoding of log blocks."""

from __future__ import annotations

import io
import struct
from collections.abc import Mapping, Sequence
from typing import Any

import fastavro
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from hoodoo.errors import DataError
from hoodoo.format.avro import record_batches as avro_records
from hoodoo.format.avro.logical_values import stored_values
from hoodoo.format.avro.resolved_schema import AvroType, parse_schema
from hoodoo.format.log import delete_block as deletes
from hoodoo.format.log.block import BlockType, HeaderKey
from hoodoo.format.log.block_checksum import CHECKSUMMED_TYPES, TRAILER_BYTES, with_checksum
from hoodoo.format.log.block_scanner import FORMAT_VERSION, MAGIC, ROLLBACK
from hoodoo.format.log.delete_encoder import EncodedOrdering, encode_deletes
from hoodoo.format.parquet.row_groups import row_groups
from hoodoo.schema.columns import one_array

__all__ = ["avro_data_block", "command_block", "delete_block", "encode_block", "parquet_data_block"]

_U32 = struct.Struct(">I")
_TWO_U32 = struct.Struct(">II")
_U64 = struct.Struct(">Q")


def encode_block(type_: BlockType, header: Mapping[int, str], content: bytes, *, checksum: bool = True) -> bytes:
    """Return a block with its frame, and with a checksum if one is requested and the type has space for it."""
    has_checksum = checksum and type_ in CHECKSUMMED_TYPES
    length = len(content) + (TRAILER_BYTES if has_checksum else 0)
    head = _TWO_U32.pack(FORMAT_VERSION, type_) + _entries(header) + _U64.pack(length)
    body = b"".join([head, with_checksum(head, content) if has_checksum else content, _entries({})])
    size = len(body) + _U64.size
    return b"".join([MAGIC, _U64.pack(size), body, _U64.pack(size + len(MAGIC))])


def avro_data_block(instant: str, rows: pa.Table, avro_schema: str, *, is_partial: bool = False) -> bytes:
    """Return a block of records in Avro.

    Args:
        instant: The time of the delta commit that writes the block.
        rows: The columns of the schema, in any order.
        avro_schema: The schema of the records, meta columns included.
        is_partial: Whether the records take the other columns of the table from an older version.

    Raises:
        DataError: A value does not match the schema.
    """
    schema = parse_schema(avro_schema)
    names = list(schema.fields)
    try:
        columns = [
            [_object(value, type_) for value in stored_values(one_array(rows.column(name)), type_).to_pylist()]
            for name, type_ in schema.fields.items()
        ]
        writer = fastavro.parse_schema(dict(schema.raw))
        content = io.BytesIO()
        content.write(_TWO_U32.pack(avro_records.CONTENT_VERSION, rows.num_rows))
        for values in zip(*columns, strict=True):
            record = io.BytesIO()
            fastavro.schemaless_writer(record, writer, dict(zip(names, values, strict=True)))
            content.write(_U32.pack(record.tell()))
            content.write(record.getvalue())
    except (pa.ArrowInvalid, ValueError, TypeError) as error:
        raise DataError(f"the rows do not match their Avro schema: {error}; correct the values") from error
    return encode_block(BlockType.AVRO_DATA, _data_header(instant, avro_schema, is_partial), content.getvalue())


def parquet_data_block(
    instant: str, rows: pa.Table, avro_schema: str, *, compression: str = "zstd", is_partial: bool = False
) -> bytes:
    """Return a block of records in Parquet, compressed with a codec; other arguments are those of `avro_data_block`."""
    content = io.BytesIO()
    records = rows.select(list(parse_schema(avro_schema).fields))
    with pq.ParquetWriter(
        content,
        records.schema,
        compression=compression,
        compression_level=1 if compression == "zstd" else None,
        write_page_checksum=True,
        store_schema=False,
    ) as writer:
        for part in row_groups(records):
            writer.write_table(part)
    return encode_block(BlockType.PARQUET_DATA, _data_header(instant, avro_schema, is_partial), content.getvalue())


def delete_block(
    instant: str,
    keys: pa.Array,
    partitions: pa.Array,
    ordering: Sequence[pa.Array],
    avro_schema: str,
    *,
    checksum: bool = True,
) -> bytes:
    """Return a block of deletes; two blocks if only some deletes have ordering values, and b"" without deletes.

    The Python package `hudi` reads ordering values of one type per block, and a missing value has another type.

    Args:
        instant: The time of the delta commit that writes the block.
        keys: Record keys.
        partitions: Partition paths.
        ordering: One array for each ordering field; an empty sequence for unconditional deletes. A delete with a null
            in one of the arrays is unconditional as well, and so is a delete whose only ordering value is the integer 0
            with at most 32 bits, which Hudi reads as no value.
        avro_schema: The schema of the table's records, meta columns included, for the header.
        checksum: Whether the block has a checksum.

    Raises:
        DataError: An ordering value has a type that a delete cannot have, or is out of its range.
    """
    values = EncodedOrdering(ordering)
    header: dict[int, str] = {HeaderKey.INSTANT_TIME: instant, HeaderKey.SCHEMA: avro_schema}
    present = values.present(len(keys))
    blocks = []
    for mask, ordered in ((present, True), (pc.invert(present), False)):
        if mask.true_count:
            entries = encode_deletes(
                keys.filter(mask), partitions.filter(mask), values.encoded(mask) if ordered else None
            )
            content = _TWO_U32.pack(deletes.CONTENT_VERSION, len(entries)) + entries
            blocks.append(encode_block(BlockType.DELETE, header, content, checksum=checksum))
    return b"".join(blocks)


def command_block(instant: str, target: str) -> bytes:
    """Return a block with which the rollback `instant` invalidates all blocks of `target`."""
    header: dict[int, str] = {
        HeaderKey.INSTANT_TIME: instant,
        HeaderKey.TARGET_INSTANT_TIME: target,
        HeaderKey.COMMAND_BLOCK_TYPE: ROLLBACK,
    }
    return encode_block(BlockType.COMMAND, header, b"")


def _data_header(instant: str, avro_schema: str, is_partial: bool) -> dict[int, str]:
    header: dict[int, str] = {HeaderKey.INSTANT_TIME: instant, HeaderKey.SCHEMA: avro_schema}
    return {**header, HeaderKey.IS_PARTIAL: "true"} if is_partial else header


def _object(value: Any, type_: AvroType) -> Any:
    """Return a value in the form that fastavro accepts: maps are dictionaries instead of pairs, at any depth."""
    if value is None or not type_.children:
        return value
    if type_.kind == "map":
        return {key: _object(item, type_.children[0]) for key, item in value}
    if type_.kind == "array":
        return [_object(item, type_.children[0]) for item in value]
    return {name: _object(item, child) for (name, item), child in zip(value.items(), type_.children, strict=True)}


def _entries(header: Mapping[int, str]) -> bytes:
    encoded = [_U32.pack(len(header))]
    for key, value in header.items():
        text = value.encode()
        encoded += [_TWO_U32.pack(key, len(text)), text]
    return b"".join(encoded)
