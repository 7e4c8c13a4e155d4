"""Origin of the values of merged rows, on which the validity of statistics of logs depends."""

from __future__ import annotations

from enum import Enum

from hoodoo.properties import TableProperties
from hoodoo.properties.property_keys import MERGER, PARTIAL_UPDATE_MODE, PAYLOAD

__all__ = ["MergeKind", "merge_kind"]

_MODES = ("COMMIT_TIME_ORDERING", "EVENT_TIME_ORDERING")
_WHOLE = ("OverwriteWithLatestAvroPayload", "DefaultHoodieRecordPayload")
_CHOSEN = (
    "AWSDmsAvroPayload",
    "EventTimeAvroPayload",
    "MySqlDebeziumAvroPayload",
    "OverwriteNonDefaultsWithLatestAvroPayload",
    "PartialUpdateAvroPayload",
    "PostgresDebeziumAvroPayload",
)


class MergeKind(Enum):
    """Origin of the values of a merged row."""

    WHOLE = "a row of one file"
    CHOSEN = "each value from one of the files"
    UNKNOWN = "values that a rule may compute"


def merge_kind(table: TableProperties) -> MergeKind:
    """Return the origin of the values of merged rows, according to the properties of a table."""
    if table.table_type == "COPY_ON_WRITE":
        return MergeKind.WHOLE
    partial = table.get(PARTIAL_UPDATE_MODE, "NONE").upper() != "NONE"
    if table.version >= 8 and table.merge_mode in _MODES:
        return MergeKind.CHOSEN if partial else MergeKind.WHOLE
    payload = (table.payload_class or "").rpartition(".")[2]
    if not payload and (table.merge_mode is not None or table.get(MERGER) or table.get(PAYLOAD)):
        return MergeKind.UNKNOWN
    # a rule that Hudi does not have is stored as a class that does not exist
    if payload in ("", *_WHOLE):
        return MergeKind.CHOSEN if partial else MergeKind.WHOLE
    return MergeKind.CHOSEN if payload in _CHOSEN else MergeKind.UNKNOWN
