"""The greater ordering value wins, and a tie goes to the incoming record: `event-time` without delete markers."""

from __future__ import annotations

from typing import Any

import numpy as np
from attrs import Attribute, frozen
from numpy.typing import NDArray

from hoodoo.plugin import hookimpl, option
from hoodoo.plugin.helpers.greatest_payload import GreatestPayload
from hoodoo.record import Law, Records

__version__ = "0.1.0"

VARIANTS = ("ordering-first", "delete-first")


def _is_variant(instance: Any, attribute: Attribute[str], value: str) -> None:
    if value.replace("_", "-") not in VARIANTS:
        raise ValueError(f"'variant' must be one of {', '.join(VARIANTS)}, not '{value}'")


@frozen
class EventTimeAvroPayload(GreatestPayload):
    """Payload EventTimeAvroPayload of Hudi, the default of Flink.

    It supports the delete flag and no delete marker. A key-only delete is applied to the stored row without a
    comparison, so a late one removes a newer row. A stored row whose ordering value is null or missing (an older
    schema) loses.
    """

    hudi_class = "org.apache.hudi.common.model.EventTimeAvroPayload"

    variant: str = option(
        default=VARIANTS[0],
        validator=_is_variant,
        help="Effect of a late flagged delete on a newer stored row: with ordering-first the row is kept; with "
        "delete-first, as in some builds of Hudi, the row is deleted.",
    )

    laws = frozenset({Law.REPLAY_SAFE})
    whole_versions = True

    def applied(self, incoming: Records) -> NDArray[np.bool_]:
        """Return a mask of the deletes that are applied without a comparison: key-only ones, or all (delete-first)."""
        return incoming.is_delete if self.variant.replace("_", "-") == "delete-first" else ~incoming.has_data


@hookimpl
def hoodoo_payload() -> type[EventTimeAvroPayload]:
    """Return the class of the plugin."""
    return EventTimeAvroPayload
