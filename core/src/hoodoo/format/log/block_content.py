"""Content of log blocks: bytes, and the rows of data blocks."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa
import pyarrow.parquet as pq

from hoodoo.errors import CorruptTableError, SchemaError, UnsupportedTable
from hoodoo.format.avro.flat_records import decode_flat
from hoodoo.format.avro.nested_records import decode_nested
from hoodoo.format.avro.record_batches import read_records
from hoodoo.format.corruption import open_data_file, translate_read_errors
from hoodoo.format.log.block import BlockType, LogBlock
from hoodoo.format.log.block_checksum import is_intact as checksum_matches
from hoodoo.format.log.block_schema import block_schema
from hoodoo.format.parquet.footer_check import footer_contradiction
from hoodoo.format.parquet.parquet_reader import DEFAULT_BATCH_ROWS, open_parquet, read_parquet
from hoodoo.format.parquet.projection import null_table, project
from hoodoo.schema.consistency import columns_of, contradiction
from hoodoo.storage import Storage

__all__ = ["block_columns", "decode_data", "is_intact", "open_content", "read_content", "translate_content_errors"]

_KEPT = 8 * 1024 * 1024
"""Maximum size in bytes of a block that stays in memory after its checksum was computed."""


def read_content(storage: Storage, block: LogBlock) -> bytes:
    """Return the whole content of a block.

    Raises:
        CorruptTableError: The file is missing or shorter than before, or the checksum of the block does not match.
    """
    with open_content(storage, block) as content:
        return content.at(0, block.content_length)


def block_columns(storage: Storage, block: LogBlock) -> list[str]:
    """Return the column names of the records of a data block. Other columns are absent, which is not the same as null.

    Raises:
        CorruptTableError: The file is missing, or the block is corrupt.
        UnsupportedTable: The block is not an Avro or Parquet block, or has a column that Arrow tables cannot hold.
    """
    if block.type is BlockType.AVRO_DATA:
        return list(block_schema(block).fields)
    _check_type(block)
    with open_content(storage, block) as content:
        names: list[str] = open_parquet(content).schema_arrow.names
        return names


def decode_data(
    storage: Storage,
    block: LogBlock,
    schema: pa.Schema,
    *,
    batch_rows: int = DEFAULT_BATCH_ROWS,
    of_changes: bool = False,
) -> Iterator[pa.Table]:
    """Yield the rows of an Avro or Parquet data block, in their order.

    Args:
        storage: The table's files.
        block: An Avro or Parquet data block.
        schema: The columns to read, by name, as for base files. A column that the block lacks is null, even if the
            schema does not permit null: the records may be partial; see `block_columns`.
        batch_rows: Maximum number of rows in a table.
        of_changes: Whether a block of changes, which is encoded as an Avro block, is read as well.

    Yields:
        Non-empty tables of exactly the schema.

    Raises:
        CorruptTableError: The file is missing, or the block is corrupt.
        SchemaError: A column cannot be cast to its type in the schema.
        UnsupportedTable: The block is of another type, has Avro data of an unknown version, or has a column that Arrow
            tables cannot hold.
    """
    if not (of_changes and block.type is BlockType.CDC_DATA):
        _check_type(block)
    with open_content(storage, block) as content:
        if block.type is BlockType.PARQUET_DATA:
            file = open_parquet(content, schema)
            _check_footer(block, file, schema)
            yield from read_parquet(file, schema, str(block), batch_rows)
        else:
            yield from _decode_avro(block, content, schema, batch_rows)


def _decode_avro(block: LogBlock, content: BlockContent, schema: pa.Schema, batch_rows: int) -> Iterator[pa.Table]:
    stored = block_schema(block)
    decode = decode_flat if stored.is_flat else decode_nested
    columns = [name for name in schema.names if name in stored.fields]
    for records in read_records(content.at, block.content_length, batch_rows, str(block)):
        arrays = decode(records, stored, columns)
        if columns:
            yield project(pa.table(arrays, columns), schema, str(block))
        else:
            yield null_table(schema, len(records))


def _check_footer(block: LogBlock, file: pq.ParquetFile, schema: pa.Schema) -> None:
    """Raise `ValueError` if the columns differ from the schema in the footer or in the block header."""
    damage = footer_contradiction(file, schema)
    if damage is None and block.schema_text is not None:
        try:
            damage = contradiction(columns_of(block.schema_text), file.schema_arrow, one_file=True)
        except SchemaError as error:
            raise ValueError(f"the schema in its header is not valid Avro: {error}") from error
    if damage is not None:
        raise ValueError(f"by its own schema, {damage}")


def _check_type(block: LogBlock) -> None:
    if block.type is BlockType.HFILE_DATA:
        raise UnsupportedTable(
            f"{block} contains HFile data, which hoodoo cannot read; compact the table with Hudi", code="log_block"
        )
    if block.type not in (BlockType.AVRO_DATA, BlockType.PARQUET_DATA):
        raise UnsupportedTable(
            f"{block} is of type {block.type.name}, and only Avro and Parquet data blocks contain rows of the table; "
            "read the table with Hudi",
            code="log_block",
        )


@contextmanager
def translate_content_errors(block: LogBlock) -> Iterator[None]:
    """Turn errors of decoders about corrupt bytes into a `CorruptTableError` that names the block.

    Other errors are translated as in `translate_read_errors`.
    """
    with translate_read_errors(str(block), block.file, block.offset):
        try:
            yield
        except (ValueError, pa.ArrowIndexError, pa.ArrowTypeError) as error:
            text = f"{block} is damaged: {error}; restore the file"
            raise CorruptTableError(text, file=block.file, offset=block.offset) from error


@contextmanager
def open_content(storage: Storage, block: LogBlock) -> Iterator[BlockContent]:
    """Open the content of a block; it can be read until the context ends.

    Errors that the `with` block raises are translated as in `translate_content_errors`.

    Raises:
        CorruptTableError: The file does not exist or ends within the block, or the checksum of the block does not
            match.
    """
    with (
        translate_content_errors(block),
        open_data_file(storage, block.file, f"log file '{block.file}'") as source,
        BlockContent(source, block) as content,
    ):
        if not content.is_intact():
            raise ValueError("its checksum does not match")
        yield content


def is_intact(storage: Storage, block: LogBlock) -> bool:
    """Return whether the bytes of a block match its checksum; True for a block without a checksum.

    Raises:
        CorruptTableError: The file is missing, or shorter than before.
    """
    with (
        translate_content_errors(block),
        open_data_file(storage, block.file, f"log file '{block.file}'") as source,
        BlockContent(source, block) as content,
    ):
        return content.is_intact()


class BlockContent(io.RawIOBase):
    """File object of the content of one block; bytes are read on demand."""

    def __init__(self, source: pa.NativeFile, block: LogBlock) -> None:
        super().__init__()
        self._source = source
        self._block = block
        self._position = 0
        self._kept, self._kept_from = b"", 0

    def is_intact(self) -> bool:
        """Return whether the bytes match the checksum, if any. A small block stays in memory for decoding."""
        block = self._block
        if block.checksum is None:
            return True
        start, end = block.checked_offset, block.content_offset + block.content_length
        if end - start <= _KEPT:
            self._kept, self._kept_from = self._read(start, end - start), start
        return checksum_matches(self._read, start, end, block.checksum)

    def at(self, offset: int, length: int) -> bytes:
        """Return `length` bytes from an offset in the content; raise `ValueError` if the file ends before."""
        return self._read(self._block.content_offset + offset, length)

    def _read(self, offset: int, length: int) -> bytes:
        at = offset - self._kept_from
        if at >= 0 and at + length <= len(self._kept):
            return self._kept[at : at + length]
        found: bytes = self._source.read_at(length, offset)
        if len(found) < length:
            raise ValueError(f"the file ends at byte {offset + len(found)}")
        return found

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._position

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._block.content_length}[whence]
        self._position = start + offset
        return self._position

    def read(self, size: int | None = -1) -> bytes:
        left = max(self._block.content_length - self._position, 0)
        found = self.at(self._position, left if size is None or size < 0 else min(size, left))
        self._position += len(found)
        return found
