"""Ranges of the columns of a base file, from its footer, and of a log, from the records of an instant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from hoodoo.format.file_names import is_log_file
from hoodoo.format.log import BlockType, LogBlock, decode_data, read_blocks
from hoodoo.format.log.block_schema import block_schema
from hoodoo.format.log.delete_schema import DELETES
from hoodoo.format.parquet.parquet_reader import DEFAULT_BATCH_ROWS, open_base_file
from hoodoo.metadata_table.maintenance.statistics.column_range import Bounds, ColumnRange, bounds_of, combined
from hoodoo.metadata_table.maintenance.statistics.indexed_columns import IndexedColumns
from hoodoo.metadata_table.maintenance.statistics.stored_type import UNKNOWN, StoredType, plain_value, stored_type
from hoodoo.schema.columns import column_at, field_at
from hoodoo.storage import Storage, name_of

__all__ = ["file_ranges"]

_JAVA = "parquet-mr"
"""Prefix of the name of the Parquet writer that leaves out the bounds of floats if one is NaN."""

_ZERO: Mapping[str, Bounds] = {
    "BOOLEAN": (False, False),
    **dict.fromkeys(("INT32", "INT64"), (0, 0)),
    **dict.fromkeys(("FLOAT", "DOUBLE"), (0.0, 0.0)),
}
"""Bounds of a column of nulls, by physical type, which Hudi writes and its validator compares.

