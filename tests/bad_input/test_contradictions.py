"""Options that contradict the table's stored properties."""

from __future__ import annotations

import warnings

import pytest

from hoodoo.errors import OptionError
from hoodoo.options import NoEffectWarning

pytestmark = pytest.mark.slow

PLAIN = {
    "table_name": ("u", "hoodie.table.name"),
    "table_type": ("MERGE_ON_READ", "hoodie.table.type"),
    "table_version": (9, "hoodie.table.version"),
    "database": ("sales", "hoodie.database.name"),
    "record_key": ("id,v", "hoodie.table.recordkey.fields"),
    "partition_by": ("v", "hoodie.table.partition.fields"),
    "ordering": ("v", "hoodie.table.precombine.field"),
    "payload_ordering": ("v", "hoodie.payload.ordering.field"),
    "hive_style": (True, "hoodie.datasource.write.hive_style_partitioning"),
    "url_encode": (True, "hoodie.datasource.write.partitionpath.urlencode"),
    "slash_date": (True, "hoodie.datasource.write.slash.separated.date.partitioning"),
    "consistent_logical_timestamps": (True, "consistent.logical.timestamp.enabled"),
    "index": ("bucket", "hoodoo.index"),
    "buckets": (8, "hoodoo.buckets"),
    "bucket_by": ("id", "hoodoo.bucket_by"),
    "delete_field": ("v", "hoodie.payload.delete.field"),
    "delete_marker": ("D", "hoodie.payload.delete.marker"),
    "delete_rule": ("none", "hoodoo.delete_rule"),
}


@pytest.mark.parametrize("option", PLAIN)
def test_an_option_that_contradicts_the_table(place, refuses, option):
    place.write()
    value, property_ = PLAIN[option]

    refuses.early(
        OptionError,
        "contradiction",
        f"'{option}'",
        property_,
        f"'{str(value).lower() if value is True else value}'",
        "another table",
        write=lambda: place.write(**{option: value}),
    )


@pytest.mark.parametrize("option", ["partition_by", "ordering"])
def test_leaving_columns_out_by_an_empty_option(place, refuses, option):
    place.write()

    refuses.early(OptionError, "contradiction", f"'{option}'", "''", write=lambda: place.write(**{option: ""}))


def test_all_contradictions_are_named_at_once(place, refuses):
    place.write()

    refuses.early(
        OptionError,
        "contradiction",
        "'table_name'",
        "'u'",
        "'ordering'",
        "'v'",
        "'hive_style'",
        write=lambda: place.write(table_name="u", ordering="v", hive_style=True),
    )


@pytest.mark.parametrize(
    "option", [{"merger": "commit-time"}, {"payload": "event-time"}, {"payload": "overwrite-with-latest"}]
)
def test_another_rule_than_the_table_has(place, refuses, option):
    place.write()
    ((family, name),) = option.items()

    refuses.early(
        OptionError,
        "contradiction",
        "merger 'event-time'",
        f"{family} '{name}'",
        "leave the option out",
        write=lambda: place.write(**option),
    )


@pytest.mark.parametrize("name", ["complex", "non-partitioned"])
def test_another_key_generator_than_the_table_has(place, refuses, name):
    place.write()

    with warnings.catch_warnings():
        # the table has partition columns, which the other generator does not use
        warnings.simplefilter("ignore", NoEffectWarning)
        refuses.early(OptionError, "contradiction", "'simple'", f"'{name}'", write=lambda: place.write(keygen=name))


def test_other_key_generator_options_than_the_table_has(place, refuses):
    key = "hoodie.keygen.timebased.timestamp.type"
    output = "hoodie.keygen.timebased.output.dateformat"
    zone = "hoodie.keygen.timebased.output.timezone"
    options = {"keygen": "timestamp", "partition_by": "ts", output: "yyyy/MM", zone: "UTC"}
    place.write(**options, **{key: "EPOCHMILLISECONDS"})

    refuses.early(
        OptionError,
        "contradiction",
        key,
        "'EPOCHMILLISECONDS'",
        "'UNIX_TIMESTAMP'",
        write=lambda: place.write(**options, **{key: "UNIX_TIMESTAMP"}),
    )
    place.write(**options, **{key: "EPOCHMILLISECONDS"})


