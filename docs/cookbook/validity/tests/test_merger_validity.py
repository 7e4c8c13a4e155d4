"""The merger `validity`: each value with the time from which and to which it was valid."""

from typing import ClassVar

import pytest

from hoodoo.errors import OptionError
from hoodoo.testing import MergerSuite

OPTIONS = {"columns": ["city"]}
TABLES = {
    "copy-on-write": {"table_type": "COPY_ON_WRITE"},
    "merge-on-read": {"table_type": "MERGE_ON_READ", "small_file_limit": 0},
    "compacted": {"table_type": "MERGE_ON_READ", "compact_inline": True, "compact_after_commits": 1},
}


class TestValidity(MergerSuite):
    plugin = "validity"
    options = OPTIONS
    columns: ClassVar = {
        "ts": "long",
        "city": "string",
        "history": "array<struct<valid_from:long,valid_to:long,city:string>>",
    }
    values: ClassVar = {
        "ts": [0, 1, 2, 3],
        "history": [
            None,
            [{"valid_from": -4, "valid_to": -3, "city": "x"}, {"valid_from": -3, "valid_to": None, "city": "z"}],
            [{"valid_from": -2, "valid_to": -1, "city": "y"}, {"valid_from": -1, "valid_to": None, "city": None}],
        ],
    }


def entries(*found):
    return [dict(zip(("valid_from", "valid_to", "city"), entry, strict=True)) for entry in found]


@pytest.mark.parametrize("kind", TABLES)
def test_a_late_version_ends_where_the_next_one_begins(hoodoo_table, kind):
    table = hoodoo_table(merger="validity", merger_options=OPTIONS, ordering="ts", **TABLES[kind])
    table.write([{"id": key, "ts": 10, "city": "Oslo"} for key in "123"])
    table.write([{"id": "1", "ts": 30, "city": "Rome"}, {"id": "2", "ts": 10, "city": "corrected"}])
    table.write([{"id": "1", "ts": 20, "city": "late"}, {"id": "1", "ts": 5, "city": "first"}])
    table.write([{"id": "1", "ts": 30, "city": "Rome"}, {"id": "4", "ts": 1, "city": "Bonn"}])
    table.write([{"id": "3"}], operation="delete")

    history = entries((5, 10, "first"), (10, 20, "Oslo"), (20, 30, "late"), (30, None, "Rome"))
    assert table.rows() == [
        {"id": "1", "ts": 30, "city": "Rome", "history": history},
        {"id": "2", "ts": 10, "city": "corrected", "history": None},
        {"id": "4", "ts": 1, "city": "Bonn", "history": None},
    ]


def test_a_table_needs_one_ordering_column(hoodoo_table):
    with pytest.raises(OptionError, match="'ordering' names 2: ts, city"):
        hoodoo_table(merger="validity", merger_options=OPTIONS, ordering="ts,city").write(
            [{"id": "1", "ts": 1, "city": "Oslo"}]
        )
