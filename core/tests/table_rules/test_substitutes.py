"""Mergers that replace payloads from table version 9 on."""

from __future__ import annotations

import pytest

from hoodoo.options import RuleOptions
from hoodoo.plugin import default_catalogue
from hoodoo.table_rules.writer_rule import replace_payload


def replaced(payload, version=9, **given):
    return replace_payload(RuleOptions(payload=payload, **given), default_catalogue(), version)


@pytest.mark.parametrize(
    ("payload", "merger", "partial"),
    [
        ("overwrite-non-defaults", "commit-time-partial", "ignore-defaults"),
        ("partial-update", "event-time-partial", "ignore-defaults"),
        ("postgres-debezium", "event-time-partial", "fill-unavailable"),
    ],
)
def test_partial_payloads(payload, merger, partial):
    found = replaced(payload)
    assert (found.payload, found.merger) == (None, merger)
    assert found.merger_options["partial"] == partial


def test_the_marker_of_deletes_is_that_of_the_payload_unless_the_user_names_one():
    assert (replaced("aws-dms").delete_field, replaced("aws-dms").delete_marker) == ("Op", "D")
    own = replaced("aws-dms", delete_field="x", delete_marker="y")
    assert (own.delete_field, own.delete_marker) == ("x", "y")


def test_the_ordering_of_change_data_is_fixed():
    assert replaced("mysql-debezium", ordering=("ts",)).ordering == ("_event_bin_file", "_event_pos")
    nested = ("source._event_bin_file", "source._event_pos")
    assert replaced("mysql-debezium", ordering=nested).ordering == nested


def test_payloads_stay_below_their_versions():
    assert replaced("aws-dms", 6).payload == "aws-dms"
    assert replaced("aws-dms", 8).payload == "aws-dms"
