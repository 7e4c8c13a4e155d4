"""Payloads that Hudi creates tables from version 9 on without, and what stands in for them there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import evolve, field, frozen

from hoodoo.options import RuleOptions
from hoodoo.plugin.helpers.partial_update import UNAVAILABLE_VALUE

__all__ = ["STAND_INS", "StandIn"]


@frozen
class StandIn:
    """What stands in for one payload.

    Attributes:
        merger: The merger.
        options: Its options.
        delete: The column that marks deletes, and the text in it, case-sensitive; None where the payload has none.
        ordering: The ordering columns, whatever was asked for; none where those asked for stand.
    """

    merger: str
    options: Mapping[str, Any] = field(factory=dict)
    delete: tuple[str, str] | None = None
    ordering: tuple[str, ...] = ()

    def in_place_of(self, given: RuleOptions) -> RuleOptions:
        """The options that name the payload, with this in its place; what the user says of deletes stands."""
        asked = evolve(given, payload=None, merger=self.merger)
        if self.options:
            asked = evolve(asked, merger_options={**self.options, **(given.merger_options or {})})
        if self.delete is not None and given.delete_field is None and given.delete_marker is None:
            asked = evolve(asked, delete_field=self.delete[0], delete_marker=self.delete[1])
        # the same columns within a struct are the same columns
        if self.ordering and [name.rpartition(".")[2] for name in given.ordering or ()] != list(self.ordering):
            asked = evolve(asked, ordering=self.ordering, payload_ordering=None)
        return asked


_DEBEZIUM = ("_change_operation_type", "d")

STAND_INS: Mapping[str, StandIn] = {
    "overwrite-non-defaults": StandIn("commit-time-partial", {"partial": "ignore-defaults"}),
    "partial-update": StandIn("event-time-partial", {"partial": "ignore-defaults"}),
    "aws-dms": StandIn("commit-time", delete=("Op", "D")),
    "mysql-debezium": StandIn("event-time", delete=_DEBEZIUM, ordering=("_event_bin_file", "_event_pos")),
    "postgres-debezium": StandIn(
        "event-time-partial",
        {"partial": "fill-unavailable", "unavailable_value": UNAVAILABLE_VALUE},
        delete=_DEBEZIUM,
        ordering=("_event_lsn",),
    ),
}
"""By the payload's name."""
