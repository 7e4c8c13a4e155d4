"""Merge rules of tables: fold in arrival order, match with stored rows, adapters of rows and payloads."""

from hoodoo.merge.rule import Rule

__all__ = ["Rule"]
