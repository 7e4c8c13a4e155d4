"""Options that do not exist, cannot be honoured, or contradict each other: nothing is written."""

from __future__ import annotations

import warnings

import pyarrow as pa
import pytest

from hoodoo.errors import NotATable, OptionError, SchemaError, TableExists, UnknownOption, UnknownPlugin
from hoodoo.options import NoEffectWarning
from hoodoo.options.hudi import VERDICTS, Effect
from hoodoo.testing.engine import write_arrow

pytestmark = pytest.mark.slow

REFUSED = {key: rule for rule in VERDICTS if rule.effect is Effect.REFUSED for key in rule.keys if "*" not in key}
ROWS = pa.table({"id": ["a"], "part": ["x"], "ts": [1], "v": ["1"]})


@pytest.mark.parametrize(
    ("key", "near"),
    [
        ("recordkey", "'record_key'"),
        ("Orderings", "'ordering'"),
        ("hoodie.datasource.write.recordkey.fields", "'hoodie.datasource.write.recordkey.field'"),
        ("zzz", "docs/options.md"),
    ],
)
def test_an_unknown_option(either, refuses, key, near):
    error = refuses.early(UnknownOption, "unknown_option", f"'{key}'", near, write=lambda: either.write(**{key: "id"}))

    assert isinstance(error, (ValueError, LookupError))


def test_an_option_key_that_is_not_text(either, refuses):
    given = either.options({5: "id"})

    refuses.early(OptionError, "option", "option name 5", "int", write=lambda: write_arrow(ROWS, either.path, given))


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("buckets", "many", ["'many'", "whole number"]),
        ("buckets", 0, ["at least 1"]),
        ("buckets", -3, ["-3", "at least 1"]),
        ("buckets", 2.5, ["2.5", "whole number"]),
        ("max_file_size", 0, ["at least 1"]),
        ("max_file_size", "1GB", ["'1GB'", "whole number"]),
        ("small_file_limit", "none", ["whole number"]),
        ("hive_style", "maybe", ["'maybe'", "true or false"]),
        ("url_encode", 3, ["true or false"]),
        ("table_name", ["t"], ["text", "list"]),
        ("table_name", True, ["text", "bool"]),
        ("record_key", 5, ["column names"]),
        ("record_key", [1], ["column names"]),
        ("record_key", "id,id", ["'id' twice"]),
        ("partition_by", "part,part", ["'part' twice"]),
        ("ordering", ["ts", "ts"], ["'ts' twice"]),
        ("merger_options", "{x", ["JSON"]),
        ("merger_options", [1], ["dictionary"]),
        ("keygen_options", "5", ["dictionary"]),
        ("operation", "merge", ["'merge'", "upsert, insert, bulk_insert, delete"]),
        ("index", "inmemory", ["'inmemory'", "stored twice"]),
        ("index", "tree", ["'tree'", "simple, bloom, bucket"]),
        ("bloom_fpp", "small", ["a number"]),
        ("bloom_fpp", 1, ["between 0 and 1"]),
        ("bloom_entries", 0, ["at least 1"]),
        ("compression", "bzip2", ["'bzip2'", "zstd"]),
        ("compat", "2", ["legacy, 1.1"]),
        ("table_type", "COW", ["'COW'", "COPY_ON_WRITE"]),
    ],
)
def test_an_invalid_value_of_an_option(either, refuses, option, value, words):
    refuses.early(OptionError, "option", f"'{option}'", *words, write=lambda: either.write(**{option: value}))


def test_two_spellings_of_one_option_that_disagree(either, refuses):
    refuses.early(
        OptionError,
        "option",
        "'table_name'",
        "'hoodie.table.name'",
        "'t'",
        "'u'",
        write=lambda: either.write(**{"hoodie.table.name": "u"}),
    )


def test_two_spellings_of_one_option_that_agree(place):
    place.write(**{"hoodie.table.name": "t", "hoodie.datasource.write.recordkey.field": "id"})

    assert len(place.rows()) == 3


