"""The rule of readers and compaction."""

from __future__ import annotations

import pytest

from hoodoo.errors import UnsupportedTable
from hoodoo.plugin import default_catalogue
from hoodoo.properties import TableProperties
from hoodoo.properties import property_keys as keys
from hoodoo.table_rules.reader_rule import read_rule

PAYLOAD = "org.apache.hudi.common.model."


def read(**stored):
    properties = {getattr(keys, name): value for name, value in stored.items()}
    return read_rule(
        TableProperties({keys.TABLE_NAME: "t", keys.TABLE_VERSION: "6", **properties}), default_catalogue()
    )


def test_a_merger_of_our_own_comes_first():
    found = read(MERGER="event-time-partial", RULE_OPTIONS='{"partial": "keep-values"}', PAYLOAD_CLASS=PAYLOAD + "X")
    assert (found.family, found.plugin.name) == ("merger", "event-time-partial")
    assert found.config.options == {"partial": "keep-values"}


def test_a_payload_that_readers_take_for_a_mode():
    found = read(PAYLOAD_CLASS=PAYLOAD + "OverwriteWithLatestAvroPayload", PRECOMBINE_FIELD="ts")
    assert (found.family, found.plugin.name) == ("merger", "commit-time")


def test_other_payloads_merge_logs_themselves():
    found = read(PAYLOAD_CLASS=PAYLOAD + "AWSDmsAvroPayload", COMPAT="1.1")
    assert (found.family, found.plugin.name, found.config.compat) == ("payload", "aws-dms", "1.1")


def test_the_ordering_of_a_payload_comes_before_that_of_the_table():
    found = read(PRECOMBINE_FIELD="ts", PAYLOAD_ORDERING="n")
    assert found.payload_ordering == found.config.ordering == ("n",)
    assert read(PRECOMBINE_FIELD="ts").payload_ordering == ("ts",)


def test_a_merger_of_another_language_is_refused_with_a_remedy():
    with pytest.raises(UnsupportedTable, match=r"hoodoo\.merger") as refused:
        read(TABLE_VERSION="9", MERGE_MODE="CUSTOM", STRATEGY_ID="11111111-0000-0000-0000-000000000000")
    assert refused.value.code == "merge_strategy"
    with pytest.raises(UnsupportedTable, match="properties name neither a strategy id nor a payload class"):
        read(TABLE_VERSION="9", MERGE_MODE="CUSTOM")
