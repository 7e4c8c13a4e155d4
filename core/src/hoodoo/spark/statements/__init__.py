"""Execution of MERGE, UPDATE and DELETE statements on Spark."""