def test_key_generator_options_that_it_does_not_have(place, refuses):
    place.write()
    key = "hoodie.keygen.timebased.timestamp.type"

    with pytest.warns(NoEffectWarning, match=f"'simple' has no options of timestamps.* without an effect: {key}"):
        place.write(**{key: "EPOCHMILLISECONDS"})


BUCKETS = {"index": "bucket", "buckets": 2, "record_key": "id,v"}


@pytest.mark.parametrize(
    ("option", "value"), [("index", "simple"), ("buckets", 3), ("bucket_by", "id"), ("bucket_by", "v")]
)
def test_another_index_than_the_table_has(place, refuses, option, value):
    """A key that is hashed in two ways would be stored twice."""
    place.write(**BUCKETS)

    refuses.early(
        OptionError,
        "contradiction",
        f"'{option}'",
        f"hoodoo.{option}",
        f"'{value}'",
        write=lambda: place.write(**{**BUCKETS, option: value}),
    )


PAYLOAD = {"payload": "overwrite-with-latest", "delete_field": "v", "delete_marker": "D"}


@pytest.mark.parametrize(
    ("option", "value"), [("delete_field", "ts"), ("delete_marker", "E"), ("delete_rule", "none"), ("compat", "1.1")]
)
def test_other_deletes_or_semantics_than_the_table_has(place, refuses, option, value):
    place.write(**PAYLOAD)

    refuses.early(
        OptionError,
        "contradiction",
        f"'{option}'",
        f"'{value}'",
        write=lambda: place.write(**{**PAYLOAD, option: value}),
    )


def test_other_merger_options_than_the_table_has(place, refuses, site):
    site.install(
        "merger",
        "chosen",
        """
        @frozen
        class Plugin:
            side: str = option(default="newer", help="Which side wins.")
            laws = frozenset()
            def merge(self, older, newer, context, config):
                return Outcome.all(Choice.TAKE, len(newer))
        """,
    )
    place.write(merger="chosen", merger_options={"side": "older"})

    refuses.early(
        OptionError,
        "contradiction",
        "'merger_options'",
        "older",
        "newer",
        write=lambda: place.write(merger="chosen", merger_options={"side": "newer"}),
    )
    place.write(merger="chosen", merger_options={"side": "older"})
    place.write(merger="chosen")


def test_repeating_what_the_table_says_is_fine(place):
    options = {
        "database": "sales",
        "hive_style": True,
        "url_encode": False,
        "keygen": "SIMPLE",
        "payload": "event-time",
        "payload_ordering": "ts",
        "delete_rule": "any_of",
        "delete_field": "v",
        "delete_marker": "D",
        "compat": "legacy",
        "index": "BUCKET",
        "buckets": 2,
        "bucket_by": "id",
        "table_type": "copy_on_write",
        "table_version": 6,
    }
    place.write(**options)

    place.write(**options)
    place.write()

    assert len(place.rows()) == 3


def test_what_was_left_to_its_default_may_be_said_later(place):
    place.write(payload="event-time", index="bucket")

    place.write(payload_ordering="ts", delete_rule="payload-default", compat="legacy", buckets=4, bucket_by="id")

    assert len(place.rows()) == 3


@pytest.mark.parametrize(
    ("name", "column"), [("sample_table_cow__v6_nonpartitioned", "name"), ("cow6-failed-by-0.15.0", "s")]
)
def test_options_that_hudi_does_not_store_are_honoured_on_its_tables(real_place, name, column):
    """A user of Hudi passes the delete column with every write; the table does not store it."""
    place = real_place(name)
    before = place.rows()
    gone = [dict(before[0], **{column: "GONE"})]
    options = dict.fromkeys(["table_name", "record_key", "partition_by", "ordering"])
    options["hoodie.metadata.enable"] = "false"
    rows = place.rows_like(gone)

    place.write(rows, **options, delete_rule="custom-marker", delete_field=column, delete_marker="GONE")

    assert place.rows() == before[1:]
