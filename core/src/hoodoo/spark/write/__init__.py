"""Writes of DataFrames, and compactions, as Spark jobs."""
