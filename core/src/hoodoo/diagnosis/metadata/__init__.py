"""Comparison of a metadata table with the files and rows of its table."""
