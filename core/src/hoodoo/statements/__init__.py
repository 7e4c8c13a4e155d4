"""Checks of MERGE, UPDATE and DELETE statements, without Spark: clauses, names and conditions."""
