"""Splits that Python workers read: the choice of the reader, and the DataFrames of their rows."""
