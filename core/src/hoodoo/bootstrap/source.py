"""Rows that a bootstrap copies: the files below a folder, with columns from the footers of all files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pyarrow as pa
from attrs import frozen

from hoodoo.bootstrap.file_format import file_columns, file_rows
from hoodoo.bootstrap.full_record import check_folders, check_mode, source_format
from hoodoo.bootstrap.source_files import SourceFile, check_place, source_files
from hoodoo.errors import SchemaError
from hoodoo.options import BootstrapOptions, Options
from hoodoo.schema.meta_columns import META_COLUMNS
from hoodoo.storage import Storage, parent_of, storage_for

__all__ = ["BootstrapSource", "bootstrap_source"]

FOOTER_THREADS = 16
"""The number of footers that are read concurrently, to overlap the latency of an object store."""


@frozen
class BootstrapSource:
    """Files to copy, with their columns. Processes of Spark receive this object by value.

    Attributes:
        storage: The folder of the files.
        form: `parquet` or `orc`.
        files: The files, in the order of their paths.
        schema: The columns of the rows, including those whose values are in folder names. All are nullable, as in
            Spark.
        in_folders: The columns whose values are in folder names, as text. Files may contain them too.
        without_zone: Columns of ORC files whose timestamps depend on the time zone of a Spark session.
    """

    storage: Storage
    form: str
    files: tuple[SourceFile, ...]
    schema: pa.Schema
    in_folders: tuple[str, ...] = ()
    without_zone: tuple[str, ...] = ()

    def rows(self, numbers: Iterable[int] | None = None) -> Iterator[pa.RecordBatch]:
        """Yield the rows of the files with these positions in `files`; by default those of all files.

        Raises:
            CorruptTableError: A file is damaged or missing.
            SchemaError: A column has ORC timestamps without a zone, which depend on the time zone of a Spark session,
                or a column of a file that has changed cannot be cast to its type in `schema`.
            UnsupportedTable: A file needs a feature that pyarrow lacks.
        """
        if self.without_zone:
            raise SchemaError(
                f"column '{self.without_zone[0]}' of the ORC files in {self.storage.uri} has timestamps without a time "
                "zone, which depend on the zone of a Spark session; copy the files to a local folder, and write "
                "with Spark",
                code="bootstrap",
            )
        stored = pa.schema([field for field in self.schema if field.name not in self.in_folders])
        for number in range(len(self.files)) if numbers is None else numbers:
            file = self.files[number]
            for table in file_rows(self.storage, file.path, self.form, stored):
                yield from self._with_values(table, file).to_batches()

    def _with_values(self, rows: pa.Table, file: SourceFile) -> pa.Table:
        columns = {name: rows.column(name) for name in rows.column_names}
        for name in self.in_folders:
            columns[name] = pa.repeat(pa.scalar(file.values[name], pa.string()), rows.num_rows)
        return pa.table([columns[name] for name in self.schema.names], schema=self.schema)


def bootstrap_source(options: Options, table: Storage) -> BootstrapSource:
    """Return the files that operation `bootstrap` copies, with the columns from the footers of all files.

    Args:
        options: All options.
        table: The storage of the new table, whose location is compared with that of the files.

    Raises:
        OptionError: An option is missing or invalid, the mode is not FULL_RECORD, no file exists, or the folders of the
            files and of the table overlap.
        SchemaError: Files have different types of a column, or `source_files` rejects the names of folders.
        CorruptTableError: A file is damaged, or has another format.
        UnsupportedTable: The folder is that of a Hudi or Delta table, its store is not supported, or a file needs a
            feature that pyarrow lacks.
        StorageError: The path in `bootstrap_path` is rejected, or the store failed.
    """
    chosen = options[BootstrapOptions]
    check_mode(chosen)
    assert chosen.bootstrap_path is not None, "the check of the mode requires a path"
    storage = storage_for(chosen.bootstrap_path, options.given)
    check_place(storage, table)
    form = source_format(chosen)
    files = source_files(storage, form)
    check_folders(chosen, {parent_of(file.path) for file in files})
    names = tuple(files[0].values)
    schema, without_zone = _columns(storage, form, files, names)
    return BootstrapSource(storage, form, files, schema, names, without_zone)


def _columns(
    storage: Storage, form: str, files: tuple[SourceFile, ...], in_folders: tuple[str, ...]
) -> tuple[pa.Schema, tuple[str, ...]]:
    """Return the columns of all files and folders, and the names of the columns with ORC timestamps without a zone.

    Meta columns are left out.

    Raises:
        SchemaError: Two files have different types of a column.
    """
    with ThreadPoolExecutor(FOOTER_THREADS) as pool:
        schemas = pool.map(lambda file: file_columns(storage, file.path, form), files)
        found: dict[str, tuple[pa.DataType, str]] = {}
        for file, schema in zip(files, schemas, strict=True):
            for column in schema:
                if column.name in META_COLUMNS:
                    continue
                wanted = pa.string() if column.name in in_folders else column.type
                kind, where = found.setdefault(column.name, (wanted, file.path))
                if pa.types.is_null(kind):
                    found[column.name] = wanted, file.path
                elif kind != wanted and not pa.types.is_null(wanted):
                    raise SchemaError(
                        f"column '{column.name}' has type {kind} in '{where}' and {wanted} in '{file.path}', both "
                        f"in {storage.uri}; all files need the same type of a column; rewrite the files of one type, "
                        "or read each group of files separately and write it with operation bulk_insert",
                        code="bootstrap",
                    )
    columns = {name: kind for name, (kind, _) in found.items()} | dict.fromkeys(in_folders, pa.string())
    naive = tuple(name for name, kind in columns.items() if form == "orc" and _is_naive(kind))
    fields = [pa.field(n, pa.timestamp("us", "UTC") if n in naive else kind) for n, kind in columns.items()]
    return pa.schema(fields), naive


def _is_naive(kind: pa.DataType) -> bool:
    return bool(pa.types.is_timestamp(kind)) and kind.tz is None
