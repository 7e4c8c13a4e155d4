"""The merge core: the fold in arrival order, the row adapter, the payload bridge, the rule of a table."""

from hoodoo.merge.rule import Rule

__all__ = ["Rule"]
