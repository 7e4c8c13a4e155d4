"""From file slices to rows: the table's schema, queries, and splits that any engine can read."""

from hoodoo.reading.division import Division
from hoodoo.reading.plan import Plan, Query, plan, projected
from hoodoo.reading.splits import Split
from hoodoo.reading.table_schema import table_schema

__all__ = ["Division", "Plan", "Query", "Split", "plan", "projected", "table_schema"]
