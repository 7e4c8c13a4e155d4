"""The rule of a write."""

from __future__ import annotations

import pytest

from hoodoo.errors import OptionError, UnknownPlugin
from hoodoo.options import RuleOptions, parse
from hoodoo.plugin import default_catalogue
from hoodoo.properties import TableProperties
from hoodoo.properties import property_keys as keys
from hoodoo.record import DeleteContext, KeyConfig
from hoodoo.table_rules.writer_rule import replace_payload, requested_rule, resolve_rule
from hoodoo.writing.prepare.prepare import GROUPS

KEYS = KeyConfig(("id",), ("p:simple",))


def resolved(stored=None, **given):
    return resolve_rule(RuleOptions(**given), stored or {}, default_catalogue(), KEYS)


def test_without_a_rule_the_ordering_column_decides():
    assert resolved().plugin.name == "commit-time"
    found = resolved({keys.PRECOMBINE_FIELD: "ts,n"})
    assert (found.family, found.plugin.name, found.config.ordering) == ("merger", "event-time", ("ts", "n"))
    assert (found.config.record_key, found.config.partition_by) == (("id",), ("p",))


def test_the_rule_of_the_table_is_used_and_may_be_named_again():
    stored = {keys.MERGER: "commit-time"}
    assert resolved(stored).plugin.name == "commit-time"
    assert resolved(stored, merger="commit-time").plugin.name == "commit-time"
    with pytest.raises(OptionError, match="the table's rule is merger 'commit-time'") as refused:
        resolved(stored, merger="event-time")
    assert refused.value.code == "contradiction"


def test_one_rule_at_a_time():
    with pytest.raises(OptionError, match="not both"):
        resolved(merger="commit-time", payload="event-time")


def test_a_merger_has_one_ordering_and_one_semantics():
    orderings = {keys.PRECOMBINE_FIELD: "ts", keys.PAYLOAD_ORDERING: "n"}
    with pytest.raises(OptionError, match="one ordering"):
        resolved(orderings, merger="event-time")
    with pytest.raises(OptionError, match="compat"):
        resolved(merger="event-time", compat="1.1")
    assert resolved(orderings, payload="event-time", compat="1.1").payload_ordering == ("n",)


def test_options_must_be_those_of_the_table():
    stored = {keys.MERGER: "event-time-partial", keys.RULE_OPTIONS: '{"partial": "keep-values"}'}
    assert resolved(stored).config.options == {"partial": "keep-values"}
    with pytest.raises(OptionError, match="merger_options") as refused:
        resolved(stored, merger_options={"partial": "ignore-defaults"})
    assert refused.value.code == "contradiction"


def test_delete_rules_are_stored_ones_or_those_of_the_rule():
    assert [rule.name for rule in resolved(merger="event-time").delete_rules] == ["any-of"]
    assert [rule.name for rule in resolved({keys.DELETE_RULE: "none"}).delete_rules] == ["none"]
    found = resolved({keys.DELETE_FIELD: "op", keys.DELETE_MARKER: "D"})
    assert found.config.delete == DeleteContext("op", "D")


def test_a_rule_that_is_not_installed_is_named():
    with pytest.raises(UnknownPlugin, match="nowhere"):
        resolved(merger="nowhere")


@pytest.mark.parametrize(("version", "merger"), [(6, None), (8, "event-time"), (9, "event-time")])
def test_payloads_are_merge_modes_from_version_8_on(version, merger):
    given = replace_payload(RuleOptions(payload="event-time"), default_catalogue(), version)
    assert given.merger == merger
    assert (given.payload is None) == (merger is not None)


def test_the_version_is_that_of_the_table_or_of_the_options():
    options = parse({"payload": "event-time", "table_version": 9}, GROUPS)
    assert requested_rule(None, options, default_catalogue()).merger == "event-time"
    stored = TableProperties({keys.TABLE_VERSION: "6"})
    assert requested_rule(stored, options, default_catalogue()).payload == "event-time"


@pytest.mark.parametrize("mode", ["CUSTOM", "custom", "00000000-0000-0000-0000-000000000000"])
def test_the_merge_mode_of_payloads_leaves_the_rule_to_the_payload(mode):
    options = parse({"payload": "partial-update", "hoodie.write.record.merge.mode": mode}, GROUPS)
    found = requested_rule(None, options, default_catalogue())
    assert (found.payload, found.merger) == ("partial-update", None)


def test_another_merge_mode_and_a_payload_are_two_rules():
    options = parse({"payload": "partial-update", "merger": "event-time"}, GROUPS)
    assert requested_rule(None, options, default_catalogue()) == options[RuleOptions]
