"""The merger `mask-on-delete`: the personal columns of a deleted row are null on every path."""

from typing import ClassVar

import pytest

from hoodoo.errors import OptionError
from hoodoo.testing import MergerSuite

OPTIONS = {"columns": ["name"]}
TABLES = {
    "copy-on-write": {"table_type": "COPY_ON_WRITE"},
    "merge-on-read": {"table_type": "MERGE_ON_READ", "small_file_limit": 0},
    "compacted": {"table_type": "MERGE_ON_READ", "compact_inline": True, "compact_after_commits": 1},
}


class TestMaskOnDelete(MergerSuite):
    plugin = "mask-on-delete"
    options = OPTIONS
    columns: ClassVar = {"ts": "long", "name": "string", "total": "long", "masked_at": "long"}
    values: ClassVar = {"masked_at": [None]}


@pytest.mark.parametrize("kind", TABLES)
def test_a_delete_masks_the_row_and_late_rows(hoodoo_table, kind):
    table = hoodoo_table(merger="mask-on-delete", merger_options=OPTIONS, ordering="ts", **TABLES[kind])
    table.write([{"id": key, "ts": 10, "name": "Ann", "total": 1} for key in "123456"])
    table.write(
        [{"id": key, "ts": ts} for key, ts in (("1", 20), ("2", 20), ("3", 20), ("4", 5), ("6", 10))],
        operation="delete",
    )
    table.write(
        [
            {"id": "2", "ts": 15, "name": "late", "total": 2},
            {"id": "3", "ts": 25, "name": "back", "total": 3},
            {"id": "6", "ts": 9, "name": "late", "total": 4},
        ]
    )
    table.write([{"id": "5"}], operation="delete")

    assert table.rows() == [
        {"id": "1", "ts": 10, "name": None, "total": 1, "masked_at": 20},
        {"id": "2", "ts": 15, "name": None, "total": 2, "masked_at": 20},
        {"id": "3", "ts": 25, "name": "back", "total": 3, "masked_at": 20},
        {"id": "4", "ts": 10, "name": "Ann", "total": 1, "masked_at": 5},
        {"id": "6", "ts": 10, "name": None, "total": 1, "masked_at": 10},
    ]


def test_the_ordering_column_cannot_be_masked(hoodoo_table):
    with pytest.raises(OptionError, match="'ts' is the ordering column"):
        hoodoo_table(merger="mask-on-delete", merger_options={"columns": "ts"}, ordering="ts").write(
            [{"id": "1", "ts": 1}]
        )
