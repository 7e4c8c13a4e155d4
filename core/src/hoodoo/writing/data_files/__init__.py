"""Data files that tasks write: their names, markers, rows and statuses."""
