"""Aggregate functions by name, for mergers whose options name a function for a column."""

from hoodoo_library_aggregates.function_by_name import column_function, column_functions, uses_of

__version__ = "0.1.0"

__all__ = ["column_function", "column_functions", "uses_of"]
