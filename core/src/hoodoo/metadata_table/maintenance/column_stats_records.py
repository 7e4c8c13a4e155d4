"""Records of the partition `column_stats`: the range of each indexed column in each file that a commit writes."""

from __future__ import annotations

import pyarrow as pa

from hoodoo.filegroup.whole_logs import with_whole_logs
from hoodoo.format.file_names import is_log_file
from hoodoo.metadata_table.content.hashed_keys import stats_key
from hoodoo.metadata_table.maintenance.changed_files.merge_kind import MergeKind, merge_kind
from hoodoo.metadata_table.maintenance.changed_files.parallel import in_threads
from hoodoo.metadata_table.maintenance.record_schema import record_schema
from hoodoo.metadata_table.maintenance.statistics import IndexedColumns, RangeRecords, file_ranges, latest_columns
from hoodoo.metadata_table.maintenance.table_change import RecordChange, TableChange
from hoodoo.metadata_table.metadata_table import MetadataTable
from hoodoo.storage import name_of
from hoodoo.timeline import WriteStat

__all__ = ["records"]

_KIND = 3


def records(metadata_table: MetadataTable, change: TableChange) -> RecordChange:
    """Return the statistics of the files of a change.

    A base file has the bounds of its footer. A column whose bounds the footer lacks is read, because a reader assumes
    that a column without bounds has only nulls. A log has the bounds of the records that the instant wrote. Logs have
    no statistics if a rule combines a row from several versions: the row may satisfy a condition that none of the files
    satisfies, and Hudi's readers do not skip a slice with a file without statistics. The same holds for a log with
    partial records. The statistics of removed files are deleted.

    Args:
        metadata_table: The metadata table, without the change.
        change: The files that an instant adds to the table and removes from it.

    Raises:
        CorruptTableError: A file is missing or damaged, the definitions of the indexes cannot be read, or the metadata
            table has no schema.
        UnsupportedTable: A file or a log block cannot be read.
        SchemaError: A column has several types in the blocks of a log, and none contains the others.
    """
    storage = metadata_table.storage
    columns = IndexedColumns.load(metadata_table, change)
    encoder = RangeRecords(record_schema(metadata_table), _KIND)
    has_logs = merge_kind(metadata_table.table) is MergeKind.WHOLE
    stats = [stat for stat in change.stats if stat.path and (has_logs or not is_log_file(name_of(stat.path)))]

    def encoded(stat: WriteStat) -> list[tuple[bytes, bytes]]:
        path, partition = stat.path or "", stat.partition_path or ""
        name = name_of(path)
        files = with_whole_logs(storage, {path: stat.file_size_in_bytes}) if is_log_file(name) else storage
        return [
            (stats_key(found.column, partition, name).encode(), encoder.encode(name, found, is_tight=False))
            for found in file_ranges(files, path, columns, change.instant, without_partial=True)
        ]

    cells = dict(cell for part in in_threads(encoded, stats, storage) for cell in part)
    removed = [
        stats_key(column, partition, name).encode()
        for partition, files in change.removed.items()
        for name in sorted(files)
        for column in columns.of(latest_columns(metadata_table.table, metadata_table.timeline))
    ]
    return RecordChange(
        pa.array(list(cells), pa.large_binary()),
        pa.array(list(cells.values()), pa.large_binary()),
        pa.array(removed, pa.large_binary()),
    )
