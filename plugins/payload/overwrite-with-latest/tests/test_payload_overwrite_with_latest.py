"""The payload `overwrite-with-latest`: one rule within a batch, and another against storage."""

import pytest

from hoodoo.errors import DataError
from hoodoo.plugin import RowPayload
from hoodoo.record import BufferedRecord, MergerConfig, RecordContext
from hoodoo.testing import PayloadSuite
from hoodoo.testing.cases import delete, flagged, merged
from hoodoo.testing.differences import LATE
from hoodoo.testing.paths.table_paths import Path
from hoodoo.testing.shared_reasons import TWO_RULES, on_paths

NAME = "overwrite-with-latest"
OLD, NEW = {"id": "1", "ts": 1, "v": "old"}, {"id": "1", "ts": 2, "v": "new"}

DIFFERENCES = (
    *on_paths(
        [Path.BATCH],
        "payload",
        "overwrite-with-latest",
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
    plugin = "overwrite-with-latest"
    differences = DIFFERENCES
    row_form = OneAtATime


class TestFromHudi11On(PayloadSuite):
    plugin = "overwrite-with-latest"
    differences = DIFFERENCES
    compat = "1.1"


@pytest.mark.parametrize("incoming", [[OLD, NEW], [NEW, OLD]])
def test_in_the_batch_the_greater_ordering_value_wins(incoming: list[dict[str, object]]) -> None:
    """The order of arrival does not matter."""
    assert merged("payload", NAME, incoming) == NEW


def test_in_the_batch_a_tie_goes_to_the_later_arrival() -> None:
    """The later arrival wins if ordering values are equal."""
    later = {**NEW, "v": "later"}

    assert merged("payload", NAME, [NEW, later]) == later


def test_against_storage_it_overwrites_even_a_newer_stored_row() -> None:
    """The ordering value of the stored row is not compared, which often surprises users of Hudi."""
    assert merged("payload", NAME, [OLD], stored=NEW) == OLD


def test_the_batch_winner_overwrites_a_newer_stored_row() -> None:
    """The greater ordering value wins in the batch, and the winner replaces a stored row that is newer."""
    newest = {"id": "1", "ts": 9, "v": "newest"}

    assert merged("payload", NAME, [NEW, OLD], stored=newest) == NEW


def test_stored_ordering_null_does_not_matter() -> None:
    """The incoming record wins over a stored row whose ordering value is null."""
    assert merged("payload", NAME, [OLD], stored={"id": "1", "ts": None, "v": "x"}) == OLD


def test_incoming_null_ordering_is_refused() -> None:
    """Ordering values of a batch are compared and must not be null."""
    with pytest.raises(DataError, match="ordering column 'ts' is null"):
        merged("payload", NAME, [{"id": "1", "ts": None, "v": "a"}])


def test_from_hudi_1_1_on_the_later_arrival_wins_in_the_batch() -> None:
    """A null ordering value is accepted as well."""
    assert merged("payload", NAME, [NEW, OLD], compat="1.1") == OLD
    assert merged("payload", NAME, [{"id": "1", "ts": None, "v": "a"}], compat="1.1") == {"id": "1", "v": "a"}


def test_flagged_row_deletes() -> None:
    """A flagged row deletes even a newer stored row."""
    assert merged("payload", NAME, [flagged(OLD)], stored=NEW) is None


def test_upsert_after_a_key_only_delete_of_the_same_batch_wins() -> None:
    """A row after a key-only delete wins without a comparison."""
    assert merged("payload", NAME, [delete("1", 5), OLD]) == OLD
