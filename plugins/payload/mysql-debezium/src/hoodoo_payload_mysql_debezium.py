"""Change data of MySQL by Debezium: the greater `_event_seq` (binlog file and position, compared as numbers) wins."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
from attrs import frozen

from hoodoo.errors import DataError
from hoodoo.plugin import Substitute, hookimpl
from hoodoo.plugin.helpers.sequence import SequencePayload, sequence_column
from hoodoo.record import Law, Ordering, Records
from hoodoo.schema.columns import examples_of

__version__ = "0.1.0"

SEQUENCE = "_event_seq"
# names of binlog files have leading zeros; 18 digits fit into 64 bits
_FILE_AND_POSITION = r"^0*\d{1,18}\.0*\d{1,18}(\..*)?$"


@frozen
class MySqlDebezium(SequencePayload):
    """Payload MySqlDebeziumAvroPayload of Hudi.

    `_event_seq` is `file.position`: `2.10` is greater than `2.9`. A tie goes to the incoming record. A key-only delete
    is applied to the stored row without a comparison, and all deletes in logs are key-only. An incoming row without
    `_event_seq` is an error if it has to be compared, and a stored one, from a bootstrap, loses. Deletes are defined by
    the delete rules `debezium-op` and `builtin-flag`, the defaults of this payload. A table of version 9 is ordered by
    `_event_bin_file` and `_event_pos`.
    """

    hudi_class = "org.apache.hudi.common.model.debezium.MySqlDebeziumAvroPayload"
    delete_rules = ("debezium-op", "builtin-flag")
    substitute = Substitute(
        "event-time", delete=("_change_operation_type", "d"), ordering=("_event_bin_file", "_event_pos")
    )
    laws = frozenset({Law.REPLAY_SAFE})
    whole_versions = True
    column = SEQUENCE

    def sequence(self, records: Records) -> Ordering:
        """Return file and position as two numbers.

        Raises:
            DataError: A value does not begin with two whole numbers, `file.position`.
        """
        texts = sequence_column(records, SEQUENCE).cast(pa.string())
        parts = pc.split_pattern(texts, ".")
        try:
            numbers = [pc.list_element(parts, place).cast(pa.int64()) for place in (0, 1)]
        except pa.ArrowInvalid:
            raise _no_sequence(texts) from None
        if any((pc.min(values).as_py() or 0) < 0 for values in numbers):
            raise _no_sequence(texts)
        return Ordering.of(("file", "position"), numbers, len(records))


def _no_sequence(texts: pa.Array) -> DataError:
    wrong = texts.filter(pc.invert(pc.match_substring_regex(texts, _FILE_AND_POSITION)))
    return DataError(
        f"column '{SEQUENCE}' is not 'file.position' in {len(wrong)} row{'' if len(wrong) == 1 else 's'} (such as "
        f"{examples_of(wrong)}); use two whole numbers, such as '000012.345'",
        code="event_seq",
    )


@hookimpl
def hoodoo_payload() -> type[MySqlDebezium]:
    """Return the class of the plugin."""
    return MySqlDebezium
