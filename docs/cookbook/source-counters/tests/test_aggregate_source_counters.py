"""The aggregate function `source-counters`: repeated and late updates leave a counter correct."""

from typing import ClassVar

import pyarrow as pa
import pytest

from hoodoo.testing import AggregateSuite

FIELDS = {"fields": {"clicks": {"agg": "source-counters"}}}
SCHEMA = pa.schema([("id", pa.string()), ("clicks", pa.map_(pa.string(), pa.int64()))])
TABLES = {
    "copy-on-write": {"table_type": "COPY_ON_WRITE"},
    "merge-on-read": {"table_type": "MERGE_ON_READ", "small_file_limit": 0},
    "compacted": {"table_type": "MERGE_ON_READ", "compact_inline": True, "compact_after_commits": 1},
}


class TestSourceCounters(AggregateSuite):
    plugin = "source-counters"
    types = ("map<string,long>",)
    values: ClassVar = {"map<string,long>": [None, {}, {"a": 1}, {"a": 2, "b": 1}, {"b": 3}, {"a": None, "c": 5}]}

    def by_hand(self, older, newer):
        if older is None or newer is None:
            return older if newer is None else newer
        found = {}
        for source, count in [*older, *newer]:
            counts = [value for value in (found.get(source), count) if value is not None]
            found[source] = max(counts, default=None)
        return sorted(found.items())


def clicks(**counts):
    return pa.Table.from_pylist([{"id": key, "clicks": list(map_.items())} for key, map_ in counts.items()], SCHEMA)


@pytest.mark.parametrize("kind", TABLES)
def test_a_batch_that_is_sent_twice_counts_once(hoodoo_table, kind):
    table = hoodoo_table(merger="aggregate", merger_options=FIELDS, **TABLES[kind])
    table.write(clicks(a={"web": 3, "app": 1}, b={"web": 1}))
    again = clicks(a={"app": 4}, b={"web": 2, "app": 7})
    table.write(again)
    table.write(again)
    table.write(clicks(a={"web": 2, "app": 3}))
    table.write(pa.table({"id": ["b"]}), operation="delete")

    assert table.rows() == [{"id": "a", "clicks": [("app", 4), ("web", 3)]}]
    assert sum(count for _, count in table.rows()[0]["clicks"]) == 7
