"""The key generator `dead-letter`: rows without a key do not fail the write."""

from typing import ClassVar

import pyarrow as pa
import pyarrow.compute as pc
import pytest

import hoodoo
from hoodoo.errors import DataError, OptionError
from hoodoo.record import KeyConfig
from hoodoo.testing import KeyGeneratorSuite

SCHEMA = pa.schema([("id", pa.string()), ("offset", pa.int64()), ("city", pa.string()), ("fare", pa.int64())])
TABLES = {
    "copy-on-write": {"table_type": "COPY_ON_WRITE"},
    "merge-on-read": {"table_type": "MERGE_ON_READ", "small_file_limit": 0},
    "compacted": {"table_type": "MERGE_ON_READ", "compact_inline": True, "compact_after_commits": 1},
}


class TestDeadLetter(KeyGeneratorSuite):
    plugin = "dead-letter"
    config = KeyConfig(("id", "offset"), ("city",))
    columns: ClassVar = {"id": "string"}
    values: ClassVar = {"id": ("a", "b", None, "")}


def rows(*found):
    return pa.Table.from_pylist([dict(zip(SCHEMA.names, row, strict=True)) for row in found], SCHEMA)


@pytest.mark.parametrize("kind", TABLES)
def test_dead_letters_are_kept_apart(hoodoo_table, kind):
    keys = {"keygen": "dead-letter", "record_key": "id,offset", "partition_by": "city", "merger": "commit-time"}
    table = hoodoo_table(**keys, **TABLES[kind])
    table.write(rows(("a", 1, "oslo", 1), (None, 2, "oslo", 2), ("", 3, None, 3)))
    table.write(rows(("a", 9, "oslo", 10), (None, 2, "oslo", 2), (None, 4, "rome", 4), ("b", None, "rome", 5)))

    stored = hoodoo.Table(table.path).to_arrow(["_hoodie_record_key", "_hoodie_partition_path", "fare"])
    found = sorted(zip(*(column.to_pylist() for column in stored.columns), strict=True))
    assert found == [
        ("a", "oslo", 10),
        ("b", "rome", 5),
        ("offset:2", "dead-letter", 2),
        ("offset:3", "dead-letter", 3),
        ("offset:4", "dead-letter", 4),
    ]
    letters = hoodoo.Table(table.path).to_arrow(["fare"], filter=pc.field("_hoodie_partition_path") == "dead-letter")
    assert sorted(letters["fare"].to_pylist()) == [2, 3, 4]

    table.write(rows(), operation="delete_partition", partitions_to_delete="dead-letter")
    assert [row["fare"] for row in table.rows()] == [10, 5]


def test_a_row_with_neither_key_nor_place_is_refused(hoodoo_table):
    table = hoodoo_table(keygen="dead-letter", record_key="id,offset", partition_by="city", merger="commit-time")

    with pytest.raises(DataError, match="'offset'"):
        table.write(rows((None, None, "oslo", 1)))
    with pytest.raises(OptionError, match="the column of the key and those of the message's place"):
        table.write(rows(("a", 1, "oslo", 1)), record_key="id")
