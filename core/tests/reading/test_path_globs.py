"""Selection of the rows of a query by the paths of their files."""

from __future__ import annotations

import pyarrow as pa
import pytest

from hoodoo import Table
from hoodoo.errors import OptionError
from hoodoo.options import ReadOptions, parse
from hoodoo.table import plan_query
from hoodoo.testing.engine import write_arrow

OPTIONS = {"table_name": "t", "record_key": "id", "partition_by": "y,m", "hive_style": True}


@pytest.fixture
def table(tmp_path):
    data = {"id": ["a", "b", "c", "d"], "y": [2021, 2022, 2022, 2022], "m": [7, 7, 7, 11]}
    write_arrow(pa.table(data), tmp_path / "t", OPTIONS)
    return Table(tmp_path / "t")


def ids(table: Table, **options: str) -> list[str]:
    plan = plan_query(table, parse(options, [ReadOptions])[ReadOptions])
    return sorted(key for split in plan.splits for key in split.read().read_all().column("id").to_pylist())


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("{root}/y=2022/m=7/*", "bc"),
        ("{root}/y=2022/m=7", "bc"),
        ("{root}/y=2022/", "bcd"),
        ("{root}/*/m=7", "abc"),
        ("{root}/y=202?/m=1*", "d"),
        ("file://{root}/y=2021/m=7/*.parquet", "a"),
        ("{root}/m=7", ""),
        ("{root}", "abcd"),
        ("{root}/y=2021,{root}/y=2022/m=11", "ad"),
    ],
)
def test_paths_of_folders_and_files(table: Table, pattern: str, found: str) -> None:
    text = pattern.replace("{root}", table.path.removeprefix("file://"))
    assert ids(table, **{"hoodie.datasource.read.paths": text}) == list(found)


@pytest.mark.parametrize("pattern", ["/elsewhere/y=2022", "{root}x/y=2022", "{root}/{y=2021", "y=2022"])
def test_a_pattern_outside_the_table_is_refused(table: Table, pattern: str) -> None:
    text = pattern.replace("{root}", table.path.removeprefix("file://"))
    with pytest.raises(OptionError, match="is not a path in the table"):
        ids(table, paths=text)


@pytest.mark.parametrize(
    ("pattern", "found"), [("/y=2022/m=7/*", "bc"), ("/y=2022/*", "bcd"), ("*.parquet", "abcd"), ("true", "")]
)
def test_a_pattern_of_an_incremental_query(table: Table, pattern: str, found: str) -> None:
    options = {"hoodie.datasource.query.type": "incremental", "hoodie.datasource.read.begin.instanttime": "0"}
    assert ids(table, **options, **{"hoodie.datasource.read.incr.path.glob": pattern}) == list(found)


def test_a_pattern_of_incremental_queries_does_not_change_a_snapshot(table: Table) -> None:
    assert ids(table, **{"hoodie.datasource.read.incr.path.glob": "true"}) == list("abcd")