@pytest.mark.parametrize("key", REFUSED)
def test_a_hudi_key_that_would_change_results_is_refused(place, refuses, key):
    refuses.early(OptionError, "option", f"'{key}'", REFUSED[key].reason, write=lambda: place.write(**{key: "else"}))


@pytest.mark.parametrize(
    ("key", "value", "reason"),
    [
        ("hoodie.allow.operation.metadata.field", "true", "is not written"),
        ("hoodie.write.concurrency.mode", "NON_BLOCKING_CONCURRENCY_CONTROL", "rolls back the second"),
        (
            "hoodie.write.lock.conflict.resolution.strategy",
            "x.PreferWriterConflictResolutionStrategy",
            "no write waits",
        ),
        ("hoodie.metadata.enable", "maybe", "true or false"),
        ("hoodie.table.base.file.format", "ORC", "Parquet"),
    ],
)
def test_what_a_pyspark_user_may_have_set(either, refuses, key, value, reason):
    refuses.early(OptionError, "option", f"'{key}'", repr(value), reason, write=lambda: either.write(**{key: value}))


def test_keys_without_effect_give_one_notice_that_names_all(place):
    keys = ("hoodie.upsert.shuffle.parallelism", "hoodie.insert.shuffle.parallelism", "hoodie.metadata.index.async")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        place.write(**dict.fromkeys(keys[:2], 2), **{keys[2]: "true"})

    metadata, tuning = caught
    assert metadata.category is tuning.category is NoEffectWarning
    assert keys[2] in str(metadata.message)
    assert all(key in str(tuning.message) for key in keys[:2])
    assert len(place.rows()) == 3


def test_keys_that_repeat_the_behavior_give_no_notice(place):
    said = {key: rule.same[0] for rule in VERDICTS if rule.same for key in rule.keys if "*" not in key}

    place.write(**said)

    assert len(place.rows()) == 3


@pytest.mark.parametrize("mode", ["apend", "", None])
def test_a_mode_that_does_not_exist(either, refuses, mode):
    refuses.early(
        OptionError, "option", repr(mode), "append, overwrite, errorifexists", write=lambda: either.write(mode=mode)
    )


@pytest.mark.parametrize("mode", ["errorifexists", "error"])
def test_a_table_that_should_not_exist(place, refuses, mode):
    place.write()

    refuses.early(TableExists, "table_exists", str(place.path), "append", write=lambda: place.write(mode=mode))


def test_overwriting_a_table_by_a_delete(place, refuses):
    place.write()

    refuses.early(
        OptionError,
        "option",
        "'overwrite'",
        "'delete'",
        write=lambda: place.write(mode="overwrite", operation="delete"),
    )


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (
            {"operation": "insert", "dup_policy": "fail", "drop_duplicates": True},
            "contradiction",
            ["'dup_policy' is fail"],
        ),
        (
            {"operation": "bulk_insert", "dup_policy": "drop"},
            "contradiction",
            ["belong to operation insert", "'bulk_insert'"],
        ),
        ({"operation": "upsert", "partitions_to_delete": "x"}, "contradiction", ["delete_partition", "'upsert'"]),
        ({"operation": "delete_partition", "partitions_to_delete": "nope"}, "unknown_partition", ["'nope'"]),
    ],
)
def test_options_of_another_operation(place, refuses, options, code, words):
    place.write()

    refuses.early(OptionError, code, *words, write=lambda: place.write(**options))


@pytest.mark.parametrize(
    ("family", "name", "words"),
    [
        ("merger", "evnt-time", ["merger", "did you mean 'event-time'"]),
        ("payload", "evnt-time", ["payload", "did you mean 'event-time'"]),
        ("keygen", "simpel", ["key generator", "did you mean 'simple'"]),
        ("payload", "com.acme.MyPayload", ["payload", "installed: "]),
        ("merger", "simple", ["'simple' is a key generator"]),
    ],
)
def test_an_unknown_plugin(either, refuses, family, name, words):
    refuses.early(UnknownPlugin, "unknown_plugin", f"'{name}'", *words, write=lambda: either.write(**{family: name}))


