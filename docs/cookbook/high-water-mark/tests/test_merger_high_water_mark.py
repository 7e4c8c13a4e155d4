"""The merger `high-water-mark`: the latest row, with the largest values."""

from typing import ClassVar

import pytest

from hoodoo.errors import OptionError, SchemaError
from hoodoo.testing import MergerSuite

OPTIONS = {"columns": ["best"]}
TABLES = {
    "copy-on-write": {"table_type": "COPY_ON_WRITE"},
    "merge-on-read": {"table_type": "MERGE_ON_READ", "small_file_limit": 0},
    "compacted": {"table_type": "MERGE_ON_READ", "compact_inline": True, "compact_after_commits": 1},
}


class TestHighWaterMark(MergerSuite):
    plugin = "high-water-mark"
    options = OPTIONS
    columns: ClassVar = {"best": "double", "note": "string"}


class TestTwoColumns(MergerSuite):
    plugin = "high-water-mark"
    options: ClassVar = {"columns": "best,seen"}
    columns: ClassVar = {"best": "decimal(12,3)", "seen": "timestamp"}


@pytest.mark.parametrize("kind", TABLES)
def test_the_maximum_of_late_and_of_newer_rows_stays(hoodoo_table, kind):
    table = hoodoo_table(merger="high-water-mark", merger_options=OPTIONS, ordering="ts", **TABLES[kind])
    table.write([{"id": key, "ts": 5, "price": 10, "best": 10} for key in "1234"])
    table.write(
        [
            {"id": "1", "ts": 6, "price": 7, "best": 7},
            {"id": "2", "ts": 4, "price": 12, "best": 12},
            {"id": "3", "ts": 4, "price": 1, "best": 1},
        ]
    )
    table.write([{"id": "1", "ts": 7, "price": 11, "best": 11}, {"id": "2", "ts": 5, "price": 8, "best": None}])
    table.write([{"id": "4", "ts": 1}], operation="delete")

    assert table.rows() == [
        {"id": "1", "ts": 7, "price": 11, "best": 11},
        {"id": "2", "ts": 5, "price": 8, "best": 12},
        {"id": "3", "ts": 5, "price": 10, "best": 10},
    ]


def test_a_deleted_maximum_does_not_come_back_from_a_log(hoodoo_table):
    table = hoodoo_table(merger="high-water-mark", merger_options=OPTIONS, ordering="ts", **TABLES["merge-on-read"])
    table.write([{"id": "1", "ts": 5, "price": 10, "best": 10}])
    table.write([{"id": "1", "ts": 6}], operation="delete")
    table.write([{"id": "1", "ts": 7, "price": 1, "best": 1}])

    assert table.rows() == []


def test_wrong_columns_are_refused(hoodoo_table):
    table = hoodoo_table(merger="high-water-mark", merger_options=OPTIONS, ordering="ts")
    with pytest.raises(SchemaError, match="best"):
        table.write([{"id": "1", "ts": 1}])
    with pytest.raises(OptionError, match="'ts' is an ordering column"):
        table.write([{"id": "1", "ts": 1}], merger_options={"columns": "ts"})
