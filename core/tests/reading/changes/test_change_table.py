"""Tables of changes: their columns, and the operations of their rows."""

from __future__ import annotations

import pyarrow as pa

from hoodoo.reading.changes.change_table import CHANGES, DELETED, changes


def test_the_columns_are_those_of_hudi():
    assert CHANGES.names == ["op", "ts_ms", "before", "after"]
    assert set(CHANGES.types) == {pa.string()}


def test_one_operation_for_all_rows_or_one_for_each():
    rows = pa.table({"a": [1, 2]})
    found = changes(DELETED, "7", rows, None)
    assert found.schema == CHANGES
    assert found.to_pylist() == [
        {"op": "d", "ts_ms": "7", "before": '{"a":1}', "after": None},
        {"op": "d", "ts_ms": "7", "before": '{"a":2}', "after": None},
    ]
    after = pa.array([None, {"a": 3}], pa.struct([("a", pa.int64())]))
    assert changes(pa.array(["d", "u"]), "7", rows, after)["after"].to_pylist() == [None, '{"a":3}']
