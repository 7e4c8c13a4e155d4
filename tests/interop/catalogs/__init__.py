"""Entries of tables in catalogs, compared with those of Hudi's sync."""
