"""Hudi tables as DuckDB relations, merge-on-read included."""

from hoodoo_duckdb.relation import register, relation

__all__ = ["register", "relation"]

__version__ = "0.1.0"
