"""Rules that tables name in Hudi's properties."""

from __future__ import annotations

import pytest

from hoodoo.errors import UnsupportedTable
from hoodoo.plugin import default_catalogue
from hoodoo.properties import TableProperties
from hoodoo.properties import property_keys as keys
from hoodoo.table_rules.merge_modes import merger_of_payload_class, named_rule

MODEL = "org.apache.hudi.common.model."
EVENT_TIME = "eeb8d96f-b1e4-49fd-bbf8-28ac514178e5"
UNAVAILABLE = (
    "hoodie.record.merge.property.partial.update.unavailable.value",
    "hoodie.record.merge.property.hoodie.write.partial.update.unavailable.value",
)


def named(version=9, **properties):
    stored = {getattr(keys, name): value for name, value in properties.items()}
    table = TableProperties({keys.TABLE_NAME: "t", keys.TABLE_VERSION: str(version), **stored})
    return named_rule(table, default_catalogue())


@pytest.mark.parametrize(
    ("mode", "merger"), [("COMMIT_TIME_ORDERING", "commit-time"), ("EVENT_TIME_ORDERING", "event-time")]
)
def test_a_mode_names_a_merger(mode, merger):
    assert named(MERGE_MODE=mode) == (merger, {})


def test_without_a_mode_the_ordering_column_decides():
    assert named(6, PRECOMBINE_FIELD="ts") == ("event-time", {})
    assert named(6) == ("commit-time", {})


@pytest.mark.parametrize(
    ("payload", "merger"),
    [
        ("OverwriteWithLatestAvroPayload", "commit-time"),
        ("DefaultHoodieRecordPayload", "event-time"),
        ("EventTimeAvroPayload", "event-time"),
    ],
)
def test_payloads_that_are_a_mode(payload, merger):
    assert named(6, PAYLOAD_CLASS=MODEL + payload) == (merger, {})


def test_other_payloads_are_none_of_the_modes():
    assert named(6, PAYLOAD_CLASS=MODEL + "AWSDmsAvroPayload") is None
    assert named(9, MERGE_MODE="CUSTOM", STRATEGY_ID="11111111-0000-0000-0000-000000000000") is None


@pytest.mark.parametrize(("version", "merger"), [(6, "commit-time"), (8, "event-time")])
def test_below_version_8_the_payload_counts_and_later_the_strategy(version, merger):
    properties = {"STRATEGY_ID": EVENT_TIME, "PAYLOAD_CLASS": MODEL + "OverwriteWithLatestAvroPayload"}
    assert named(version, **properties) == (merger, {})


def test_partial_updates_have_a_merger_of_their_own():
    found = named(MERGE_MODE="EVENT_TIME_ORDERING", PARTIAL_UPDATE_MODE="ignore_defaults")
    assert found == ("event-time-partial", {"partial": "ignore-defaults"})


@pytest.mark.parametrize("key", UNAVAILABLE)
def test_the_marker_of_unavailable_values_has_two_names(key):
    stored = {keys.TABLE_VERSION: "9", keys.MERGE_MODE: "COMMIT_TIME_ORDERING", key: "?"}
    properties = TableProperties({**stored, keys.PARTIAL_UPDATE_MODE: "FILL_UNAVAILABLE"})
    assert named_rule(properties, default_catalogue()) == (
        "commit-time-partial",
        {"partial": "fill-unavailable", "unavailable_value": "?"},
    )


@pytest.mark.parametrize(
    ("properties", "code"),
    [
        ({"MERGE_MODE": "OTHER"}, "merge_mode"),
        ({"MERGE_MODE": "COMMIT_TIME_ORDERING", "PARTIAL_UPDATE_MODE": "OTHER"}, "partial_update_mode"),
    ],
)
def test_modes_that_are_not_known_are_refused(properties, code):
    with pytest.raises(UnsupportedTable, match="OTHER") as refused:
        named(**properties)
    assert refused.value.code == code


def test_a_payload_class_has_a_merger_where_one_declares_it():
    assert merger_of_payload_class(MODEL + "DefaultHoodieRecordPayload", default_catalogue()) == "event-time"
    assert merger_of_payload_class(MODEL + "AWSDmsAvroPayload", default_catalogue()) is None
