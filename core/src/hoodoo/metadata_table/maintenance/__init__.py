"""Maintenance of a metadata table: the records that follow from a change of the table, and the files with them."""

from hoodoo.metadata_table.maintenance.table_change import RecordChange, TableChange

__all__ = ["RecordChange", "TableChange"]
