"""Keys that are neither options nor keys of Hudi."""

from __future__ import annotations

import pytest

from hoodoo.errors import UnknownOption
from hoodoo.options import CatalogOptions, IndexOptions, NoEffectWarning, ReadOptions, TableOptions, parse
from hoodoo.options.parsing.unknown_keys import changes_no_rows, misspelt_key

OPTIONS = {"hoodie.clean.commits.retained", "hoodie.datasource.write.recordkey.field"}


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("hoodie.rollback.parallelisms", "hoodie.rollback.parallelism"),
        ("hoodie.datasource.write.schema.on.read.enable", "hoodie.schema.on.read.enable"),
        ("hoodie.datasource.write.recordkey.fieldd", None),  # another key is similar too
        ("hoodie.clean.commits.retain", "hoodie.clean.commits.retained"),
        ("hoodie.no.such.key", None),
        ("clean.commits.retained", None),
    ],
)
def test_the_key_that_a_name_misspells(name: str, meant: str | None) -> None:
    assert misspelt_key(name, OPTIONS) == meant


@pytest.mark.parametrize("key", ["hoodie.no.such.key", "hoodie.datasource.write.name.table", "name_table"])
def test_an_unknown_key_is_refused(key: str) -> None:
    with pytest.raises(UnknownOption, match=key):
        parse({key: "x"}, [TableOptions])


@pytest.mark.parametrize("setting", ["unknown_keys", "hoodoo.unknown_keys"])
@pytest.mark.parametrize("groups", [[TableOptions], [ReadOptions]])
def test_an_unknown_key_is_left_out_with_a_warning(setting: str, groups: list[type]) -> None:
    with pytest.warns(NoEffectWarning, match=r"'hoodie\.no\.such\.key' is neither"):
        found = parse({"hoodie.no.such.key": "x", setting: "warn"}, groups)
    assert found[groups[0]] == groups[0]()


def test_a_misspelt_key_without_effect_is_left_out_with_a_warning() -> None:
    with pytest.warns(NoEffectWarning, match=r"not a key of Hudi.*'hoodie\.schema\.on\.read\.enable'"):
        parse({"hoodie.datasource.write.schema.on.read.enable": "true"}, [TableOptions])


def test_a_misspelt_option_is_accepted_only_with_its_default() -> None:
    key = "hoodie.global.bloom.index.update.partition.path"
    with pytest.warns(NoEffectWarning, match="this value by default"):
        parse({key: "true"}, [IndexOptions])
    with pytest.raises(UnknownOption, match=key):
        parse({key: "false"}, [IndexOptions])
    with pytest.raises(UnknownOption, match=key):
        parse({key: "true", "hoodie.bloom.index.update.partition.path": "false"}, [IndexOptions])


@pytest.mark.parametrize(
    ("name", "harmless"),
    [
        ("hoodie.datasource.write.hive_sync.enable", True),
        ("hoodie.hive_sync.metastore.uris", True),
        ("hoodie.datasource.hive_sync.databases", True),
        ("hoodie.datasource.hive_sync.enable ", True),
        ("hoodie.xtable.sync.target_table_formats", True),
        ("hoodie.clean.retain_commits", True),
        ("hoodie.compact.ask.inline", True),
        ("hoodie.index.bucket.num", True),
        ("hoodie.parquet.max.size", True),
        ("hoodie.index.kind", False),
        ("hoodie.clean.partition.filter.regexes", False),
        ("hoodie.compaction.payload.klass", False),
        ("hoodie.datasource.write.recordkey.column", False),
        ("hoodie.datasource.write.keygenerator.class.name", False),
        ("clean.retain_commits", False),
        ("hoodie.clean", False),
    ],
)
@pytest.mark.parametrize("of_read", [True, False])
def test_names_of_keys_that_change_no_row(name: str, harmless: bool, of_read: bool) -> None:
    assert changes_no_rows(name, of_read=of_read) is harmless


def test_a_key_of_a_read_changes_no_row_of_a_write() -> None:
    assert changes_no_rows("hoodie.datasource.read.instant.time", of_read=False)
    assert not changes_no_rows("hoodie.datasource.read.instant.time", of_read=True)


def test_a_key_that_changes_no_row_is_left_out_with_similar_names() -> None:
    with pytest.warns(NoEffectWarning, match=r"here or in Hudi; did you mean 'hoodie\.datasource\.hive_sync\.enable'"):
        found = parse({"hoodie.datasource.write.hive_sync.enable": "true"}, [CatalogOptions])
    assert found[CatalogOptions] == CatalogOptions()


def test_a_key_of_a_read_is_refused_by_a_read_only() -> None:
    given = {"hoodie.datasource.read.instant.time": "20240101000000"}
    with pytest.raises(UnknownOption, match="instant"):
        parse(given, [ReadOptions])
    with pytest.warns(NoEffectWarning, match="'hoodie.datasource.read.instant.time' is not a key of Hudi"):
        parse(given, [TableOptions])


@pytest.mark.parametrize(
    "key",
    ["header", "inferSchema", "recursiveFileLookup", "kafka.bootstrap.servers", "subscribe", "glue.job", "write.tasks"],
)
@pytest.mark.parametrize("groups", [[TableOptions], [ReadOptions]])
def test_a_key_of_another_source_or_program_has_no_effect(key: str, groups: list[type]) -> None:
    with pytest.warns(NoEffectWarning, match=f"no effect: {key}"):
        parse({key: "x"}, groups)


@pytest.mark.parametrize("key", ["table.type", "index.type", "precombine.field"])
def test_a_key_of_flink_that_would_change_a_table_is_refused(key: str) -> None:
    with pytest.raises(UnknownOption, match=key):
        parse({key: "x"}, [TableOptions, IndexOptions])
