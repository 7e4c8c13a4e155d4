"""Parsing of a dictionary of options: their declaration, conversion of values, and errors."""
