"""The merger `source-priority`: trusted sources win, with deletes too."""

from typing import ClassVar

import pytest

from hoodoo.errors import SchemaError
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
    columns: ClassVar = {"source": "string", "city": "string"}
    values: ClassVar = {"source": ["crm", "web", "partner"]}


def versions(*rows, deleted=False):
    names = ("id", "source", "ts", "city")
    return [{**dict(zip(names, row, strict=True)), "_hoodie_is_deleted": deleted} for row in rows]


@pytest.mark.parametrize("kind", TABLES)
def test_a_less_trusted_source_neither_changes_nor_deletes(hoodoo_table, kind):
    table = hoodoo_table(merger="source-priority", merger_options=PRIORITY, ordering="ts", **TABLES[kind])
    stored = [("1", "crm", 5, "Oslo"), ("2", "web", 5, "Rome"), ("3", "web", 5, "Bonn"), ("4", "fax", 5, "Riga")]
    table.write(versions(*stored, ("5", "crm", 5, "Kyiv")))
    changes = [("1", "web", 9, "less trusted"), ("2", "crm", 1, "more trusted"), ("3", "web", 4, "late")]
    table.write(versions(*changes, ("4", "web", 1, "named")))
    deletes = [("1", "web", 10, "Oslo"), ("2", "crm", 0, "Rome"), ("3", "web", 6, "Bonn"), ("4", "crm", 0, "Riga")]
    table.write(versions(*deletes, deleted=True))
    table.write([{"id": "5"}], operation="delete")

    assert table.rows() == versions(("1", "crm", 5, "Oslo"), ("2", "crm", 1, "more trusted"))


def test_the_source_must_be_a_text(hoodoo_table):
    table = hoodoo_table(merger="source-priority", merger_options=PRIORITY, ordering="ts")

    with pytest.raises(SchemaError, match="column 'source' is int64"):
        table.write([{"id": "1", "ts": 1, "source": 7}])
