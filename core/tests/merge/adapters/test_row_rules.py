"""Rules that are written for one record at a time."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from hoodoo.errors import DataError, PluginFault
from hoodoo.merge import Rule
from hoodoo.plugin import RowMerger, RowPayload
from hoodoo.record import BufferedRecord, Choice, MergerConfig, Operation, Outcome, RecordContext, Records

SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("n", pa.int64()),
        ("ts", pa.timestamp("us", tz="UTC")),
        ("price", pa.decimal128(10, 2)),
        ("tags", pa.list_(pa.string())),
        ("info", pa.struct([("a", pa.int32())])),
        ("map", pa.map_(pa.string(), pa.int64())),
        ("lists", pa.map_(pa.string(), pa.list_(pa.int64()))),
    ]
)
ROW = {
    "id": "1",
    "n": 5,
    "ts": dt.datetime(2024, 1, 1, tzinfo=dt.UTC),
    "price": Decimal("1.50"),
    "tags": ["x", None],
    "info": {"a": None},
    "map": [("k", 1)],
    "lists": [("k", [1, 2])],
}
NULLS = dict.fromkeys(ROW) | {"id": "1"}
CONFIG = MergerConfig(record_key=("id",), ordering=("ts",))


def records(rule: Rule, rows: list[dict[str, Any]]) -> Records:
    table = pa.Table.from_pylist(rows, schema=SCHEMA)
    return rule.stored(table, SCHEMA, table["id"].combine_chunks()).records()


def meet(merger: RowMerger, older: list[dict[str, Any]], newer: list[dict[str, Any]]) -> Outcome:
    rule = Rule.of_merger(merger, "merger 'mine' (acme 1.0)", CONFIG)
    return rule.combine(records(rule, older), records(rule, newer))


class Keep(RowMerger):
    def merge(
        self, older: BufferedRecord, newer: BufferedRecord, context: RecordContext, config: MergerConfig
    ) -> BufferedRecord:
        return older


class Added(RowMerger):
    """Rule that takes the newer record, and adds the older `n` to its `n` unless the older one is null."""

    def merge(
        self, older: BufferedRecord, newer: BufferedRecord, context: RecordContext, config: MergerConfig
    ) -> BufferedRecord:
        assert older.data is not None
        assert newer.data is not None
        if older.data["n"] is None:
            return newer
        return newer.with_data(n=older.data["n"] + newer.data["n"])


class Deleting(RowMerger):
    def merge(
        self, older: BufferedRecord, newer: BufferedRecord, context: RecordContext, config: MergerConfig
    ) -> BufferedRecord:
        return newer.as_delete()


def test_a_returned_argument_is_a_choice_without_a_patch() -> None:
    outcome = meet(Keep(), [ROW], [NULLS])

    assert outcome.choice.tolist() == [Choice.KEEP]
    assert outcome.patch == {}


def test_changed_columns_become_a_patch_where_they_changed() -> None:
    outcome = meet(Added(), [ROW, NULLS], [ROW, ROW])

    assert outcome.choice.tolist() == [Choice.TAKE, Choice.TAKE]
    assert outcome.patched is not None
    assert outcome.patched.tolist() == [True, False]
    assert outcome.patch["n"].to_pylist() == [10, 5]
    assert list(outcome.patch) == ["n"]


def test_as_delete_is_a_delete() -> None:
    assert meet(Deleting(), [ROW], [ROW]).choice.tolist() == [Choice.DELETE]


def test_every_type_can_be_read_and_set() -> None:
    """A rule can return the values that it reads: nested values are read-only and come back unchanged."""

    class Copy(RowMerger):
        def merge(
            self, older: BufferedRecord, newer: BufferedRecord, context: RecordContext, config: MergerConfig
        ) -> BufferedRecord:
            assert older.data is not None
            return newer.with_data(**{name: older.data[name] for name in older.data})

    outcome = meet(Copy(), [ROW], [NULLS])

    for name in SCHEMA.names:
        assert outcome.patch[name].type == SCHEMA.field(name).type
        assert outcome.patch[name].to_pylist() == pa.Table.from_pylist([ROW], schema=SCHEMA)[name].to_pylist()


def test_ordering_values_of_timestamps_are_integers() -> None:
    seen = []

    class Look(RowMerger):
        def merge(
            self, older: BufferedRecord, newer: BufferedRecord, context: RecordContext, config: MergerConfig
        ) -> BufferedRecord:
            seen.append((older.key, older.ordering, newer.ordering, older.operation))
            return newer

    meet(Look(), [ROW], [NULLS])

    assert seen == [("1", (1_704_067_200_000_000,), None, Operation.INSERT)]


@pytest.mark.parametrize("column", ["tags", "lists"])
def test_changing_a_nested_value_in_place_fails_and_names_the_key(column: str) -> None:
    """A nested value is read-only, because a change that is not returned would be lost silently."""

    class Mutating(RowMerger):
        def merge(
            self, older: BufferedRecord, newer: BufferedRecord, context: RecordContext, config: MergerConfig
        ) -> BufferedRecord:
            assert newer.data is not None
            values = newer.data[column] if column == "tags" else newer.data[column][0][1]
            values.append("z")
            return newer

    with pytest.raises(
        PluginFault, match=r"merger 'mine' \(acme 1\.0\): it raised AttributeError.*\n.*in merge; key '1'"
    ):
        meet(Mutating(), [ROW], [ROW])


def test_an_error_of_hoodoo_reaches_the_user() -> None:
    """An error of hoodoo that a rule raises is raised unchanged, as for a rule that works on columns."""

    class Refusing(RowMerger):
        def merge(
            self, older: BufferedRecord, newer: BufferedRecord, context: RecordContext, config: MergerConfig
        ) -> BufferedRecord:
            raise DataError("no such document")

    with pytest.raises(DataError, match=r"^no such document$"):
        meet(Refusing(), [ROW], [ROW])


@pytest.mark.parametrize(
    ("result", "message"),
    [
        ({"n": 1}, r"returned dict instead of a BufferedRecord; return `older`.*\n.*key '1'"),
        ("text", "returned str instead"),
    ],
)
def test_values_that_are_not_records_are_rejected(result: Any, message: str) -> None:
    class Wrong(RowMerger):
        def merge(
            self, older: BufferedRecord, newer: BufferedRecord, context: RecordContext, config: MergerConfig
        ) -> Any:
            return result

    with pytest.raises(PluginFault, match=message):
        meet(Wrong(), [ROW], [ROW])


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("n", "text", "column 'n' to a value that is not of type int64"),
        ("x", 1, "column 'x', which the table does not have"),
    ],
)
def test_a_value_that_does_not_fit_is_refused(column: str, value: Any, message: str) -> None:
    class Wrong(RowMerger):
        def merge(
            self, older: BufferedRecord, newer: BufferedRecord, context: RecordContext, config: MergerConfig
        ) -> BufferedRecord:
            return newer.with_data(**{column: value})

    with pytest.raises(PluginFault, match=message):
        meet(Wrong(), [ROW], [ROW])


def test_a_payload_of_row_form_can_ignore_a_record() -> None:
    class OnlyGrowing(RowPayload):
        def pre_combine(self, older: Any, newer: Any, context: Any, config: Any) -> BufferedRecord:
            return newer  # type: ignore[no-any-return]

        def combine_and_get_update_value(
            self, stored: Any, incoming: Any, context: Any, config: Any
        ) -> BufferedRecord | None:
            return incoming if incoming.data["n"] > stored.data["n"] else None

        def get_insert_value(self, incoming: Any, context: Any, config: Any) -> BufferedRecord | None:
            return None if incoming.data["n"] is None else incoming

    rule = Rule.of_payload(OnlyGrowing(), "payload 'mine' (acme 1.0)", CONFIG)
    stored, bigger = records(rule, [ROW, ROW]), records(rule, [ROW, ROW | {"n": 6}])

    assert rule.combine(stored, bigger).choice.tolist() == [Choice.KEEP, Choice.TAKE]
    assert rule.insert(records(rule, [ROW, NULLS])).choice.tolist() == [Choice.TAKE, Choice.KEEP]


def test_a_payload_of_row_form_can_change_what_it_inserts() -> None:
    """The outcome for an inserted record is TAKE, and the patch has its changed columns."""

    class Doubled(RowPayload):
        def get_insert_value(self, incoming: Any, context: Any, config: Any) -> BufferedRecord | None:
            return incoming.with_data(n=incoming.data["n"] * 2).because(1)

    rule = Rule.of_payload(Doubled(), "payload 'mine' (acme 1.0)", CONFIG)
    outcome = rule.insert(records(rule, [ROW]))

    assert outcome.choice.tolist() == [Choice.TAKE]
    assert outcome.patch["n"].to_pylist() == [10]


def test_a_key_only_delete_has_no_data() -> None:
    seen = []

    class Look(RowMerger):
        def merge(
            self, older: BufferedRecord, newer: BufferedRecord, context: RecordContext, config: MergerConfig
        ) -> BufferedRecord:
            seen.append((newer.data, newer.is_delete))
            return newer

    rule = Rule.of_merger(Look(), "merger 'mine' (acme 1.0)", MergerConfig(record_key=("id",)))
    table = pa.table({"id": ["1"]})
    deletes = rule.incoming(table, SCHEMA, table["id"].combine_chunks(), np.array([True]), np.array([False]))
    rule.combine(records(rule, [ROW]), deletes.records())

    assert seen == [(None, True)]


class Reasoned(Keep):
    reasons = {3: "it is even"}  # noqa: RUF012 - as authors write it

    def merge(
        self, older: BufferedRecord, newer: BufferedRecord, context: RecordContext, config: MergerConfig
    ) -> BufferedRecord:
        return newer if newer.data is not None and newer.data["n"] % 2 else older.with_data(n=0).because(3)


class Adds(RowMerger):
    """Rule that does not check for key-only deletes, which have no data."""

    laws = frozenset()

    def merge(
        self, older: BufferedRecord, newer: BufferedRecord, context: RecordContext, config: MergerConfig
    ) -> BufferedRecord:
        return newer.with_data(n=older.data["n"] + newer.data["n"])  # type: ignore[index]


@pytest.mark.parametrize("side", ["older", "newer"])
def test_data_of_a_key_only_delete_gets_the_condition_to_write(side: str) -> None:
    rule = Rule.of_merger(Adds(), "merger 'mine' (acme 1.0)", MergerConfig(record_key=("id",)))
    table = pa.table({"id": ["1"], "n": [1]})
    keys = table["id"].combine_chunks()
    live = rule.stored(table, table.schema, keys).records()
    gone = rule.incoming(table.select(["id"]), table.schema, keys, np.array([True]), np.array([False])).records()

    with pytest.raises(PluginFault) as caught:
        rule.combine(*((gone, live) if side == "older" else (live, gone)))

    first, second = str(caught.value).splitlines()
    assert first == (
        "merger 'mine' (acme 1.0): it raised TypeError: 'NoneType' object is not subscriptable; "
        f"`{side}.data` of a key-only delete is None: decide such pairs first, `if {side}.data is None:`"
    )
    line = Adds.merge.__code__.co_firstlineno + 3
    assert second == f"  File \"{__file__}\", line {line}, in merge; key '1'"


def test_another_error_about_none_gets_no_advice() -> None:
    rule = Rule.of_merger(Adds(), "merger 'mine' (acme 1.0)", MergerConfig(record_key=("id",)))
    table = pa.table({"id": ["1"], "n": pa.array([None], pa.int64())})
    live = rule.stored(table, table.schema, table["id"].combine_chunks()).records()

    with pytest.raises(PluginFault) as caught:
        rule.combine(live, live)

    assert "key-only" not in str(caught.value)


def test_a_reason_travels_with_the_record() -> None:
    outcome = meet(Reasoned(), [ROW, ROW], [ROW, ROW | {"n": 6}])

    assert outcome.choice.tolist() == [Choice.TAKE, Choice.KEEP]
    assert outcome.reason is not None
    assert outcome.reason.tolist() == [-1, 3]
    assert outcome.patch["n"][1].as_py() == 0
    assert Rule.of_merger(Reasoned(), "merger 'mine'", CONFIG).log.reasons == {3: "it is even"}


def test_without_reasons_none_are_given() -> None:
    assert meet(Keep(), [ROW], [ROW]).reason is None
