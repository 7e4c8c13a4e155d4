"""Statements of Spark's SQL about Hudi tables, without Spark: parsing, table references and parameters."""
