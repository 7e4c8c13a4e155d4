"""A dictionary of options: honoured, without effect, or refused by name."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

from hoodoo.errors import OptionError, UnknownOption
from hoodoo.options import (
    CatalogOptions,
    FileOptions,
    IndexOptions,
    KeyOptions,
    NoEffectWarning,
    ReadOptions,
    RuleOptions,
    TableOptions,
    WriteOptions,
    parse,
)

GROUPS = (TableOptions, KeyOptions, RuleOptions, WriteOptions, IndexOptions, FileOptions, CatalogOptions)


def parsed(**given: Any) -> dict[type, Any]:
    """Return the options that these keys set, and the defaults of the others, by group."""
    options = parse(given, GROUPS)
    return {group: options[group] for group in GROUPS}


def test_nothing_given_is_the_defaults() -> None:
    found = parsed()
    assert found == {group: group() for group in GROUPS}
    assert found[WriteOptions].operation == "upsert"
    assert found[TableOptions].table_name is None


def test_groups_come_in_the_order_they_are_asked_for() -> None:
    options = parse({}, [FileOptions, WriteOptions])
    assert isinstance(options[WriteOptions], WriteOptions)
    with pytest.raises(KeyError):
        options[TableOptions]


def test_a_dictionary_of_hudi_keys_works_as_it_is() -> None:
    found = parsed(
        **{
            "hoodie.table.name": "trips",
            "hoodie.datasource.write.recordkey.field": "a, b",
            "hoodie.datasource.write.partitionpath.field": "p",
            "hoodie.datasource.write.precombine.field": "ts",
            "hoodie.datasource.write.operation": "BULK_INSERT",
            "hoodie.datasource.write.hive_style_partitioning": "True",
            "hoodie.index.type": "BUCKET",
            "hoodie.bucket.index.num.buckets": "8",
        }
    )
    assert found[TableOptions].table_name == "trips"
    assert found[KeyOptions].record_key == ("a", "b")
    assert found[KeyOptions].partition_by == ("p",)
    assert found[KeyOptions].hive_style is True
    assert found[RuleOptions].ordering == ("ts",)
    assert found[WriteOptions].operation == "bulk_insert"
    assert (found[IndexOptions].index, found[IndexOptions].buckets) == ("bucket", 8)


@pytest.mark.parametrize("key", ["RECORD_KEY", "Hoodie.DataSource.Write.RecordKey.Field"])
def test_keys_are_compared_without_regard_to_case(key: str) -> None:
    assert parsed(**{key: "id"})[KeyOptions].record_key == ("id",)


def test_none_means_not_given() -> None:
    assert parsed(ordering=None, operation=None) == parsed()


def test_two_keys_of_one_option_may_agree() -> None:
    found = parsed(**{"record_key": ["a", "b"], "hoodie.datasource.write.recordkey.field": "a,b"})
    assert found[KeyOptions].record_key == ("a", "b")


def test_two_keys_of_one_option_that_disagree_are_named() -> None:
    with pytest.raises(OptionError) as raised:
        parsed(**{"operation": "insert", "hoodie.datasource.write.operation": "delete"})
    for word in ("'operation'", "'hoodie.datasource.write.operation'", "'insert'", "'delete'"):
        assert word in str(raised.value)


@pytest.mark.parametrize(
    ("key", "near"),
    [
        ("recordkey", "record_key"),
        ("orderng", "ordering"),
        ("hoodie.datasource.write.recordkey.fields", "hoodie.datasource.write.recordkey.field"),
    ],
)
def test_an_unknown_key_is_an_error_that_names_near_ones(key: str, near: str) -> None:
    with pytest.raises(UnknownOption) as raised:
        parsed(**{key: "x"})
    assert f"'{key}'" in str(raised.value)
    assert f"'{near}'" in str(raised.value)


def test_an_unknown_key_like_no_other_points_to_the_list() -> None:
    with pytest.raises(UnknownOption, match=r"docs/options\.md"):
        parsed(zzzzzz=1)


def test_keys_of_others_can_be_let_through() -> None:
    found = parse({"path": "/x", "columns": "a"}, [ReadOptions], reject_unknown=False)[ReadOptions]
    assert found == ReadOptions(columns=("a",))


def test_a_write_option_is_unknown_to_a_read() -> None:
    with pytest.raises(UnknownOption):
        parse({"operation": "upsert"}, [ReadOptions])


def test_the_name_of_an_option_is_text() -> None:
    with pytest.raises(OptionError, match="7"):
        parse({7: "x"}, GROUPS)  # type: ignore[dict-item]


@pytest.mark.parametrize("prefix", ["hoodie.keygen.timebased.", "hoodie.deltastreamer.keygen.timebased."])
def test_timebased_keys_become_options_of_the_key_generator(prefix: str) -> None:
    found = parsed(**{f"{prefix}timestamp.type": "EPOCHMILLISECONDS"})
    assert found[KeyOptions].keygen_options == {"hoodie.keygen.timebased.timestamp.type": "EPOCHMILLISECONDS"}


@pytest.mark.parametrize("first", ["keygen_options", "hoodie.keygen.timebased.timezone"])
def test_timebased_keys_and_keygen_options_go_together_in_any_order(first: str) -> None:
    given: dict[str, Any] = {"keygen_options": {"type": "x"}, "hoodie.keygen.timebased.timezone": "UTC"}
    ordered = {first: given.pop(first), **given}
    assert parsed(**ordered)[KeyOptions].keygen_options == {"type": "x", "hoodie.keygen.timebased.timezone": "UTC"}


@pytest.mark.parametrize("key", ["hoodie.keygen.timebased.timezone", "hoodie.table.name", "hoodie.write.lock.provider"])
def test_hudi_keys_of_a_write_have_no_effect_on_a_read(key: str) -> None:
    with pytest.warns(NoEffectWarning, match=key):
        assert parse({key: "UTC"}, [ReadOptions])[ReadOptions] == ReadOptions()


def test_hudi_keys_of_a_read_have_no_effect_on_a_write() -> None:
    with pytest.warns(NoEffectWarning, match=r"hoodie\.datasource\.query\.type"):
        assert parsed(**{"hoodie.datasource.query.type": "incremental"}) == parsed()


@pytest.mark.parametrize("key", ["hive_sync.metastore.uris", "hive_sync.table", "meta.sync.glue.skip_table_archive"])
def test_keys_of_a_catalog_have_no_effect_on_a_read(key: str) -> None:
    with pytest.warns(NoEffectWarning, match=key):
        assert parse({f"hoodie.datasource.{key}": "x"}, [ReadOptions])[ReadOptions] == ReadOptions()


def test_keys_of_a_catalog_provider_are_passed_on() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        given = {
            "hoodie.datasource.hive_sync.enable": "true",
            "hoodie.datasource.hive_sync.metastore.uris": "thrift://h",
        }
        options = parsed(**given)
    assert options[CatalogOptions].hive_sync


def test_clustering_gives_one_notice_with_its_keys_and_what_to_do() -> None:
    given = {
        "hoodie.clustering.inline": "true",
        "hoodie.clustering.inline.max.commits": "4",
        "hoodie.clustering.async.enabled": "true",
        "hoodie.upsert.shuffle.parallelism": 2,
    }
    with pytest.warns(NoEffectWarning) as caught:
        parsed(**given)
    clustering, others = sorted((str(warning.message) for warning in caught), key=lambda text: "parallelism" in text)
    assert clustering.startswith("clustering (")
    assert all(key in clustering for key in given if "clustering" in key)
    assert "run it with Hudi" in clustering
    assert others == "this option has no effect: hoodie.upsert.shuffle.parallelism"


def test_the_first_name_of_a_table_counts_as_in_hudi() -> None:
    given = {"hoodie.datasource.write.table.name": "a", "hoodie.table.name": "b"}
    for ordered in (given, dict(reversed(given.items()))):
        with pytest.warns(NoEffectWarning, match=r"'hoodie\.table\.name', and so does this job"):
            assert parsed(**ordered)[TableOptions].table_name == "b"


def test_a_class_counts_before_a_type_and_a_mode_before_a_strategy_as_in_hudi() -> None:
    given = {
        "hoodie.datasource.write.keygenerator.type": "COMPLEX",
        "hoodie.datasource.write.keygenerator.class": "org.apache.hudi.keygen.ComplexKeyGenerator",
        "hoodie.write.record.merge.mode": "EVENT_TIME_ORDERING",
        "hoodie.write.record.merge.strategy.id": "eeb8d96f-b1e4-49fd-bbf8-28ac514178e5",
    }
    with pytest.warns(NoEffectWarning):
        found = parsed(**given)
    assert found[KeyOptions].keygen == "org.apache.hudi.keygen.ComplexKeyGenerator"
    assert found[RuleOptions].merger == "EVENT_TIME_ORDERING"


def test_settings_of_spark_have_no_effect() -> None:
    with pytest.warns(NoEffectWarning, match=r"spark\.serializer"):
        parsed(**{"spark.serializer": "org.apache.spark.serializer.KryoSerializer"})


def test_the_preferred_name_of_a_key_counts_as_in_hudi() -> None:
    given = {
        "hoodie.datasource.write.storage.type": "MERGE_ON_READ",
        "hoodie.datasource.write.table.type": "COPY_ON_WRITE",
    }
    with pytest.warns(NoEffectWarning, match=r"Hudi uses that of 'hoodie\.datasource\.write\.table\.type'"):
        assert parsed(**given)[TableOptions].table_type == "COPY_ON_WRITE"


def test_an_index_that_is_not_written_falls_back_to_one_of_the_same_scope() -> None:
    with pytest.warns(NoEffectWarning, match="'HBASE': this index is not written; index 'global-simple'"):
        found = parsed(**{"hoodie.index.type": "HBASE"})[IndexOptions]
    assert (found.index, found.update_partition) == ("global-simple", False)


def test_a_partitioned_record_index_has_its_own_index() -> None:
    assert parsed(**{"hoodie.index.type": "RECORD_LEVEL_INDEX"})[IndexOptions].index == "partitioned-record"


@pytest.mark.parametrize("name", ["RECORD_INDEX", "GLOBAL_RECORD_LEVEL_INDEX"])
def test_a_record_index_has_the_defaults_of_hudi(name: str) -> None:
    found = parsed(**{"hoodie.index.type": name})[IndexOptions]
    assert (found.index, found.update_partition) == ("record", False)
    moving = parsed(**{"hoodie.record.index.update.partition.path": "true", "hoodie.index.type": name})[IndexOptions]
    assert moving.update_partition is True
    assert parsed(index="record")[IndexOptions].update_partition is None


def test_a_text_that_is_no_flag_is_false_for_a_key_of_hudi() -> None:
    with pytest.warns(NoEffectWarning, match="Hudi treats it as false"):
        found = parsed(**{"hoodie.datasource.write.hive_style_partitioning": "HIVE_STYLE"})
    assert found[KeyOptions].hive_style is False
    with pytest.raises(OptionError, match="expected true or false"):
        parsed(**{"hoodie.datasource.write.hive_style_partitioning": "truee"})
    with pytest.raises(OptionError, match="expected true or false"):
        parsed(hive_style="HIVE_STYLE")


def test_keys_without_effect_are_named_in_one_warning() -> None:
    with pytest.warns(NoEffectWarning) as caught:
        parsed(
            **{
                "hoodie.upsert.shuffle.parallelism": 200,
                "hoodie.embed.timeline.server": "false",
                "hoodie.parquet.block.size": 1,
            }
        )
    [warning] = caught
    for key in ("hoodie.upsert.shuffle.parallelism", "hoodie.embed.timeline.server", "hoodie.parquet.block.size"):
        assert key in str(warning.message)


def test_options_that_repeat_the_behavior_give_no_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parsed(**{"hoodie.datasource.hive_sync.enable": False, "hoodie.allow.operation.metadata.field": "FALSE"})


@pytest.mark.parametrize(
    ("key", "value", "reason"),
    [
        ("hoodie.allow.operation.metadata.field", True, "is not written"),
        ("hoodie.index.type", "INMEMORY", "stored twice"),
        ("hoodie.datasource.write.operation", "upsert_prepped", "internal to Hudi"),
        ("hoodie.index.bucket.engine", "CONSISTENT_HASHING", "store these keys twice"),
    ],
)
def test_a_key_that_would_change_something_else_is_refused_with_the_reason(key: str, value: Any, reason: str) -> None:
    with pytest.raises(OptionError, match=reason) as raised:
        parsed(**{key: value})
    assert key in str(raised.value)


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ({"_team": "a"}, {"_team": "a"}),
        (
            {"hoodie.datasource.write.commitmeta.key.prefix": "job.", "job.id": 7, "job.run": "x"},
            {"job.id": "7", "job.run": "x"},
        ),
        ({"commit_metadata": {"a": "1", "_team": "b"}, "_team": "a"}, {"a": "1", "_team": "b"}),
        ({}, None),
    ],
)
def test_keys_with_the_prefix_belong_to_the_commit_metadata(given: dict[str, Any], kept: dict[str, str] | None) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert parse(given, [WriteOptions])[WriteOptions].commit_metadata == kept


def test_a_key_without_the_prefix_is_no_commit_metadata() -> None:
    with pytest.raises(UnknownOption, match="'_team'"):
        parse({"commit_metadata_prefix": "job.", "_team": "a"}, [WriteOptions])
    with pytest.raises(UnknownOption, match="'_team'"):
        parse({"_team": "a"}, [ReadOptions])


@pytest.mark.parametrize("codec", ["lzo", "BROTLI", "lz4_raw"])
def test_a_codec_that_readers_lack_is_replaced_with_a_notice(codec: str) -> None:
    with pytest.warns(NoEffectWarning, match="zstd"):
        found = parse({"hoodie.parquet.compression.codec": codec}, [FileOptions])
    assert found[FileOptions].compression == "zstd"


def test_a_policy_that_hudi_takes_as_none_is_taken_as_none_with_a_notice() -> None:
    with pytest.warns(NoEffectWarning, match="'hoodie.datasource.insert.dup.policy' is 'insert'"):
        found = parse({"hoodie.datasource.insert.dup.policy": "insert"}, [WriteOptions])
    assert found[WriteOptions].dup_policy == "none"


def test_whitespace_around_a_choice_is_ignored() -> None:
    found = parse({"hoodie.datasource.write.table.type": "Copy_On_Write "}, [TableOptions])
    assert found[TableOptions].table_type == "COPY_ON_WRITE"


def test_no_file_is_small_with_a_negative_limit() -> None:
    assert parse({"hoodie.parquet.small.file.limit": "-1"}, [FileOptions])[FileOptions].small_file_limit == -1
