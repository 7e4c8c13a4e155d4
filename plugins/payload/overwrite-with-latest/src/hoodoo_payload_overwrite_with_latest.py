"""The winner of a batch replaces the stored row: the greater ordering value or, from Hudi 1.1 on, the later arrival."""

from __future__ import annotations

from attrs import frozen

from hoodoo.plugin import hookimpl
from hoodoo.plugin.helpers.latest_payload import LatestPayload
from hoodoo.record import Law

__version__ = "0.1.0"


@frozen
class OverwriteWithLatest(LatestPayload):
    """Payload OverwriteWithLatestAvroPayload of Hudi.

    Up to Hudi 1.0 (`compat` legacy) two records of one batch are compared by ordering value. From 1.1 on they are not:
    the later arrival wins everywhere, as with the merger `commit-time`. A stored row is replaced even if it is newer.
    """

    hudi_class = "org.apache.hudi.common.model.OverwriteWithLatestAvroPayload"
    laws = frozenset({Law.ASSOCIATIVE, Law.REPLAY_SAFE})
    whole_versions = True


@hookimpl
def hoodoo_payload() -> type[OverwriteWithLatest]:
    """Return the class of the plugin."""
    return OverwriteWithLatest
