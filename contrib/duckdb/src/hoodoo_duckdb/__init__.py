"""Hudi tables as DuckDB relations, including merge-on-read tables."""

from hoodoo_duckdb.relation import register, relation

__all__ = ["register", "relation"]

__version__ = "0.1.0"
