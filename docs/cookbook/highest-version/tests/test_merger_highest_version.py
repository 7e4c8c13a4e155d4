"""The merger `highest-version`: soft deletes are rows, which no late version replaces."""

from typing import ClassVar

import pytest

from hoodoo.errors import SchemaError
from hoodoo.testing import MergerSuite

TABLES = {
    "copy-on-write": {"table_type": "COPY_ON_WRITE"},
    "merge-on-read": {"table_type": "MERGE_ON_READ", "small_file_limit": 0},
    "compacted": {"table_type": "MERGE_ON_READ", "compact_inline": True, "compact_after_commits": 1},
}


class TestHighestVersion(MergerSuite):
    plugin = "highest-version"
    ordering = ("version",)
    columns: ClassVar = {"deleted": "boolean", "city": "string"}


@pytest.mark.parametrize("kind", TABLES)
def test_a_late_version_does_not_bring_a_deleted_row_back(hoodoo_table, kind):
    table = hoodoo_table(merger="highest-version", ordering="version", **TABLES[kind])
    table.write([{"id": key, "version": 3, "city": "Oslo"} for key in "123456"])
    table.write(
        [
            {"id": "1", "version": 5, "city": "Oslo", "deleted": True},
            {"id": "2", "version": 2, "city": "late", "deleted": True},
            {"id": "3", "version": 3, "city": "equal", "deleted": True},
            {"id": "4", "version": 4, "city": "Oslo", "deleted": True},
        ]
    )
    table.write(
        [
            {"id": "1", "version": 4, "city": "late", "deleted": False},
            {"id": "3", "version": 3, "city": "equal, later", "deleted": False},
            {"id": "4", "version": 5, "city": "back", "deleted": False},
        ]
    )
    table.write([{"id": "5", "version": 3}, {"id": "6", "version": 2}], operation="delete")

    assert table.rows() == [
        {"id": "1", "version": 5, "city": "Oslo", "deleted": True},
        {"id": "2", "version": 3, "city": "Oslo", "deleted": None},
        {"id": "3", "version": 3, "city": "equal", "deleted": True},
        {"id": "4", "version": 5, "city": "back", "deleted": False},
        {"id": "6", "version": 3, "city": "Oslo", "deleted": None},
    ]


def test_a_flag_of_another_type_is_refused(hoodoo_table):
    table = hoodoo_table(merger="highest-version", ordering="version")

    with pytest.raises(SchemaError, match="column 'deleted' is string"):
        table.write([{"id": "1", "version": 1, "deleted": "no"}])
