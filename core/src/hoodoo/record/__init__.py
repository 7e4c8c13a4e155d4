"""Records, ordering values and outcomes: the data model of a merge rule, for authors of plugins."""

from hoodoo.record.buffered_record import BufferedRecord
from hoodoo.record.context import DeleteContext, KeyConfig, MergerConfig, RecordContext
from hoodoo.record.laws import Law
from hoodoo.record.ordering import Ordering, check_orderable
from hoodoo.record.outcome import Choice, Outcome
from hoodoo.record.records import Operation, Records, Source

__all__ = [
    "BufferedRecord",
    "Choice",
    "DeleteContext",
    "KeyConfig",
    "Law",
    "MergerConfig",
    "Operation",
    "Ordering",
    "Outcome",
    "RecordContext",
    "Records",
    "Source",
    "check_orderable",
]
