"""Merge rules of tables: fold in arrival order, match with stored rows, adapters of other forms of rules."""

from hoodoo.merge.rule import Rule

__all__ = ["Rule"]
