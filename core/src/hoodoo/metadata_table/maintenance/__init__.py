"""Maintenance of a metadata table: the records for a change of the table, and the files that contain them."""

from hoodoo.metadata_table.maintenance.table_change import RecordChange, TableChange

__all__ = ["RecordChange", "TableChange"]
