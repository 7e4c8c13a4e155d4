"""The merger `source-clocks`: the clocks of sources are independent of each other."""

from typing import ClassVar

import pytest

from hoodoo.errors import SchemaError
from hoodoo.testing import MergerSuite

TABLES = {
    "copy-on-write": {"table_type": "COPY_ON_WRITE"},
    "merge-on-read": {"table_type": "MERGE_ON_READ", "small_file_limit": 0},
    "compacted": {"table_type": "MERGE_ON_READ", "compact_inline": True, "compact_after_commits": 1},
}


class TestSourceClocks(MergerSuite):
    plugin = "source-clocks"
    ordering = ()
    columns: ClassVar = {"crm": "struct<ts:long,city:string>", "web": "struct<ts:long,visits:long>", "note": "string"}
    values: ClassVar = {
        "crm": [
            None,
            {"ts": 1, "city": "a"},
            {"ts": 2, "city": None},
            {"ts": 2, "city": "b"},
            {"ts": None, "city": "c"},
        ],
        "web": [None, {"ts": 1, "visits": 1}, {"ts": 2, "visits": 2}],
    }


@pytest.mark.parametrize("kind", TABLES)
def test_a_late_version_of_one_source_leaves_the_other(hoodoo_table, kind):
    table = hoodoo_table(merger="source-clocks", **TABLES[kind])
    table.write(
        [{"id": key, "crm": {"ts": 5, "city": "Oslo"}, "web": {"ts": 50, "visits": 1}, "note": "n"} for key in "123"]
    )
    table.write(
        [
            {"id": "1", "crm": {"ts": 4, "city": "late"}, "web": {"ts": 60, "visits": 2}, "note": None},
            {"id": "2", "crm": {"ts": 5, "city": "equal, later"}, "web": {"ts": 40, "visits": 9}, "note": "new"},
        ]
    )
    table.write([{"id": "1", "web": {"ts": 70, "visits": 3}}, {"id": "4", "web": {"ts": 1, "visits": 1}}])
    table.write([{"id": "3"}], operation="delete")

    assert table.rows() == [
        {"id": "1", "crm": {"ts": 5, "city": "Oslo"}, "web": {"ts": 70, "visits": 3}, "note": "n"},
        {"id": "2", "crm": {"ts": 5, "city": "equal, later"}, "web": {"ts": 50, "visits": 1}, "note": "new"},
        {"id": "4", "crm": None, "web": {"ts": 1, "visits": 1}, "note": None},
    ]


def test_a_table_without_clocks_is_refused(hoodoo_table):
    with pytest.raises(SchemaError, match="a struct column with a field 'ts' for each source; the columns are id"):
        hoodoo_table(merger="source-clocks").write([{"id": "1", "ts": 1}])
