"""Content of the records of a metadata table, by the kind of their partition."""
