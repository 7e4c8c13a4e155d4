"""The merger `json-patch`: patches in order of arrival."""

import json
from typing import ClassVar

import pyarrow as pa
import pytest

from hoodoo.errors import SchemaError
from hoodoo.testing import MergerSuite

SCHEMA = pa.schema([("id", pa.string()), ("document", pa.string()), ("patches", pa.list_(pa.string()))])
ADD, REPLACE, WRONG = (
    json.dumps([operation])
    for operation in (
        {"op": "add", "path": "/tags/-", "value": "new"},
        {"op": "replace", "path": "/tags/0", "value": "first"},
        {"op": "remove", "path": "/nothing"},
    )
)
TABLES = {
    "copy-on-write": {"table_type": "COPY_ON_WRITE"},
    "merge-on-read": {"table_type": "MERGE_ON_READ", "small_file_limit": 0},
    "compacted": {"table_type": "MERGE_ON_READ", "compact_inline": True, "compact_after_commits": 1},
}


class TestJsonPatch(MergerSuite):
    plugin = "json-patch"
    ordering = ()
    columns: ClassVar = {"document": "string", "patches": "array<string>", "failed_patches": "array<string>"}
    values: ClassVar = {
        "document": [None, '{"tags":["a"]}', "[]"],
        "patches": [None, [ADD], [ADD, REPLACE], [WRONG, "no JSON", None]],
        "failed_patches": [None],
    }
    vectorised = False


def rows(*found):
    return pa.Table.from_pylist([dict(zip(SCHEMA.names, row, strict=True)) for row in found], SCHEMA)


@pytest.mark.parametrize("kind", TABLES)
def test_patches_are_applied_in_order(hoodoo_table, kind):
    table = hoodoo_table(merger="json-patch", **TABLES[kind])
    table.write(rows(*((key, '{"tags":["a"]}', None) for key in "12345")))
    table.write(rows(("1", None, [ADD]), ("1", None, [REPLACE]), ("2", None, [WRONG, ADD]), ("3", None, [ADD])))
    table.write(rows(("1", None, [ADD]), ("3", '{"tags":[]}', None), ("4", None, ["no JSON"]), ("6", None, [ADD])))
    table.write(rows(("3", None, [ADD])))
    table.write(pa.table({"id": ["5"]}), operation="delete")

    assert table.rows() == [
        {"id": "1", "document": '{"tags":["first","new","new"]}', "patches": None, "failed_patches": None},
        {"id": "2", "document": '{"tags":["a","new"]}', "patches": None, "failed_patches": [WRONG]},
        {"id": "3", "document": '{"tags":["new"]}', "patches": None, "failed_patches": None},
        {"id": "4", "document": '{"tags":["a"]}', "patches": None, "failed_patches": ["no JSON"]},
        {"id": "6", "document": None, "patches": [ADD], "failed_patches": None},
    ]


def test_columns_of_other_types_are_refused(hoodoo_table):
    with pytest.raises(SchemaError, match="column 'patches' of merger 'json-patch' must be list"):
        hoodoo_table(merger="json-patch").write([{"id": "1", "document": "{}", "patches": "[]"}])
