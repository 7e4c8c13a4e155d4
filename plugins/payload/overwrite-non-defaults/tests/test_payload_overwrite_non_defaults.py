"""The payload `overwrite-non-defaults`: whole in the batch, column by column against storage."""

from typing import Any, ClassVar

import pytest

from hoodoo.merge import Rule
from hoodoo.plugin import RowPayload, default_catalogue
from hoodoo.record import BufferedRecord, MergerConfig, RecordContext
from hoodoo.testing import PayloadSuite
from hoodoo.testing.cases import delete, flagged, merged
from hoodoo.testing.differences import DELETE, SEVERAL
from hoodoo.testing.paths.table_paths import History, Path, Tries, play
from hoodoo.testing.shared_reasons import CUT, LOGGED, TWO_RULES, on_paths

NAME = "overwrite-non-defaults"
SCHEMA = {
    "id": "string",
    "ts": "long",
    "city": {"type": "string", "default": "NY"},
    "tags": {"type": "array<string>", "default": []},
    "v": "string?",
}
STORED = {"id": "1", "ts": 9, "city": "LA", "tags": ["a"], "v": "x"}

DIFFERENCES = (
    *on_paths(
        [Path.BATCH],
        "payload",
        "overwrite-non-defaults",
        [(SEVERAL,)],
        f"{TWO_RULES}: within a batch one record is taken whole, against storage its defaults are filled",
    ),
    *on_paths(LOGGED, "payload", "overwrite-non-defaults", [(DELETE,)], CUT),
)


def at_least(newer: BufferedRecord, older: BufferedRecord) -> bool:
    """Return whether the ordering value of `newer` is at least that of `older`; NaN is the greatest, as in Java."""
    [new], [old] = newer.ordering or (), older.ordering or ()
    return bool(new >= old or new != new)


class OneAtATime(RowPayload):
    """Rule of the payload for one record at a time, with the defaults of the columns of the table."""

    defaults: ClassVar[dict[str, Any]] = {}

    def uses_ordering(self, config: MergerConfig) -> bool:
        return config.compat == "legacy"

    def pre_combine(
        self, older: BufferedRecord, newer: BufferedRecord, context: RecordContext, config: MergerConfig
    ) -> BufferedRecord:
        if config.compat != "legacy" or older.data is None or (newer.data is None and newer.ordering is None):
            return newer
        return newer if at_least(newer, older) else older

    def combine_and_get_update_value(
        self, stored: BufferedRecord, incoming: BufferedRecord, context: RecordContext, config: MergerConfig
    ) -> BufferedRecord | None:
        if incoming.is_delete or incoming.data is None or stored.data is None:
            return incoming
        filled = {name: stored.data[name] for name, value in incoming.data.items() if value == self.defaults.get(name)}
        return incoming.with_data(**filled)


class WithDefaults(OneAtATime):
    """Rule for a table whose columns have the defaults below."""

    defaults: ClassVar[dict[str, Any]] = {"v": "x", "w": 0}


class TestLegacy(PayloadSuite):
    plugin = "overwrite-non-defaults"
    differences = DIFFERENCES
    row_form = OneAtATime


class TestFromHudi11On(PayloadSuite):
    plugin = "overwrite-non-defaults"
    differences = DIFFERENCES
    compat = "1.1"
    row_form = OneAtATime


class TestDefaultsThatAreNotNull(PayloadSuite):
    plugin = "overwrite-non-defaults"
    differences = DIFFERENCES
    columns: ClassVar = {"v": {"type": "string", "default": "x"}, "w": {"type": "long", "default": 0}}
    values: ClassVar = {"v": ["a", "x", None], "w": [0, 1, None]}
    row_form = WithDefaults


def test_a_default_keeps_what_is_stored_and_all_else_overwrites_it() -> None:
    """The ordering value is not compared, and null is written if the default is another value."""
    incoming = {"id": "1", "ts": 5, "city": "NY", "tags": [], "v": "y"}

    assert merged("payload", NAME, [incoming], stored=STORED, schema=SCHEMA) == {**STORED, "ts": 5, "v": "y"}
    assert merged("payload", NAME, [{**incoming, "city": None}], stored=STORED, schema=SCHEMA) == {
        "id": "1",
        "ts": 5,
        "tags": ["a"],
        "v": "y",
    }


def test_null_is_the_default_where_none_is_declared() -> None:
    """A column without a declared default cannot be set to null."""
    incoming = {**STORED, "v": None}

    assert merged("payload", NAME, [incoming], stored=STORED, schema=SCHEMA) == STORED


def test_a_first_row_keeps_its_defaults() -> None:
    """Defaults are stored like other values."""
    row = {"id": "1", "ts": 1, "city": "NY", "tags": []}

    assert merged("payload", NAME, [row], schema=SCHEMA) == row


def test_in_the_batch_columns_of_the_loser_are_lost() -> None:
    """One record wins as a whole, and its defaults are filled from storage."""
    one, other = {**STORED, "city": "SF", "v": None}, {**STORED, "ts": 8, "city": "NY", "v": "lost"}

    assert merged("payload", NAME, [one, other], stored=STORED, schema=SCHEMA) == {**one, "v": "x"}


def test_in_the_batch_arrival_decides_from_hudi_1_1_on() -> None:
    """Before 1.1, the greater ordering value wins, and a tie goes to the later arrival."""
    early, late = {**STORED, "v": "early"}, {**STORED, "ts": 1, "v": "late"}

    assert merged("payload", NAME, [early, late], schema=SCHEMA) == early
    assert merged("payload", NAME, [late, early, {**early, "v": "tie"}], schema=SCHEMA) == {**early, "v": "tie"}
    assert merged("payload", NAME, [early, late], schema=SCHEMA, compat="1.1") == late


@pytest.mark.parametrize("incoming", [flagged({**STORED, "ts": 1}), delete("1", 1), delete("1")])
def test_deletes_delete(incoming: dict[str, Any]) -> None:
    """Late deletes are applied, too."""
    assert merged("payload", NAME, [incoming], stored=STORED, schema=SCHEMA) is None


def test_the_flag_of_a_stored_row_is_not_taken_back() -> None:
    """A flag with its default false does not replace the stored flag, and the row is not deleted."""
    schema = {**SCHEMA, "_hoodie_is_deleted": {"type": "boolean", "default": False}}
    stored = {**STORED, "_hoodie_is_deleted": True}
    rule = Rule.of_payload(default_catalogue().make("payload", NAME, {}), NAME, MergerConfig(ordering=("ts",)))
    history = History(stored, ({**stored, "_hoodie_is_deleted": False},))

    assert play(rule, Tries(schema, ("ts",), [history]), Path.BATCH) == [stored]
