"""From file slices to rows: the table's schema, and splits that any engine can read."""

from hoodoo.reading.splits import Split, plan_splits, projected
from hoodoo.reading.table_schema import table_schema

__all__ = ["Split", "plan_splits", "projected", "table_schema"]