@pytest.mark.parametrize(("family", "name"), [("keygen", "uuid"), ("payload", "mysql-debezium")])
def test_an_official_plugin_that_is_not_installed(place, refuses, without, family, name):
    without(f"hoodoo-{family}-{name}")
    refuses.early(
        UnknownPlugin,
        "unknown_plugin",
        f"pip install hoodoo-{family}-{name}",
        write=lambda: place.write(**{family: name}),
    )


def test_a_merger_that_does_not_match_the_columns(place, refuses):
    options = {"merger": "sequence-group", "merger_options": {"sequence_groups": {"k": ["v"]}}}
    refuses.early(OptionError, "option", "sequence column 'k'", "is not a column", write=lambda: place.write(**options))


def test_an_unknown_delete_rule(place, refuses):
    refuses.early(
        UnknownPlugin,
        "unknown_plugin",
        "did you mean 'builtin-flag'",
        write=lambda: place.write(delete_rule="buildin-flag"),
    )


def test_an_option_that_the_plugin_does_not_have(place, refuses):
    refuses.early(
        UnknownOption,
        "unknown_option",
        "merger 'event-time'",
        "hoodoo-merger-event-time",
        "'x'",
        write=lambda: place.write(merger_options={"x": 1}),
    )


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        ({"payload": "event-time", "merger": "event-time"}, "option", ["a payload or a merger, not both"]),
        ({"merger": "event-time", "compat": "1.1"}, "option", ["'compat'", "payload"]),
        ({"compat": "1.1"}, "option", ["'compat'"]),
        ({"payload_ordering": "v"}, "option", ["'payload_ordering'", "'ordering'", "use a payload"]),
        ({"payload": "event-time", "delete_field": "v"}, "delete_config", ["hoodie.payload.delete.marker", "as well"]),
        ({"payload": "event-time", "delete_marker": "D"}, "delete_config", ["hoodie.payload.delete.field", "as well"]),
        ({"index": "bucket", "bucket_by": "v"}, "option", ["'bucket_by'", "record key"]),
        ({"buckets": 4}, "option", ["'buckets'", "'index' = 'bucket'"]),
        ({"bucket_by": "id", "index": "simple"}, "option", ["'bucket_by'", "'index' = 'bucket'"]),
        ({"table_name": None}, "new_table", ["'table_name'"]),
        ({"table_name": ""}, "new_table", ["'table_name'"]),
        ({"record_key": " , "}, "new_table", ["'record_key'"]),
        (
            {"record_key": None, "operation": "insert", "dup_policy": "drop"},
            "generated_keys",
            ["'dup_policy'", "no effect"],
        ),
        ({"table_version": 7}, "option", ["'table_version' is 7", "6, 8, 9"]),
        ({"keygen": "simple", "partition_by": "part,v"}, "simple_needs_one_field", ["'partition_by'", "'complex'"]),
        ({"keygen": "simple", "record_key": "id,v"}, "simple_needs_one_field", ["'record_key'", "'complex'"]),
        ({"keygen": "timestamp"}, "option", ["timestamp_type", "EPOCHMILLISECONDS"]),
    ],
)
def test_options_that_make_no_new_table(place, refuses, options, code, words):
    refuses.early(OptionError, code, *words, write=lambda: place.write(**options))


def test_the_delete_column_is_missing(place, refuses):
    refuses.early(
        SchemaError,
        "column_missing",
        "'gone'",
        "'delete_field'",
        "id, part, ts, v",
        write=lambda: place.write(payload="event-time", delete_field="gone", delete_marker="D"),
    )


def test_deleting_where_there_is_no_table(place, refuses):
    refuses.early(
        NotATable, "not_a_table", str(place.path), "check the path", write=lambda: place.write(operation="delete")
    )
