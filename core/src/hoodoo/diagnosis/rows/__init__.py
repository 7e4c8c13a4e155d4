"""Checks of the rows of a table: repeated keys, and values that differ from those of the key generator."""
