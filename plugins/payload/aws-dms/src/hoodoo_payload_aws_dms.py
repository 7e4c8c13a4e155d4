"""Change data of AWS DMS: the incoming row replaces the stored one, and a row whose `Op` is `D` deletes it."""

from __future__ import annotations

from attrs import frozen

from hoodoo.plugin import Substitute, hookimpl
from hoodoo.plugin.helpers.latest_payload import LatestPayload
from hoodoo.record import Law

__version__ = "0.1.0"


@frozen
class AwsDms(LatestPayload):
    """Payload AWSDmsAvroPayload of Hudi.

    Deletes are defined by the delete rules `dms-op` and `builtin-flag`, the defaults of this payload; rows of a full
    load have no `Op`. Versions are merged as in `overwrite-with-latest`: up to Hudi 1.0 (`compat` legacy) two records
    of one batch are compared by ordering value, and from 1.1 on the later arrival wins. A table of version 9 is merged
    by commit time, and a lowercase `d` in `Op` does not delete there.
    """

    hudi_class = "org.apache.hudi.common.model.AWSDmsAvroPayload"
    delete_rules = ("dms-op", "builtin-flag")
    substitute = Substitute("commit-time", delete=("Op", "D"))
    laws = frozenset({Law.ASSOCIATIVE, Law.REPLAY_SAFE})
    whole_versions = True


@hookimpl
def hoodoo_payload() -> type[AwsDms]:
    """Return the class of the plugin."""
    return AwsDms
