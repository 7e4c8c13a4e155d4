"""Execution of statements of Spark's SQL about Hudi tables."""