Readers ignore them, because the numbers of nulls and values are equal.
"""


def file_ranges(
    storage: Storage, path: str, columns: IndexedColumns, instant: str | None, *, without_partial: bool = False
) -> list[ColumnRange]:
    """Return the ranges of the indexed columns of a file; none for a file without rows and deletes.

    The ranges of a log that has only deletes have no values.

    Args:
        storage: The table's files.
        path: Table-relative path of a base file or of a log.
        columns: The indexed columns.
        instant: The instant whose blocks of a log are read; None for all blocks.
        without_partial: Whether the result is empty for a log with records that lack columns.

    Raises:
        CorruptTableError: The file is missing or damaged.
        UnsupportedTable: The file or a block of it cannot be read.
        SchemaError: A column has several types in the blocks of a log, and none contains the others.
    """
    if is_log_file(name_of(path)):
        return _log_ranges(storage, path, columns, instant, without_partial)
    return _base_ranges(storage, path, columns)


def _base_ranges(storage: Storage, path: str, columns: IndexedColumns) -> list[ColumnRange]:
    def roots(schema: pa.Schema) -> list[str]:
        # only the metadata of checked columns may be read
        return list(dict.fromkeys(_root(schema, name) for name in columns.of(schema)))

    found = []
    with open_base_file(storage, path, roots) as file:
        schema = file.schema_arrow
        names = columns.of(schema)
        places = {leaf: place for place, leaf in enumerate(map(".".join, file.reader.column_paths))}
        groups = [file.metadata.row_group(number) for number in range(file.metadata.num_row_groups)]
        trusts_floats = (file.metadata.created_by or "").startswith(_JAVA)
        for name in names if groups else ():
            field, place = field_at(schema, name), places.get(name)
            if field is None or place is None:
                continue
            stored = stored_type(field.type, columns.version)
            if stored is None:
                continue
            chunks = [group.column(place) for group in groups]
            footer = None
            if trusts_floats or not pa.types.is_floating(field.type):
                footer = _footer_bounds(chunks, field.type, stored)
            bounds, nulls = footer or _read_bounds(file, name, stored)
            found.append(
                ColumnRange(
                    name,
                    stored,
                    bounds or _ZERO.get(chunks[0].physical_type),
                    sum(chunk.num_values for chunk in chunks),
                    nulls,
                    sum(chunk.total_compressed_size for chunk in chunks),
                    sum(chunk.total_uncompressed_size for chunk in chunks),
                )
            )
    return found


def _root(schema: pa.Schema, path: str) -> str:
    return path if path in schema.names else path.partition(".")[0]


def _footer_bounds(
    chunks: Sequence[pq.ColumnChunkMetaData], type_: pa.DataType, stored: StoredType
) -> tuple[Bounds, int] | None:
    """Return the bounds and the number of nulls according to the footer; None if it lacks one of them."""
    lows: list[Any] = []
    highs: list[Any] = []
    nulls = 0
    for chunk in chunks:
        found = chunk.statistics if chunk.is_stats_set else None
        if found is None or not found.has_null_count:
            return None
        nulls += found.null_count
        if found.has_min_max:
            lows.append(plain_value(found.min_raw, type_, stored))
            highs.append(plain_value(found.max_raw, type_, stored))
        elif found.null_count < chunk.num_values:
            return None
    if not lows:
        return None, nulls
    low, high = min(lows), max(highs)
    # a footer does not distinguish the two zeros of floats
    if isinstance(low, float):
        low, high = (-0.0 if low == 0.0 else low), high + 0.0
    return (low, high), nulls


def _read_bounds(file: pq.ParquetFile, name: str, stored: StoredType) -> tuple[Bounds, int]:
    """Return the bounds and the number of nulls of the values of a column."""
    parts = []
    for batch in file.iter_batches(DEFAULT_BATCH_ROWS, columns=[name], use_threads=False):
        values = column_at(batch, name)
        if values is not None and len(values):
            parts.append(ColumnRange(name, stored, bounds_of(values, stored), len(values), values.null_count))
    whole = combined(parts) if parts else ColumnRange(name, stored, None, 0, 0)
    return whole.bounds, whole.nulls


def _log_ranges(
    storage: Storage, path: str, columns: IndexedColumns, instant: str | None, without_partial: bool
) -> list[ColumnRange]:
    """Return the ranges of the records of a log; their sizes are 0."""
    parts: dict[str, list[ColumnRange]] = {}
    deletes = None
    for block in read_blocks(storage, path):
        if not isinstance(block, LogBlock) or (instant is not None and block.instant != instant):
            continue
        if block.is_partial and without_partial:
            return []
        if block.type is BlockType.DELETE:
            deletes = deletes or block
        elif block.type in (BlockType.AVRO_DATA, BlockType.PARQUET_DATA):
            for found in _block_ranges(storage, block, columns):
                parts.setdefault(found.column, []).append(found)
    if parts or deletes is None:
        return [combined(found) for found in parts.values()]
    # statistics without values for a log of deletes permit readers to skip the slice
    names = columns.of(_schema(deletes)) if _has_schema_of_rows(deletes) else columns.names
    return [ColumnRange(name, UNKNOWN[columns.version], None, 0, 0) for name in names or ()]


def _has_schema_of_rows(deletes: LogBlock) -> bool:
    """Return whether a block of deletes has the schema of the table; the crate hudi-core writes that of the deletes."""
    text = deletes.schema_text
    return text is not None and f'"{DELETES["name"]}"' not in text


def _block_ranges(storage: Storage, block: LogBlock, columns: IndexedColumns) -> list[ColumnRange]:
    schema = _schema(block)
    names = [name for name in columns.of(schema) if field_at(schema, name) is not None]
    roots = pa.schema([schema.field(root) for root in dict.fromkeys(_root(schema, name) for name in names)])
    types = {name: stored_type(field_at(schema, name).type, columns.version) for name in names}  # type: ignore[union-attr]
    parts: dict[str, list[ColumnRange]] = {}
    for rows in decode_data(storage, block, roots):
        for name, stored in types.items():
            values = column_at(rows, name)
            if stored is not None and values is not None:
                found = ColumnRange(name, stored, bounds_of(values, stored), len(values), values.null_count)
                parts.setdefault(name, []).append(found)
    return [combined(found) for found in parts.values()]


def _schema(block: LogBlock) -> pa.Schema:
    return pa.schema([(name, type_.arrow) for name, type_ in block_schema(block).fields.items()])
