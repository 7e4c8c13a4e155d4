"""Reading of file slices: the table's schema, queries, and splits that any engine can read."""

from hoodoo.reading.changes import ChangeSplit
from hoodoo.reading.planner import Plan, Query, plan, projected
from hoodoo.reading.schema.table_schema import table_schema
from hoodoo.reading.slice.deletion_vector import SliceChanges
from hoodoo.reading.split import Split

__all__ = ["ChangeSplit", "Plan", "Query", "SliceChanges", "Split", "plan", "projected", "table_schema"]
