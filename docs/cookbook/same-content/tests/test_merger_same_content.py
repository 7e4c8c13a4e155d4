"""The merger `same-content`: a row that is sent again is not changed."""

from typing import ClassVar

import pytest

import hoodoo
from hoodoo.errors import SchemaError
from hoodoo.testing import MergerSuite
from hoodoo.testing.cases import merged

TABLES = {
    "copy-on-write": {"table_type": "COPY_ON_WRITE"},
    "merge-on-read": {"table_type": "MERGE_ON_READ", "small_file_limit": 0},
    "compacted": {"table_type": "MERGE_ON_READ", "compact_inline": True, "compact_after_commits": 1},
}


class TestSameContent(MergerSuite):
    plugin = "same-content"
    columns: ClassVar = {"city": "string", "tags": "array<struct<a:long,b:string>>"}
    values: ClassVar = {
        "tags": [
            None,
            [],
            [{"a": 1, "b": None}],
            [{"a": 1, "b": "x"}],
            [None],
            [{"a": 1, "b": "x"}, {"a": 2, "b": "x"}],
        ]
    }


class TestIgnoring(MergerSuite):
    plugin = "same-content"
    options: ClassVar = {"ignored": ["exported"]}
    ordering = ()
    columns: ClassVar = {"city": "string", "exported": "long"}


NESTED = {"id": "string", "tags": "array<struct<a:long,b:string>>"}
LISTS = [None, [], [None], [{"a": 1, "b": None}], [{"a": 1, "b": "x"}], [{"a": 1, "b": "x"}, {"a": 2, "b": "x"}]]


@pytest.mark.parametrize("newer", LISTS[1:])
@pytest.mark.parametrize("older", LISTS)
def test_a_list_with_other_items_is_other_content(older, newer):
    stored, incoming = {"id": "1", "tags": older}, {"id": "1", "tags": newer}

    assert merged("merger", "same-content", [incoming], stored=stored, schema=NESTED, ordering="") == incoming


@pytest.mark.parametrize("kind", TABLES)
def test_a_row_of_equal_content_keeps_its_commit(hoodoo_table, kind):
    table = hoodoo_table(merger="same-content", merger_options={"ignored": ["exported"]}, **TABLES[kind])
    first = table.write([{"id": key, "city": "Oslo", "exported": 1} for key in "1234"])
    second = table.write([{"id": key, "city": city, "exported": 2} for key, city in (("1", "Oslo"), ("2", "Rome"))])
    table.write([{"id": "3"}], operation="delete")
    back = table.write([{"id": "3", "city": "Oslo", "exported": 3}, {"id": "4", "city": "Oslo", "exported": 3}])

    assert table.rows() == [
        {"id": "1", "city": "Oslo", "exported": 1},
        {"id": "2", "city": "Rome", "exported": 2},
        {"id": "3", "city": "Oslo", "exported": 1 if kind == "merge-on-read" else 3},
        {"id": "4", "city": "Oslo", "exported": 1},
    ]
    stored = hoodoo.Table(table.path).to_arrow(["id", "_hoodie_commit_time"])
    commits = dict(zip(stored["id"].to_pylist(), stored["_hoodie_commit_time"].to_pylist(), strict=True))
    of_3 = first if kind == "merge-on-read" else back
    assert commits == {"1": first.instant, "2": second.instant, "3": of_3.instant, "4": first.instant}
    changes = hoodoo.Table(table.path).to_arrow(["id"], query_type="incremental", begin=first.instant)
    assert sorted(changes["id"].to_pylist()) == (["2"] if kind == "merge-on-read" else ["2", "3"])


def test_a_wrong_name_is_refused(hoodoo_table):
    table = hoodoo_table(merger="same-content", merger_options={"ignored": ["export_time"]})

    with pytest.raises(SchemaError, match="no column 'export_time'"):
        table.write([{"id": "1", "exported": 1}])
