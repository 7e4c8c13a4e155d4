"""Properties that options request, and their contradictions with stored ones."""

from __future__ import annotations

import pytest

from hoodoo.errors import OptionError, UnsupportedTable
from hoodoo.options import IndexOptions, KeyOptions, RuleOptions, TableOptions
from hoodoo.plugin import default_catalogue
from hoodoo.plugin.base import BaseKeyGenerator
from hoodoo.properties import property_keys as keys
from hoodoo.writing.prepare.requested_properties import (
    check_same,
    check_writable,
    effective_properties,
    kinds_given,
    wanted_properties,
)

OURS = {keys.INDEX: "simple", keys.RECORD_KEY_FIELDS: "id", keys.PARTITION_FIELDS: "p", keys.PRECOMBINE_FIELD: "ts"}


def generator(name):
    return default_catalogue().load("keygen", name).declared(BaseKeyGenerator)


def refused(wanted, stored):
    with pytest.raises(OptionError, match="contradict") as found:
        check_same(wanted, stored)
    assert found.value.code == "contradiction"
    return str(found.value)


def test_only_given_options_have_properties():
    wanted = wanted_properties(
        TableOptions(table_name="t", table_version=9),
        KeyOptions(record_key=("a", "b"), hive_style=True),
        RuleOptions(delete_rule_options={"b": 1, "a": [True]}),
        IndexOptions(buckets=4),
    )
    assert wanted == {
        keys.TABLE_NAME: "t",
        keys.TABLE_VERSION: "9",
        keys.RECORD_KEY_FIELDS: "a,b",
        keys.HIVE_STYLE: "true",
        keys.DELETE_RULE_OPTIONS: '{"a": [true], "b": 1}',
        keys.BUCKETS: "4",
    }


def test_options_complete_the_properties_that_hudi_does_not_store():
    wanted = {keys.BUCKETS: "8", keys.TABLE_NAME: "other", keys.INDEX: "global-simple"}
    stored = {keys.TABLE_NAME: "t", keys.INDEX: "simple", keys.ORDERING_FIELDS: "ts"}
    effective = effective_properties(wanted, stored)
    assert effective[keys.BUCKETS] == "8"
    assert effective[keys.TABLE_NAME] == "t"
    assert effective[keys.INDEX] == "global-simple"
    assert effective[keys.PRECOMBINE_FIELD] == "ts"


def test_equal_options_pass():
    check_same({keys.PRECOMBINE_FIELD: "ts", keys.HIVE_STYLE: "false", keys.RECORD_KEY_FIELDS: "id"}, OURS)


def test_every_contradiction_is_named_with_both_values():
    text = refused({keys.RECORD_KEY_FIELDS: "other", keys.HIVE_STYLE: "true", keys.PARTITION_FIELDS: "p"}, OURS)
    assert f"'record_key' ({keys.RECORD_KEY_FIELDS}) is 'id' and the write has 'other'" in text
    assert f"'hive_style' ({keys.HIVE_STYLE}) is 'false' and the write has 'true'" in text
    assert "partition_by" not in text


def test_a_renamed_property_is_compared_and_named_as_it_is_stored():
    stored = {keys.ORDERING_FIELDS: "ts"}
    check_same({keys.PRECOMBINE_FIELD: "ts"}, stored)
    assert keys.ORDERING_FIELDS in refused({keys.PRECOMBINE_FIELD: "v"}, stored)


def test_properties_that_hudi_leaves_open_contradict_nothing_in_its_tables_only():
    check_same({keys.BUCKETS: "4"}, {keys.RECORD_KEY_FIELDS: "id"})
    assert "'buckets'" in refused({keys.BUCKETS: "4"}, OURS)


@pytest.mark.parametrize(("stored", "given", "same"), [("simple", "global-bloom", True), ("simple", "bucket", False)])
def test_indexes_differ_where_one_has_buckets(stored, given, same):
    if same:
        check_same({keys.INDEX: given}, {keys.INDEX: stored})
    else:
        assert "'index'" in refused({keys.INDEX: given}, {keys.INDEX: stored})


def test_a_partition_column_may_be_named_without_its_stored_kind():
    stored = {keys.PARTITION_FIELDS: "p:simple,d:timestamp"}
    check_same({keys.PARTITION_FIELDS: "p,d"}, stored)
    check_same({keys.PARTITION_FIELDS: "p:SIMPLE,d:TIMESTAMP"}, stored)
    refused({keys.PARTITION_FIELDS: "p:timestamp,d:timestamp"}, stored)


def test_kinds_of_a_custom_generator_are_taken_from_options_where_they_are_not_stored():
    wanted = {keys.PARTITION_FIELDS: "p:simple"}
    stored = {keys.PARTITION_FIELDS: "p"}
    custom, simple = generator("custom"), generator("simple")
    assert kinds_given(wanted, stored, custom) == {keys.PARTITION_KINDS: "p:simple"}
    assert kinds_given({keys.PARTITION_FIELDS: "q:simple"}, stored, custom) == {}
    assert kinds_given(wanted, {**stored, keys.PARTITION_KINDS: "p:timestamp"}, custom) == {}
    assert kinds_given(wanted, stored, simple) == {}
    assert kinds_given(wanted, stored, None) == {}


WRITABLE = {keys.TABLE_VERSION: "9"}


@pytest.mark.parametrize("version", ["6", "8", "9"])
def test_three_versions_can_be_written(version):
    check_writable({keys.TABLE_VERSION: version}, "t")


@pytest.mark.parametrize(
    ("entries", "code"),
    [
        ({keys.TABLE_VERSION: "5"}, "table_version"),
        ({keys.TABLE_VERSION: "7"}, "table_version"),
        ({keys.CDC_ENABLED: "true"}, "change_data"),
    ],
)
def test_a_table_that_a_write_would_harm_is_refused(entries, code):
    with pytest.raises(UnsupportedTable) as found:
        check_writable({**WRITABLE, **entries}, "t")
    assert found.value.code == code
