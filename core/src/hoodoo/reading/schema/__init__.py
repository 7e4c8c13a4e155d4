"""Schema of a table, checks of the schemas in its files, and names of columns in older files."""
