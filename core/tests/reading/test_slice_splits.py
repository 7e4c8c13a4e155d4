"""Splits of file slices."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from hoodoo.reading.slice_splits import Wanted, slice_splits
from hoodoo.schema.meta_columns import with_meta


def wanted(written, names, *conditions):
    table = with_meta(written.table.schema)
    return Wanted(table, pa.schema([table.field(name) for name in names]), written.timeline, conditions)


def test_conditions_are_joined(written):
    written.write(("a", "x", 1, "1"))
    assert wanted(written, ["id"]).condition is None
    both = wanted(written, ["id"], pc.field("ts") > 1, pc.field("v") == "2")
    assert both.names == {"id", "ts", "v"}
    assert both.condition.equals((pc.field("ts") > 1) & (pc.field("v") == "2"))


def test_the_timeline_decides_which_commits_of_logs_are_visible(written):
    written.write(("a", "x", 1, "1"), ("b", "x", 1, "1"))
    written.write(("a", "x", 2, "2"))
    written.write(("a", "x", 3, "3"))
    slices = written.table.file_slices()
    for commits, value in ((3, "3"), (2, "2"), (1, "1")):
        timeline = written.timeline.as_of(written.timeline.commits[commits - 1].time)
        found = wanted(written, ["v"], pc.field("id") == "a")
        [split] = slice_splits(written.storage, written.properties, timeline, slices, found)
        assert split.read().read_all().to_pylist() == [{"v": value}]
