"""The merger `source-priority`: trusted sources win, with deletes too."""

from typing import ClassVar

import pytest

from hoodoo.errors import OptionError
from hoodoo.testing import MergerSuite

PRIORITY = {"priority": ["crm", "web"]}
TABLES = {
    "copy-on-write": {"table_type": "COPY_ON_WRITE"},
    "merge-on-read": {"table_type": "MERGE_ON_READ", "small_file_limit": 0},
    "compacted": {"table_type": "MERGE_ON_READ", "compact_inline": True, "compact_after_commits": 1},
}


class TestSourcePriority(MergerSuite):
    plugin = "source-priority"
    options = PRIORITY
    ordering = ("source", "ts")
    columns: ClassVar = {"source": "string", "ts": "long", "city": "string"}
    values: ClassVar = {"source": ["crm", "web", "partner"]}


@pytest.mark.parametrize("kind", TABLES)
def test_a_less_trusted_source_neither_changes_nor_deletes(hoodoo_table, kind):
    table = hoodoo_table(merger="source-priority", merger_options=PRIORITY, ordering="source,ts", **TABLES[kind])
    stored = [("1", "crm", 5, "Oslo"), ("2", "web", 5, "Rome"), ("3", "web", 5, "Bonn"), ("4", "fax", 5, "Riga")]
    table.write([dict(zip(("id", "source", "ts", "city"), row, strict=True)) for row in stored])
    table.write(
        [
            {"id": "1", "source": "web", "ts": 9, "city": "less trusted"},
            {"id": "2", "source": "crm", "ts": 1, "city": "more trusted"},
            {"id": "3", "source": "web", "ts": 4, "city": "late"},
            {"id": "4", "source": "web", "ts": 1, "city": "named"},
        ]
    )
    deletes = [("1", "web", 10), ("2", "crm", 0), ("3", "web", 6), ("4", "crm", 0)]
    table.write([dict(zip(("id", "source", "ts"), row, strict=True)) for row in deletes], operation="delete")

    assert table.rows() == [
        {"id": "1", "source": "crm", "ts": 5, "city": "Oslo"},
        {"id": "2", "source": "crm", "ts": 1, "city": "more trusted"},
    ]


def test_the_source_must_be_an_ordering_column(hoodoo_table):
    with pytest.raises(OptionError, match=r"from the first ordering column, a string.*it is 'ts'"):
        hoodoo_table(merger="source-priority", merger_options=PRIORITY, ordering="ts").write([{"id": "1", "ts": 1}])
