"""Columns that a merge reads."""

from __future__ import annotations

import pyarrow as pa

from hoodoo.plugin import default_catalogue
from hoodoo.reading.slice.merge_columns import MergeColumns, merge_of, merged_schema, named_columns
from hoodoo.table_rules.reader_rule import read_rule
from hoodoo.table_rules.stored_keys import StoredKeys

NOTHING = MergeColumns(pa.schema([]))
V_UNREAD = MergeColumns(pa.schema([]), unread=pa.schema([("v", pa.string())]))


def test_named_columns_keep_the_order_of_the_schema():
    schema = pa.schema([(name, pa.int64()) for name in "abc"])
    assert named_columns(schema, {"c", "a", "z"}).names == ["a", "c"]


def test_a_merge_reads_the_wanted_columns_and_those_that_decide(written):
    written.write(("a", "x", 1, "1"))
    rule = read_rule(written.properties, default_catalogue())
    names = ("_hoodie_record_key", "id", "p", "ts", "v", "w")
    table = pa.schema([(name, pa.string()) for name in names])
    found = merged_schema(table, {"v"}, rule, StoredKeys.of_table(written.properties, default_catalogue())).names
    assert {"v", "ts", "_hoodie_record_key"} <= set(found)
    assert "w" not in found
    assert "_hoodie_operation" in found, "records of logs may have it"


def test_a_slice_without_logs_is_not_merged(written):
    written.write(("a", "x", 1, "1"))
    rule = read_rule(written.properties, default_catalogue())
    keys = StoredKeys.of_table(written.properties, default_catalogue())
    [plain] = written.table.file_slices()
    assert merge_of(written.timeline, plain, rule, keys, NOTHING, False) is None
    second = written.write(("a", "x", 2, "2"))
    [file_slice] = written.table.file_slices()
    assert merge_of(written.timeline, file_slice, None, keys, NOTHING, False) is None
    merge = merge_of(
        written.timeline,
        file_slice,
        rule,
        keys,
        MergeColumns(pa.schema([]), unread=pa.schema([("v", pa.string())])),
        True,
    )
    assert merge.skip_corrupt
    assert merge.unread.names == ["v"]
    assert list(merge.commit_schemas) == [second]
    assert second in merge.committed.times
