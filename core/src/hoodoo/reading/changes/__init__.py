"""Changes of rows: the format `cdc` of an incremental query."""

from hoodoo.reading.changes.change_plan import change_splits
from hoodoo.reading.changes.change_split import ChangeSplit
from hoodoo.reading.changes.change_table import CHANGES

__all__ = ["CHANGES", "ChangeSplit", "change_splits"]
