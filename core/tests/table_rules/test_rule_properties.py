"""Properties of a new table for its rule."""

from __future__ import annotations

import pytest

from hoodoo.options import RuleOptions
from hoodoo.plugin import default_catalogue
from hoodoo.properties import property_keys as keys
from hoodoo.record import KeyConfig
from hoodoo.table_rules.merge_modes import BY_PAYLOAD
from hoodoo.table_rules.rule_properties import rule_properties
from hoodoo.table_rules.writer_rule import resolve_rule

MODEL = "org.apache.hudi.common.model."
STRATEGIES = {
    "commit-time": "ce9acb64-bde0-424c-9b91-f6ebba25356d",
    "event-time": "eeb8d96f-b1e4-49fd-bbf8-28ac514178e5",
}
UNAVAILABLE = (
    "hoodie.record.merge.property.partial.update.unavailable.value",
    "hoodie.record.merge.property.hoodie.write.partial.update.unavailable.value",
)


def stored(version, merged_by_readers=False, properties=None, **given):
    spec = resolve_rule(RuleOptions(**given), properties or {}, default_catalogue(), KeyConfig(("id",)))
    return rule_properties(spec, version, default_catalogue(), merged_by_readers=merged_by_readers)


def test_our_names_are_stored_in_any_version():
    for version in (6, 9):
        found = stored(version, merger="event-time")
        assert found[keys.MERGER] == "event-time"
        assert found[keys.DELETE_RULE] == "any-of"
        assert found[keys.RULE_DIGEST]


def test_below_version_8_a_mode_is_named_by_its_payload():
    found = stored(6, merger="event-time")
    assert found[keys.PAYLOAD_CLASS] == MODEL + "DefaultHoodieRecordPayload"
    assert keys.MERGE_MODE not in found


def test_from_version_8_on_it_is_named_by_mode_and_strategy():
    found = stored(9, merger="commit-time")
    assert found[keys.MERGE_MODE] == "COMMIT_TIME_ORDERING"
    assert found[keys.STRATEGY_ID] == STRATEGIES["commit-time"]
    assert keys.PAYLOAD_CLASS not in found


def test_partial_updates_are_named_as_hudi_names_them():
    options = {"partial": "fill-unavailable", "unavailable_value": "?"}
    found = stored(9, merger="event-time-partial", merger_options=options)
    assert found[keys.MERGE_MODE] == "EVENT_TIME_ORDERING"
    assert found[keys.PARTIAL_UPDATE_MODE] == "FILL_UNAVAILABLE"
    assert [found[key] for key in UNAVAILABLE] == ["?", "?"]


def test_what_hudi_cannot_do_is_custom():
    found = stored(9, merger="event-time-partial", merger_options={"partial": "keep-values"})
    assert found[keys.MERGE_MODE] == "CUSTOM"
    assert found[keys.STRATEGY_ID] not in (*STRATEGIES.values(), BY_PAYLOAD)


@pytest.mark.parametrize(("merged", "payload_class"), [(False, None), (True, "hoodoo.merger.null-partial")])
def test_a_class_of_nobody_keeps_others_from_merging_by_another_rule(merged, payload_class):
    found = stored(6, merged_by_readers=merged, merger="null-partial")
    assert found.get(keys.PAYLOAD_CLASS) == payload_class


def test_a_payload_of_hudi_is_named_by_its_class():
    name = MODEL + "AWSDmsAvroPayload"
    old, new = (stored(version, payload="aws-dms") for version in (6, 8))
    assert old[keys.PAYLOAD_CLASS] == new[keys.PAYLOAD_CLASS] == name
    assert (new[keys.MERGE_MODE], new[keys.STRATEGY_ID]) == ("CUSTOM", BY_PAYLOAD)


@pytest.mark.parametrize(("version", "prefix"), [(6, ""), (9, keys.MERGE_PROPERTY)])
def test_the_marker_of_deletes_has_another_name_later(version, prefix):
    marker = {keys.DELETE_FIELD: "op", keys.DELETE_MARKER: "D"}
    found = stored(version, properties=marker, merger="commit-time")
    assert {key: value for key, value in found.items() if "payload.delete" in key} == {
        prefix + key: value for key, value in marker.items()
    }
