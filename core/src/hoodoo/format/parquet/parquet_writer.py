"""Writer of base files in Parquet."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Protocol

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from hoodoo.format.bloom import BloomFilter, filter_metadata
from hoodoo.format.parquet.dictionary_columns import low_cardinality_columns
from hoodoo.format.parquet.row_groups import row_groups
from hoodoo.schema.avro_encode import with_meta_fields
from hoodoo.schema.meta_columns import (
    COMMIT_SEQNO,
    FILE_NAME,
    META_COLUMNS,
    PARTITION_PATH,
    RECORD_KEY,
    REPEATED_COLUMNS,
    REPEATED_TYPE,
)
from hoodoo.storage import AlreadyExists, translate_os_errors

__all__ = ["BaseFileWriter", "NewFiles"]

# these columns have one value per file or per row: bounds are useless to readers and take time to compute
_WITHOUT_STATISTICS = (COMMIT_SEQNO, PARTITION_PATH, FILE_NAME)


class NewFiles(Protocol):
    """Files that can be created and removed, such as those of a storage."""

    def open_output(self, path: str) -> pa.NativeFile:
        """Open a new file for one streaming write."""
        ...

    def delete(self, path: str) -> None:
        """Remove a file, if it exists."""
        ...

    def sync(self, path: str) -> None:
        """Make a closed file durable, at once or later."""
        ...


class BaseFileWriter:
    """Writer of a base file: call `write` for each table, then `close` or `abort`.

    As a context manager it closes the file at the end, and aborts if the block raises. The file is durable once `close`
    returns, unless `files` defers that; `rows` and `size` (in bytes) are final then.

    Args:
        files: The table's files.
        path: Table-relative path of a file that does not exist.
        schema: The data columns; meta columns in it are ignored.
        avro_schema: The Avro schema of the data columns, for the footer.
        compression: A Parquet codec; zstd is used with its fastest level.
        bloom: A filter for the footer, in its state when the file is closed: the caller adds the keys of the rows.

    Raises:
        AlreadyExists: The file exists. In an object store, `write` or `close` raises this error instead.
    """

    def __init__(
        self,
        files: NewFiles,
        path: str,
        schema: pa.Schema,
        avro_schema: str,
        *,
        compression: str = "zstd",
        bloom: BloomFilter | None = None,
    ) -> None:
        self.path = path
        self.rows = 0
        self.size = 0
        self._files = files
        self._schema = _file_schema(schema)
        self._avro_schema = avro_schema
        self._compression = compression
        self._bloom = bloom
        self._bounds: tuple[str, str] | None = None
        self._writer: pq.ParquetWriter | None = None
        self._done = False
        self._exists = False
        self._sink = files.open_output(path)

    def __enter__(self) -> BaseFileWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()
        else:
            self.abort()

    def write(self, rows: pa.Table) -> None:
        """Append a table as one row group, or as several if values are so long that pages would be too large.

        Args:
            rows: The five meta columns and the data columns, in any order. Other types are cast if no value is lost;
                commit time, partition path and file name are fastest as dictionaries.

        Raises:
            pyarrow.ArrowInvalid: A value cannot be cast to its column's type, or is null in a required column.
            KeyError: A column is missing.
            StorageError: The store failed.
        """
        if not rows.num_rows:
            return
        if self._writer is None:
            # text columns that are dictionaries in the first table are written as dictionaries
            self._schema = _with_dictionaries_of(rows.schema, self._schema)
        table = self._fitted(rows)
        if self._writer is None:
            self._writer = self._open(low_cardinality_columns(table))
        keys = pc.min_max(table.column(RECORD_KEY))
        if keys["min"].is_valid:
            low, high = keys["min"].as_py(), keys["max"].as_py()
            bounds = self._bounds or (low, high)
            self._bounds = (_smaller(bounds[0], low), _larger(bounds[1], high))
        with self._written():
            for part in row_groups(table):
                self._writer.write_table(part, row_group_size=part.num_rows)
        self.rows += table.num_rows

    def close(self) -> None:
        """Finish the file and make it durable; without rows it is a valid file without row groups.

        The file is removed if this fails. A call after `close` or `abort` has no effect.

        Raises:
            StorageError: The store failed.
        """
        if self._done:
            return
        try:
            if self._writer is None:
                self._writer = self._open([])
            if self._bounds is not None:
                low, high = self._bounds
                self._writer.add_key_value_metadata({"hoodie_min_record_key": low, "hoodie_max_record_key": high})
            if self._bloom is not None:
                self._writer.add_key_value_metadata(filter_metadata(self._bloom))
            with self._written():
                self._writer.close()
                self.size = self._sink.tell()
                self._sink.close()
            self._files.sync(self.path)
        except BaseException:
            self.abort()
            raise
        self._done = True

    def abort(self) -> None:
        """Remove the file, even after `close`, unless it is that of another writer.

        Raises:
            StorageError: The store failed.
        """
        self._done = True
        for opened in (self._writer, self._sink):
            try:
                if opened is not None:
                    opened.close()
            except (OSError, pa.ArrowException):
                # the file is removed in any case, and the original error is reported
                continue
        if not self._exists:
            self._files.delete(self.path)

    @contextmanager
    def _written(self) -> Iterator[None]:
        """Translate errors, and note that the file existed before, which an object store reports late."""
        try:
            with translate_os_errors("write", self.path):
                yield
        except AlreadyExists:
            self._exists = True
            raise

    def _open(self, dictionaries: list[str]) -> pq.ParquetWriter:
        with translate_os_errors("write", self.path):
            writer = pq.ParquetWriter(
                self._sink,
                self._schema,
                compression=self._compression,
                compression_level=1 if self._compression == "zstd" else None,
                use_dictionary=[*_dictionaries(self._schema), *dictionaries],
                write_statistics=_bounded(self._schema),
                # zstd frames and plain pages have no checksum; this one costs 3 % of the time and detects bit flips
                write_page_checksum=True,
                # other writers do not store an Arrow schema, and it would restore dictionaries on reading
                store_schema=False,
            )
        writer.add_key_value_metadata(
            {"writer.model.name": "avro", "parquet.avro.schema": with_meta_fields(self._avro_schema)}
        )
        return writer

    def _fitted(self, rows: pa.Table) -> pa.Table:
        columns = []
        for field in self._schema:
            column = rows.column(field.name)
            if column.type != field.type:
                if pa.types.is_dictionary(field.type) and not pa.types.is_dictionary(column.type):
                    column = column.cast(pa.string()).dictionary_encode()
                column = column.cast(field.type)
            columns.append(column)
        return pa.Table.from_arrays(columns, schema=self._schema)


def _file_schema(schema: pa.Schema) -> pa.Schema:
    meta = [pa.field(name, REPEATED_TYPE if name in REPEATED_COLUMNS else pa.string()) for name in META_COLUMNS]
    return pa.schema(meta + [field for field in schema if field.name not in META_COLUMNS])


def _with_dictionaries_of(given: pa.Schema, schema: pa.Schema) -> pa.Schema:
    names = frozenset(_dictionaries(given))
    return pa.schema([f.with_type(REPEATED_TYPE) if f.type == pa.string() and f.name in names else f for f in schema])


def _dictionaries(schema: pa.Schema) -> list[str]:
    return [field.name for field in schema if pa.types.is_dictionary(field.type)]


def _bounded(schema: pa.Schema) -> list[str]:
    """Return the columns that have statistics.

    Nested columns have none, because no reader in hoodoo uses their statistics. Floats have none, because Arrow leaves
    NaN out of statistics: Spark, in which NaN is larger than any number, would not find the row in `x > 5`. Meta
    columns in `_WITHOUT_STATISTICS` have none either.
    """
    return [
        field.name
        for field in schema
        if not (pa.types.is_nested(field.type) or pa.types.is_floating(field.type))
        and field.name not in _WITHOUT_STATISTICS
    ]


def _smaller(left: str, right: str) -> str:
    return left if left.encode() <= right.encode() else right


def _larger(left: str, right: str) -> str:
    return left if left.encode() >= right.encode() else right
