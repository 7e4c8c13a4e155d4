"""The aggregate function `capped-list`: the last items."""

from typing import ClassVar

import pytest

from hoodoo.errors import OptionError
from hoodoo.testing import AggregateSuite

MOST = 3
TABLES = {
    "copy-on-write": {"table_type": "COPY_ON_WRITE"},
    "merge-on-read": {"table_type": "MERGE_ON_READ", "small_file_limit": 0},
    "compacted": {"table_type": "MERGE_ON_READ", "compact_inline": True, "compact_after_commits": 1},
}


class TestCappedList(AggregateSuite):
    plugin = "capped-list"
    options: ClassVar = {"most": MOST}

    def by_hand(self, older, newer):
        if older is None and newer is None:
            return None
        return [*(older or []), *(newer or [])][-MOST:]


@pytest.mark.parametrize("kind", TABLES)
def test_the_last_items_stay(hoodoo_table, kind):
    fields = {"fields": {"events": {"agg": "capped-list", "most": MOST}}}
    table = hoodoo_table(merger="aggregate", merger_options=fields, **TABLES[kind])
    table.write([{"id": "1", "events": ["a", "b"]}, {"id": "2", "events": ["a"]}, {"id": "3", "events": ["a"]}])
    table.write([{"id": "1", "events": ["c"]}, {"id": "1", "events": ["d", "e"]}, {"id": "2", "events": None}])
    table.write([{"id": "2", "events": ["a"]}, {"id": "4", "events": ["p", "q", "r", "s"]}])
    table.write([{"id": "3"}], operation="delete")

    assert table.rows() == [
        {"id": "1", "events": ["c", "d", "e"]},
        {"id": "2", "events": ["a", "a"]},
        {"id": "4", "events": ["q", "r", "s"]},
    ]


def test_an_empty_list_is_no_limit(hoodoo_table):
    fields = {"fields": {"events": {"agg": "capped-list", "most": 0}}}

    with pytest.raises(OptionError, match="'most' is 0"):
        hoodoo_table(merger="aggregate", merger_options=fields).write([{"id": "1", "events": ["a"]}])
