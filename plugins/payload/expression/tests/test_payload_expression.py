"""The payload `expression`: clauses of a MERGE INTO, and the payload that compares their result with the stored row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import pyarrow as pa
import pytest

from hoodoo.errors import DataError, OptionError, UnknownPlugin
from hoodoo.plugin import BasePayload, RowPayload, default_catalogue
from hoodoo.record import BufferedRecord, MergerConfig, RecordContext
from hoodoo.testing import PayloadSuite, replaces
from hoodoo.testing.cases import delete, flagged, merged
from hoodoo.testing.differences import DELETE, SEVERAL
from hoodoo.testing.shared_reasons import LOGGED, REGROUPED, UNFLAGGED, on_paths

NAME = "expression"
STORED = {"id": "1", "ts": 5, "v": "a", "w": 1}
LATE = {"id": "1", "ts": 2, "v": "b", "w": 2}
SCHEMA = {"id": "string", "ts": "long?", "v": "string?", "w": "long?"}
WHOLE: list[dict[str, Any]] = [{"action": "update"}]
COLUMNS = {"ts": "long", "v": "string", "w": "long"}
VALUES = {"v": ["a", "b", None], "w": [0, 1, None]}

DIFFERENCES = (
    *on_paths(
        REGROUPED,
        "payload",
        "expression",
        [(SEVERAL,)],
        "clauses see the one record that is left of a batch or of logs, and not what those before it made of the table",
    ),
    *on_paths(LOGGED, "payload", "expression", [(DELETE,)], UNFLAGGED),
)


def installed(name: str, family: str = "payload") -> bool:
    return name in {info.name for info in default_catalogue().list(family)}


needs_event_time = pytest.mark.skipif(not installed("event-time"), reason="payload 'event-time' is not installed")


def at_least(newer: BufferedRecord, older: BufferedRecord) -> bool:
    [new], [old] = newer.ordering or (), older.ordering or ()
    return bool(new >= old)


class OneAtATime(RowPayload):
    """Rule for two records of one batch, which is that of the payload `event-time`."""

    def pre_combine(
        self, older: BufferedRecord, newer: BufferedRecord, context: RecordContext, config: MergerConfig
    ) -> BufferedRecord:
        if older.data is None or (newer.data is None and newer.ordering is None):
            return newer
        return newer if at_least(newer, older) else older


class Upsert(OneAtATime):
    """Rule of the clauses `UPSERT`, written for one record at a time.

    If `v` differs and neither is null, `ts` and `v` are set, and `w` is added to the stored `w`; otherwise an incoming
    `w` of 0 deletes the row. A new key is inserted without `v` if `w` is not null.
    """

    def combine_and_get_update_value(
        self, stored: BufferedRecord, incoming: BufferedRecord, context: RecordContext, config: MergerConfig
    ) -> BufferedRecord | None:
        if incoming.data is None or stored.data is None:
            return incoming
        new, old = incoming.data, stored.data
        if new["v"] is not None and old["v"] is not None and new["v"] != old["v"]:
            total = None if new["w"] is None or old["w"] is None else new["w"] + old["w"]
            return (
                incoming
                if incoming.is_delete
                else incoming.with_data(**{**old, "ts": new["ts"], "v": new["v"], "w": total})
            )
        return incoming.as_delete() if new["w"] == 0 else None

    def get_insert_value(
        self, incoming: BufferedRecord, context: RecordContext, config: MergerConfig
    ) -> BufferedRecord | None:
        if incoming.data is None or incoming.data["w"] is None:
            return None
        return incoming.with_data(**{name: None for name in incoming.data if name not in ("id", "ts", "w")})


UPSERT: dict[str, Any] = {
    "matched": [
        {"action": "delete", "cond": ["eq", "s.w", 0]},
        {
            "action": "update",
            "cond": ["ne", "s.v", "t.v"],
            "set": {"ts": "s.ts", "v": "s.v", "w": ["plus", "s.w", "t.w"]},
        },
    ],
    "not_matched": [{"cond": ["is_not_null", "s.w"], "set": {"ts": "s.ts", "w": "s.w"}}],
}


class Suite(PayloadSuite):
    plugin = NAME
    differences = DIFFERENCES

    @replaces("an update may add, and what was deleted may be inserted: no law holds for all clauses")
    def test_claims_laws(self) -> None:
        assert not self.made().laws


class TestClauses(Suite):
    options: ClassVar = UPSERT
    columns: ClassVar = COLUMNS
    values: ClassVar = VALUES
    row_form = Upsert


class Patched(OneAtATime):
    """Rule that sets only `v`, if it is not null; the stored row keeps its ordering value."""

    def combine_and_get_update_value(
        self, stored: BufferedRecord, incoming: BufferedRecord, context: RecordContext, config: MergerConfig
    ) -> BufferedRecord | None:
        if incoming.data is None:
            return incoming
        if incoming.data["v"] is None:
            return None
        return incoming if incoming.is_delete else stored.with_data(v=incoming.data["v"])


class TestOrderingLeftAlone(Suite):
    options: ClassVar = {
        "matched": [{"action": "update", "cond": ["is_not_null", "s.v"], "set": {"v": "s.v"}}],
        "not_matched": [{}],
    }
    columns: ClassVar = COLUMNS
    values: ClassVar = VALUES
    row_form = Patched


class EventTimeAfterwards(Upsert):
    """Rule of `Upsert`, with each updated row compared with the stored row by event time."""

    def combine_and_get_update_value(
        self, stored: BufferedRecord, incoming: BufferedRecord, context: RecordContext, config: MergerConfig
    ) -> BufferedRecord | None:
        made = super().combine_and_get_update_value(stored, incoming, context, config)
        if incoming.data is None or stored.data is None or stored.data["v"] in (None, incoming.data["v"]):
            return made
        return made if stored.ordering is None or at_least(incoming, stored) else None


@needs_event_time
class TestOriginalPayload(Suite):
    options: ClassVar = {**UPSERT, "original_payload": "event-time"}
    columns: ClassVar = COLUMNS
    values: ClassVar = {**VALUES, "v": ["a", "b"]}
    row_form = EventTimeAfterwards


def run(incoming: Mapping[str, Any], stored: Mapping[str, Any] | None = STORED, **options: Any) -> Any:
    """Return the row after the merge of one record."""
    return merged("payload", NAME, [incoming], stored=stored, schema=options.pop("schema", SCHEMA), **options)


@needs_event_time
def test_an_original_payload_by_event_time_makes_a_matched_update_a_no_op() -> None:
    """Without an original payload the same update overwrites a newer row."""
    assert run(LATE, matched=WHOLE, original_payload="event-time") == STORED
    assert run(LATE, matched=WHOLE, original_payload="DefaultHoodieRecordPayload") == STORED
    assert run(LATE, matched=WHOLE) == LATE


@needs_event_time
def test_the_original_payload_compares_what_the_clause_made() -> None:
    """The payload compares the assigned ordering value and not the one in the source."""
    told = {"original_payload": "event-time"}

    assert run(LATE, matched=[{"action": "update", "set": {"v": "s.v"}}], **told) == {**STORED, "v": "b"}
    assert run(LATE, matched=[{"action": "update", "set": {"ts": 9}}], **told) == {**STORED, "ts": 9}
    assert run({**LATE, "ts": 7}, matched=[{"action": "update", "set": {"ts": 1}}], **told) == STORED


@pytest.mark.skipif(not installed("partial-update"), reason="payload 'partial-update' is not installed")
def test_an_original_payload_may_change_columns() -> None:
    """Nulls that a clause sets are filled from the stored row; a late update fills the stored row instead."""
    told = {"matched": [{"action": "update", "set": {"ts": "s.ts", "v": None, "w": 7}}]}
    told["original_payload"] = "partial-update"  # type: ignore[assignment]

    assert run({**LATE, "ts": 6}, **told) == {"id": "1", "ts": 6, "v": "a", "w": 7}
    assert run(LATE, stored={**STORED, "w": None}, **told) == {**STORED, "w": 7}


@needs_event_time
def test_an_original_payload_without_a_list_of_columns_needs_all_columns() -> None:
    payload = default_catalogue().make("payload", NAME, {"matched": WHOLE, "original_payload": "event-time"})
    object.__setattr__(payload, "_original", BasePayload())
    assert payload.needs(pa.schema([("id", pa.string()), ("v", pa.string())]), MergerConfig(("id",), ())) == ("id", "v")


@needs_event_time
def test_executors_are_told_which_original_payload_they_must_have() -> None:
    def used(**options: Any) -> list[tuple[str, str]]:
        return [(plugin.family, plugin.name) for plugin in default_catalogue().spec("payload", NAME, options).uses]

    assert used(matched=WHOLE, original_payload="DefaultHoodieRecordPayload") == [("payload", "event-time")]
    assert used(matched=WHOLE) == []


def test_an_unknown_original_payload_says_what_to_install() -> None:
    with pytest.raises(UnknownPlugin, match="no-such"):
        run(LATE, matched=WHOLE, original_payload="no-such")
    with pytest.raises(OptionError, match="original_payload"):
        run(LATE, matched=WHOLE, original_payload="Expression")


def test_updates_come_before_deletes() -> None:
    """Updates precede deletes at any position, and the first update whose condition holds is applied."""
    first = {"action": "update", "cond": ["eq", "s.v", "b"], "set": {"v": "first"}}
    second = {"action": "update", "set": {"v": "second"}}
    gone = {"action": "delete"}

    assert run(LATE, matched=[gone, first, second]) == {**STORED, "v": "first"}
    assert run({**LATE, "v": "c"}, matched=[gone, first, second]) == {**STORED, "v": "second"}
    assert run({**LATE, "v": "c"}, matched=[gone, first]) is None


def test_a_condition_that_is_null_does_not_hold() -> None:
    """The negation of the condition does not hold either."""
    row = {**LATE, "v": None}

    for condition in (["eq", "s.v", "b"], ["not", ["eq", "s.v", "b"]], ["in", "s.v", ["b"]], ["eq", "s.v", None], None):
        clause = {"action": "update", "cond": condition, "set": {"w": 9}}
        assert run(row, matched=[clause]) == (STORED if condition else {**STORED, "w": 9})


def test_without_a_clause_for_new_keys_nothing_is_inserted() -> None:
    """Without a clause for stored keys, nothing is updated."""
    assert run(LATE, stored=None, matched=WHOLE) is None
    assert run(LATE, not_matched=[{}]) == STORED


def test_an_insert_leaves_other_columns_null_and_keeps_the_key() -> None:
    assert run(LATE, stored=None, not_matched=[{"set": {"w": ["mul", "s.w", 10]}}]) == {"id": "1", "w": 20}
    schema = pa.schema([pa.field("id", pa.string()), pa.field("v", pa.string(), nullable=False)])
    payload = default_catalogue().make("payload", NAME, {"not_matched": [{"set": {"id": "s.id"}}]})
    with pytest.raises(OptionError, match=r"not_matched\[0\].* leaves out 'v', which cannot be null"):
        payload.adds(schema, MergerConfig())


def test_deletes_of_the_source() -> None:
    """A key-only delete is applied; a marked row deletes if an update applies to it."""
    clause = {"action": "update", "cond": ["eq", "s.v", "b"], "set": {"v": "s.v"}}

    assert run(delete("1", 1), matched=[clause]) is None
    assert run(delete("1"), matched=[clause]) is None
    assert run(flagged(LATE), matched=[clause]) is None
    assert run(flagged({**LATE, "v": "c"}), matched=[clause]) == STORED


@pytest.mark.skipif(not installed("builtin-flag", "delete"), reason="delete rule 'builtin-flag' is not installed")
def test_an_update_that_sets_the_mark_deletes() -> None:
    marking = {"action": "update", "set": {"_hoodie_is_deleted": ["eq", "s.v", "b"]}}
    schema = {**SCHEMA, "_hoodie_is_deleted": "boolean?"}

    assert run(LATE, matched=[marking], schema=schema) is None
    assert run({**LATE, "v": "c"}, matched=[marking], schema=schema) == {**STORED, "_hoodie_is_deleted": False}


def test_within_a_batch_the_greater_ordering_value_is_left() -> None:
    """Clauses are applied only to the record with the greater ordering value."""
    rows = [{**LATE, "ts": 9, "v": "kept"}, {**LATE, "v": "lost"}]
    clause = {"action": "update", "cond": ["eq", "s.v", "lost"]}

    assert merged("payload", NAME, rows, stored=STORED, schema=SCHEMA, matched=[clause]) == STORED


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "have no clauses"),
        ({"matched": [{"cond": ["eq", "s.v", "a"]}]}, r"the action of matched\[0\] must be update or delete"),
        ({"matched": [{"action": "update", "where": 1}]}, r"matched\[0\] has unknown key 'where'"),
        ({"matched": [{"action": "delete", "set": {"v": 1}}]}, r"'set' of matched\[0\]"),
        (
            {"matched": [*WHOLE, {"action": "update", "cond": ["like", "s.v", "a"]}]},
            r"matched\[1\].*no function 'like'",
        ),
        ({"matched": [{"action": "update", "cond": ["eq", "s.v"]}]}, r'matched\[0\].*"eq" takes 2 arguments, got 1'),
        ({"matched": [{"action": "update", "set": {"v": {}}}]}, r"matched\[0\].*\{\} is not an expression"),
        ({"matched": [{"action": "update", "set": {"_hoodie_commit_time": "1"}}]}, "_hoodie_commit_time"),
        ({"not_matched": [{"cond": ["is_null", "t.v"]}]}, r"not_matched\[0\] reads the target"),
        ({"matched": [{"action": "update", "set": {"x": 1}}]}, r"matched\[0\].* sets 'x', which is not a column"),
        ({"matched": [{"action": "update", "set": {"v": "s.x"}}]}, r"'v' of matched\[0\].* names column 's.x'"),
        ({"matched": [{"action": "update", "cond": ["eq", "t.x", 1]}]}, r"condition of matched\[0\].* column 't.x'"),
        ({"matched": [{"action": "update", "cond": "s.v"}]}, r"condition of matched\[0\].* must be boolean"),
        ({"matched": [{"action": "update", "cond": ["gt", "s.v", 1]}]}, r"condition of matched\[0\].* does not fit"),
        ({"matched": [{"action": "update", "set": {"w": "many"}}]}, r"'w' of matched\[0\].* does not fit"),
        (
            {"matched": [{"action": "update", "set": {"id": "s.v"}}]},
            r"matched\[0\].* sets 'id', a column of the record",
        ),
    ],
)
def test_a_clause_that_cannot_be_is_refused(options: dict[str, Any], message: str) -> None:
    """The error names the clause, and the column if one is wrong; options without any clause are refused too."""
    with pytest.raises(OptionError, match=message):
        run(LATE, **options)


def test_a_value_that_cannot_be_computed_is_the_fault_of_the_rows() -> None:
    """The value is computed only for the rows of its clause."""
    clause = {"action": "update", "cond": ["eq", "s.v", "b"], "set": {"w": "s.v"}}

    assert run({**LATE, "v": "c"}, matched=[clause]) == STORED
    with pytest.raises(DataError, match=r"'w' of matched\[0\].* cannot be computed"):
        run(LATE, matched=[clause])
