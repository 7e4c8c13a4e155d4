"""The payload `aws-dms`: the incoming row wins; `tests/rows_written` tests its deletes."""

from typing import ClassVar

import pytest

from hoodoo.errors import DataError
from hoodoo.plugin import RowPayload
from hoodoo.record import BufferedRecord, MergerConfig, RecordContext
from hoodoo.testing import PayloadSuite
from hoodoo.testing.cases import delete, flagged, merged
from hoodoo.testing.differences import LATE
from hoodoo.testing.paths.table_paths import Path
from hoodoo.testing.shared_reasons import TWO_RULES, on_paths

NAME = "aws-dms"
OLD, NEW = {"id": "1", "ts": 1, "v": "old"}, {"id": "1", "ts": 2, "v": "new"}

DIFFERENCES = (
    *on_paths(
        [Path.BATCH],
        "payload",
        "aws-dms",
        [(LATE,)],
        f"{TWO_RULES}: within a batch the greater ordering value wins, against storage the later write",
        compat="legacy",
    ),
)


def at_least(newer: BufferedRecord, older: BufferedRecord) -> bool:
    """Return whether the ordering value of `newer` is at least that of `older`; NaN is the greatest, as in Java."""
    [new], [old] = newer.ordering or (), older.ordering or ()
    return bool(new >= old or new != new)


class OneAtATime(RowPayload):
    """Rule of the payload, written for one record at a time."""

    def pre_combine(
        self, older: BufferedRecord, newer: BufferedRecord, context: RecordContext, config: MergerConfig
    ) -> BufferedRecord:
        if older.data is None or (newer.data is None and newer.ordering is None):
            return newer
        return newer if at_least(newer, older) else older

    def combine_and_get_update_value(
        self, stored: BufferedRecord, incoming: BufferedRecord, context: RecordContext, config: MergerConfig
    ) -> BufferedRecord | None:
        return incoming


class TestLegacy(PayloadSuite):
    plugin = "aws-dms"
    differences = DIFFERENCES
    row_form = OneAtATime
    columns: ClassVar = {"Op": "string", "v": "string"}
    values: ClassVar = {"Op": (None, "I", "U")}


class TestFromHudi11On(PayloadSuite):
    plugin = "aws-dms"
    differences = DIFFERENCES
    compat = "1.1"


def test_the_incoming_row_wins_even_over_a_newer_stored_one() -> None:
    """The ordering value of the stored row is not compared."""
    assert merged("payload", NAME, [OLD], stored=NEW) == OLD


@pytest.mark.parametrize("incoming", [[OLD, NEW], [NEW, OLD]])
def test_in_the_batch_the_greater_ordering_value_wins(incoming: list[dict[str, object]]) -> None:
    """Up to Hudi 1.0, the ordering values of a batch are compared."""
    assert merged("payload", NAME, incoming) == NEW


def test_from_hudi_1_1_on_the_later_arrival_wins_in_the_batch() -> None:
    """Ordering values are not compared."""
    assert merged("payload", NAME, [NEW, OLD], compat="1.1") == OLD


def test_without_ordering_the_later_arrival_wins() -> None:
    """Changes that arrive in the order of the source need no ordering column."""
    assert merged("payload", NAME, [NEW, OLD], ordering="") == OLD


def test_a_delete_deletes_whatever_is_stored() -> None:
    """A row that is marked as a delete deletes even a newer stored row; if none is stored, nothing is written."""
    assert merged("payload", NAME, [flagged(OLD)], stored=NEW) is None
    assert merged("payload", NAME, [flagged(OLD)]) is None


def test_delete_and_insert_again_in_one_batch() -> None:
    """The greater ordering value wins, also that of a delete; after a key-only delete, any row wins."""
    assert merged("payload", NAME, [flagged(OLD), NEW]) == NEW
    assert merged("payload", NAME, [OLD, flagged(NEW)]) is None
    assert merged("payload", NAME, [delete("1", 5), OLD]) == OLD


def test_incoming_null_ordering_is_refused() -> None:
    """Ordering values of a batch are compared and must not be null."""
    with pytest.raises(DataError, match="ordering column 'ts' is null"):
        merged("payload", NAME, [{**OLD, "ts": None}])
