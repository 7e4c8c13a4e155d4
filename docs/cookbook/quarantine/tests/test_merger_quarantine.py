"""The merger `quarantine`: bad versions do not replace good ones, and are not lost."""

from typing import ClassVar

import pyarrow as pa
import pytest

from hoodoo.errors import OptionError
from hoodoo.testing import MergerSuite

OPTIONS = {"required": ["city"], "not_negative": ["fare"]}
SCHEMA = pa.schema([("id", pa.string()), ("ts", pa.int64()), ("city", pa.string()), ("fare", pa.int64())])
TABLES = {
    "copy-on-write": {"table_type": "COPY_ON_WRITE"},
    "merge-on-read": {"table_type": "MERGE_ON_READ", "small_file_limit": 0},
    "compacted": {"table_type": "MERGE_ON_READ", "compact_inline": True, "compact_after_commits": 1},
}


class TestQuarantine(MergerSuite):
    plugin = "quarantine"
    options = OPTIONS
    columns: ClassVar = {
        "ts": "long",
        "city": "string",
        "fare": "long",
        "quarantined": "struct<ts:long,city:string,fare:long>",
    }
    values: ClassVar = {"city": [None, "a", "b"], "fare": [1, -1, None, 2], "quarantined": [None]}


def rows(*found):
    return pa.Table.from_pylist([dict(zip(SCHEMA.names, row, strict=True)) for row in found], SCHEMA)


def bad(*values):
    return dict(zip(SCHEMA.names[1:], values, strict=True))


@pytest.mark.parametrize("kind", TABLES)
def test_a_bad_version_is_kept_until_a_later_good_one(hoodoo_table, kind):
    table = hoodoo_table(merger="quarantine", merger_options=OPTIONS, ordering="ts", **TABLES[kind])
    table.write(rows(*((key, 10, "Oslo", 1) for key in "12345"), ("6", 10, None, 1)))
    table.write(rows(("1", 20, "Rome", -1), ("2", 20, None, 5), ("3", 5, None, 5), ("4", 30, "Rome", None)))
    table.write(rows(("2", 15, "late", 2), ("4", 40, "good", 2), ("6", 8, "older, good", 3), ("7", 1, None, None)))
    table.write(rows(("1", 30, None, 7), ("7", 2, "x", -2)))
    table.write(pa.table({"id": ["5"]}), operation="delete")

    assert table.rows() == [
        {"id": "1", "ts": 10, "city": "Oslo", "fare": 1, "quarantined": bad(30, None, 7)},
        {"id": "2", "ts": 15, "city": "late", "fare": 2, "quarantined": bad(20, None, 5)},
        {"id": "3", "ts": 10, "city": "Oslo", "fare": 1, "quarantined": None},
        {"id": "4", "ts": 40, "city": "good", "fare": 2, "quarantined": None},
        {"id": "6", "ts": 8, "city": "older, good", "fare": 3, "quarantined": bad(10, None, 1)},
        {"id": "7", "ts": 2, "city": None, "fare": None, "quarantined": bad(2, "x", -2)},
    ]


def test_a_table_needs_one_ordering_column(hoodoo_table):
    with pytest.raises(OptionError, match="'ordering' names 0: none"):
        hoodoo_table(merger="quarantine", merger_options=OPTIONS).write(rows(("1", 1, "Oslo", 1)))
