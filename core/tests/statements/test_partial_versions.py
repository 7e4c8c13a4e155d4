"""Columns that versions of a statement need, and tables whose logs may have partial records."""

from __future__ import annotations

import pyarrow as pa
import pytest

from hoodoo.options import parse
from hoodoo.plugin import default_catalogue
from hoodoo.statements.partial_versions import logs_partial_records, needed_columns_of
from hoodoo.storage import LocalStorage
from hoodoo.writing.prepare.prepare import GROUPS, prepare

SCHEMA = pa.schema([("id", pa.string()), ("day", pa.string()), ("v", pa.int64()), ("w", pa.string())])


@pytest.fixture
def prepared(tmp_path):
    def make(**options):
        given = {"table_name": "made", "record_key": "id", "partition_by": "day", "index": "simple", **options}
        given = {name: value for name, value in given.items() if value is not None}
        return prepare(LocalStorage(str(tmp_path)), SCHEMA, parse(given, GROUPS), "append", default_catalogue())

    return make


def test_versions_need_what_the_rule_reads(prepared):
    assert needed_columns_of(prepared(merger="commit-time")) == frozenset()
    assert needed_columns_of(prepared(ordering="v")) == {"v"}


def test_versions_need_the_key_columns_of_a_table_without_meta_columns(prepared):
    assert needed_columns_of(prepared(ordering="v", populate_meta_fields=False)) == {"id", "v"}


@pytest.mark.parametrize("options", [{"index": "global-simple"}, {"merger": "aggregate"}], ids=["index", "rule"])
def test_rows_that_move_and_rules_that_change_columns_need_whole_versions(prepared, options):
    assert needed_columns_of(prepared(**options)) is None


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"table_version": 9}, True),
        ({"table_version": 8}, False),
        ({"table_version": 8, "partial_records": True}, True),
        ({"table_version": 8, "ordering": "v", "partial_records": True}, True),
        ({"table_version": 6}, False),
        ({"table_version": 6, "partial_records": True}, False),
        ({"table_version": 9, "partial_records": False}, False),
        ({"table_version": 9, "ordering": "v"}, False),
        ({"table_version": 9, "ordering": "v", "partial_records": True}, True),
        ({"table_version": 9, "merger": "aggregate", "partial_records": True}, False),
    ],
)
def test_version_rule_and_option_decide_about_partial_records(prepared, options, expected):
    assert logs_partial_records(prepared(table_type="MERGE_ON_READ", **options)) is expected
