"""Keys that are neither options nor keys of Hudi."""

from __future__ import annotations

import pytest

from hoodoo.errors import UnknownOption
from hoodoo.options import IndexOptions, NoEffectWarning, ReadOptions, TableOptions, parse
from hoodoo.options.parsing.unknown_keys import misspelt_key

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
