"""Payloads of change data: by which columns they order, and what Hudi makes of them in tables of version 9."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import evolve, field, frozen

from hoodoo.options import RuleOptions
from hoodoo.record.fill import UNAVAILABLE_VALUE

__all__ = ["CHANGE_DATA", "ChangeData"]


@frozen
class ChangeData:
    """One payload.

    Attributes:
        merger: The merger that it is from version 9 on.
        delete_field: The column that marks deletes there.
        delete_marker: The text in it, case-sensitive.
        options: The merger's options.
        ordering: The ordering columns there, whatever was asked for; none where those asked for stand.
    """

    merger: str
    delete_field: str
    delete_marker: str
    options: Mapping[str, Any] = field(factory=dict)
    ordering: tuple[str, ...] = ()

    def in_merge_modes(self, given: RuleOptions) -> RuleOptions:
        """The options for a table of version 9; what the user says of deletes stands."""
        asked = evolve(given, payload=None, merger=self.merger)
        if self.options:
            asked = evolve(asked, merger_options={**self.options, **(given.merger_options or {})})
        if given.delete_field is None and given.delete_marker is None:
            asked = evolve(asked, delete_field=self.delete_field, delete_marker=self.delete_marker)
        # the same columns within a struct are the same columns
        if self.ordering and [name.rpartition(".")[2] for name in given.ordering or ()] != list(self.ordering):
            asked = evolve(asked, ordering=self.ordering, payload_ordering=None)
        return asked


_OPERATION = "_change_operation_type"

CHANGE_DATA: Mapping[str, ChangeData] = {
    "aws-dms": ChangeData("commit-time", "Op", "D"),
    "mysql-debezium": ChangeData("event-time", _OPERATION, "d", ordering=("_event_bin_file", "_event_pos")),
    "postgres-debezium": ChangeData(
        "event-time-partial",
        _OPERATION,
        "d",
        options={"partial": "fill-unavailable", "unavailable_value": UNAVAILABLE_VALUE},
        ordering=("_event_lsn",),
    ),
}
"""By the payload's name."""
