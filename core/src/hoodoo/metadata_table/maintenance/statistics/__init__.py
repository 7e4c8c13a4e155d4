"""Statistics of the columns of base files and logs, in the form of the metadata table."""

from hoodoo.metadata_table.maintenance.statistics.column_range import ColumnRange, combined
from hoodoo.metadata_table.maintenance.statistics.file_ranges import file_ranges
from hoodoo.metadata_table.maintenance.statistics.indexed_columns import IndexedColumns, latest_columns
from hoodoo.metadata_table.maintenance.statistics.range_records import RangeRecords, stored_range

__all__ = ["ColumnRange", "IndexedColumns", "RangeRecords", "combined", "file_ranges", "latest_columns", "stored_range"]
