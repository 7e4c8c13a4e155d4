"""The greater ordering value wins, in a batch and against storage; a tie goes to the incoming record."""

from __future__ import annotations

from attrs import frozen

from hoodoo.plugin import hookimpl
from hoodoo.plugin.helpers.greatest_payload import GreatestPayload
from hoodoo.record import Law

__version__ = "0.1.0"


@frozen
class EventTimePayload(GreatestPayload):
    """Payload DefaultHoodieRecordPayload of Hudi.

    A key-only delete is applied to the stored row without a comparison, so a late one removes a newer row. A stored row
    whose ordering value is null or missing (an older schema) loses.
    """

    hudi_class = "org.apache.hudi.common.model.DefaultHoodieRecordPayload"
    delete_rules = ("payload-default",)
    laws = frozenset({Law.REPLAY_SAFE})
    whole_versions = True


@hookimpl
def hoodoo_payload() -> type[EventTimePayload]:
    """Return the class of the plugin."""
    return EventTimePayload
