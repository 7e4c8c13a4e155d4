"""The rules of a table, and the properties that name them."""

from __future__ import annotations

import pytest

from hoodoo.explain.rule_uses import rule_settings, rule_uses
from hoodoo.plugin import default_catalogue
from hoodoo.properties import TableProperties
from hoodoo.properties import property_keys as keys

BASE = {
    keys.TABLE_VERSION: "9",
    keys.TABLE_TYPE: "MERGE_ON_READ",
    keys.RECORD_KEY_FIELDS: "id",
    keys.ORDERING_FIELDS: "ts",
    keys.MERGE_MODE: "EVENT_TIME_ORDERING",
}


def uses(**changes):
    properties = {key: value for key, value in {**BASE, **changes}.items() if value is not None}
    return rule_uses(TableProperties(properties), default_catalogue())


def test_readers_and_writers_of_a_merge_on_read_table():
    reading, writing = uses()
    assert (reading.use, writing.use) == ("reading", "writing")
    for use in (reading, writing):
        assert "'event-time'" in use.label
        assert (use.ordering, use.compares, use.ordering_from) == (("ts",), True, keys.ORDERING_FIELDS)


def test_a_copy_on_write_table_has_writers_only():
    assert [use.use for use in uses(**{keys.TABLE_TYPE: "COPY_ON_WRITE"})] == ["writing"]


def test_a_rule_that_does_not_compare():
    for use in uses(**{keys.MERGE_MODE: "COMMIT_TIME_ORDERING"}):
        assert use.compares is False


def test_a_rule_that_is_not_installed_has_its_error_as_label():
    reading, _ = uses(**{keys.MERGE_MODE: "CUSTOM", keys.MERGER: "nowhere"})
    assert reading.compares is None
    assert "nowhere" in reading.label


@pytest.mark.parametrize("value", [None, ""])
def test_settings_are_the_stored_properties_of_rules(value):
    properties = TableProperties({**BASE, keys.MERGER: value or "", keys.DELETE_FIELD: "op"})
    assert rule_settings(properties) == {
        keys.MERGE_MODE: "EVENT_TIME_ORDERING",
        keys.ORDERING_FIELDS: "ts",
        keys.DELETE_FIELD: "op",
    }
