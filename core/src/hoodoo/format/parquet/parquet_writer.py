"""Writing one base file."""

from __future__ import annotations

from types import TracebackType

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
from hoodoo.storage import Storage, translate_os_errors

__all__ = ["BaseFileWriter"]

# one value per file, or one per row: their bounds tell a reader nothing, and collecting them costs time
_WITHOUT_STATISTICS = (COMMIT_SEQNO, PARTITION_PATH, FILE_NAME)


class BaseFileWriter:
    """A base file while it is being written: `write` some tables, then `close`, or `abort`.

    As a context manager it closes at the end, and aborts where the block raises. The file is durable once `close`
    returns; `rows` and `size` (in bytes) are then final.

    Args:
        storage: The table's files.
        path: Table-relative path; there must be no such file.
        schema: The data columns; meta columns in it are ignored.
        avro_schema: The Avro schema of the data columns, for the footer.
        compression: A Parquet codec; zstd is used at its fastest level.
        bloom: A filter for the footer, as it is when the file is closed: whoever writes rows adds their keys to it.

    Raises:
        AlreadyExists: There is a file of this name.
    """

    def __init__(
        self,
        storage: Storage,
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
        self._storage = storage
        self._schema = _file_schema(schema)
        self._avro_schema = avro_schema
        self._compression = compression
        self._bloom = bloom
        self._bounds: tuple[str, str] | None = None
        self._writer: pq.ParquetWriter | None = None
        self._done = False
        self._sink = storage.open_output(path)

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
        """Append a table as one row group, or as several where values are so long that pages would be too large.

        Args:
            rows: The five meta columns and the data columns, in any order. Columns of other types are cast where that
                loses nothing; commit time, partition path and file name are cheapest as dictionaries.

        Raises:
            pyarrow.ArrowInvalid: A value does not fit its column, or is null where it must not be.
            KeyError: A column is missing.
        """
        if not rows.num_rows:
            return
        table = self._fitted(rows)
        if self._writer is None:
            self._writer = self._open(low_cardinality_columns(table))
        keys = pc.min_max(table.column(RECORD_KEY))
        if keys["min"].is_valid:
            low, high = keys["min"].as_py(), keys["max"].as_py()
            bounds = self._bounds or (low, high)
            self._bounds = (_smaller(bounds[0], low), _larger(bounds[1], high))
        with translate_os_errors("write", self.path):
            for part in row_groups(table):
                self._writer.write_table(part, row_group_size=part.num_rows)
        self.rows += table.num_rows

    def close(self) -> None:
        """Finish the file and make it durable; without any rows it is a valid file with no row group."""
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
            with translate_os_errors("write", self.path):
                self._writer.close()
                self.size = self._sink.tell()
                self._sink.close()
            self._storage.sync(self.path)
        except BaseException:
            self.abort()
            raise
        self._done = True

    def abort(self) -> None:
        """Remove the file; after `close` as well. A second call does nothing harmful."""
        self._done = True
        for opened in (self._writer, self._sink):
            try:
                if opened is not None:
                    opened.close()
            except (OSError, pa.ArrowException):
                # the file is removed in any case, and the failure that led here is the one to report
                continue
        self._storage.delete(self.path)

    def _open(self, dictionaries: list[str]) -> pq.ParquetWriter:
        with translate_os_errors("write", self.path):
            writer = pq.ParquetWriter(
                self._sink,
                self._schema,
                compression=self._compression,
                compression_level=1 if self._compression == "zstd" else None,
                use_dictionary=[*REPEATED_COLUMNS, *dictionaries],
                write_statistics=[path for path in _leaves(self._schema) if path not in _WITHOUT_STATISTICS],
                # zstd frames and plain pages have no checksum of their own; this one costs 3 % and shows flipped bits
                write_page_checksum=True,
                # the Arrow schema would be alien to other writers, and would restore the dictionaries on reading
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


def _leaves(schema: pa.Schema) -> list[str]:
    """Top-level columns; the leaves of nested ones go without statistics, which no reader of ours uses."""
    return [field.name for field in schema if not pa.types.is_nested(field.type)]


def _smaller(left: str, right: str) -> str:
    return left if left.encode() <= right.encode() else right


def _larger(left: str, right: str) -> str:
    return left if left.encode() >= right.encode() else right
