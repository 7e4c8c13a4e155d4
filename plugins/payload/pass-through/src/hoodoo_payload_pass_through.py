"""The later arrival wins everywhere, and delete flags are data: only a key-only delete deletes."""

from __future__ import annotations

import pyarrow as pa
from attrs import frozen

from hoodoo.plugin import hookimpl
from hoodoo.plugin.helpers.ordering_reasons import ORDERING_REASONS, arrival_reason
from hoodoo.record import Choice, Law, MergerConfig, Outcome, RecordContext, Records

__version__ = "0.1.0"


@frozen
class PassThrough:
    """Payload HoodieAvroPayload of Hudi. Flags are ignored because its default delete rule is `none`."""

    hudi_class = "org.apache.hudi.common.model.HoodieAvroPayload"
    delete_rules = ("none",)
    laws = frozenset({Law.ASSOCIATIVE, Law.REPLAY_SAFE, Law.DEDUPE_IS_COMBINE})
    reasons = ORDERING_REASONS

    def uses_ordering(self, config: MergerConfig) -> bool:
        """Return False: ordering values are stored and not compared."""
        return False

    def needs(self, schema: pa.Schema, config: MergerConfig) -> tuple[str, ...]:
        """Return no columns: the rule needs only the key."""
        return ()

    def pre_combine(self, older: Records, newer: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        """Return the later arrival."""
        return Outcome.all(Choice.TAKE, len(newer), arrival_reason(context, len(newer)))

    def combine_and_get_update_value(
        self, stored: Records, incoming: Records, context: RecordContext, config: MergerConfig
    ) -> Outcome:
        """Return the incoming record, regardless of the stored one."""
        return Outcome.all(Choice.TAKE, len(incoming), arrival_reason(context, len(incoming)))

    def get_insert_value(self, incoming: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        """Return the incoming record for a key that is not stored."""
        return Outcome.all(Choice.TAKE, len(incoming))


@hookimpl
def hoodoo_payload() -> type[PassThrough]:
    """Return the class of the plugin."""
    return PassThrough
