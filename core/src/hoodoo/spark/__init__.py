"""Reads, writes, SQL statements and streaming queries of Hudi tables in Spark sessions."""
