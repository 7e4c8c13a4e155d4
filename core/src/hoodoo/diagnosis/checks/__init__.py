"""Checks of a table that read no rows, one module for each subject."""
