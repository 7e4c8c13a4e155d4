"""The rule and delete rules that properties name."""

from __future__ import annotations

import pytest

from hoodoo.errors import CorruptTableError
from hoodoo.plugin import default_catalogue
from hoodoo.properties import property_keys as keys
from hoodoo.record import DeleteContext
from hoodoo.table_rules.stored_rule import (
    field_names,
    stored_delete,
    stored_delete_options,
    stored_delete_rules,
    stored_rule,
    stored_rule_options,
)

PAYLOAD = "org.apache.hudi.common.model.OverwriteWithLatestAvroPayload"


@pytest.mark.parametrize(
    ("properties", "rule"),
    [
        ({}, None),
        ({keys.PAYLOAD_CLASS: PAYLOAD, keys.TABLE_VERSION: "6"}, ("payload", PAYLOAD, {})),
        ({keys.MERGE_MODE: "EVENT_TIME_ORDERING", keys.TABLE_VERSION: "9"}, ("merger", "event-time", {})),
        ({keys.MERGER: "mine", keys.PAYLOAD_CLASS: PAYLOAD}, ("merger", "mine", {})),
        ({keys.MERGER: "mine", keys.RULE_OPTIONS: '{"x": 1}'}, ("merger", "mine", {"x": 1})),
        ({keys.PAYLOAD: "yours"}, ("payload", "yours", {})),
    ],
)
def test_the_name_of_a_plugin_comes_before_the_names_of_hudi(properties, rule):
    assert stored_rule(properties, default_catalogue()) == rule


def test_options_are_json():
    assert stored_rule_options({keys.RULE_OPTIONS: '{"x": [1]}'}) == {"x": [1]}
    assert stored_delete_options({}) == {}
    with pytest.raises(CorruptTableError, match="not valid JSON"):
        stored_delete_options({keys.DELETE_RULE_OPTIONS: "{"})
    for text in ("[1]", '"x"', "3"):
        with pytest.raises(CorruptTableError, match="is not a JSON object") as caught:
            stored_rule_options({keys.RULE_OPTIONS: text})
        assert caught.value.file == ".hoodie/hoodie.properties"


def test_delete_rules_are_a_list():
    assert stored_delete_rules({keys.DELETE_RULE: " a, b,"}) == ("a", "b")
    assert stored_delete_rules({}) == ()


def test_the_marker_of_deletes_has_a_later_name():
    first = {keys.DELETE_FIELD: "op", keys.DELETE_MARKER: "D"}
    later = {keys.MERGE_PROPERTY + key: value.lower() for key, value in first.items()}
    assert stored_delete(first) == DeleteContext("op", "D")
    assert stored_delete({**first, **later}) == DeleteContext("op", "d")
    assert stored_delete({}) == DeleteContext()


@pytest.mark.parametrize(("text", "names"), [("a, b", ("a", "b")), ("", ()), (None, ()), (",a,", ("a",))])
def test_names_of_columns(text, names):
    assert field_names(text) == names
