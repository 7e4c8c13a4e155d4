"""The operation and the other parts of the specification of a write."""

from __future__ import annotations

import pytest

from hoodoo.options import WriteOptions
from hoodoo.writing.write_spec import OperationSpec


@pytest.mark.parametrize(
    ("name", "merges", "replaces", "overwrites"),
    [
        ("upsert", True, False, False),
        ("delete", True, False, False),
        ("insert", False, False, False),
        ("bulk_insert", False, False, False),
        ("insert_overwrite", False, True, True),
        ("insert_overwrite_table", False, True, True),
        ("delete_partition", False, True, False),
    ],
)
def test_operations(name, merges, replaces, overwrites):
    operation = OperationSpec(name)
    assert (operation.merges, operation.replaces, operation.overwrites) == (merges, replaces, overwrites)
    assert operation.looks_up == merges


def test_an_insert_with_a_policy_looks_keys_up():
    assert OperationSpec("insert", dup_policy="drop").looks_up
    assert not OperationSpec("insert").looks_up


@pytest.mark.parametrize(
    ("options", "policy"), [({}, "none"), ({"drop_duplicates": True}, "drop"), ({"dup_policy": "fail"}, "fail")]
)
def test_either_option_gives_the_policy(options, policy):
    assert OperationSpec.of(WriteOptions(operation="insert", **options)).dup_policy == policy


@pytest.mark.parametrize(
    ("index", "options", "spans"),
    [
        ("global-simple", {}, True),
        ("simple", {}, False),
        ("global-simple", {"operation": "insert"}, False),
        ("global-simple", {"operation": "insert", "combine_before_insert": True}, True),
    ],
)
def test_rows_meet_over_partitions_with_a_global_index_only(prepared, index, options, spans):
    assert prepared(index=index, **options).spans_partitions == spans


@pytest.mark.parametrize(
    ("options", "groups"),
    [
        ({"operation": "bulk_insert"}, True),
        ({"operation": "insert"}, False),
        ({"operation": "bulk_insert", "combine_before_insert": True}, False),
        ({"operation": "bulk_insert", "index": "bucket"}, False),
    ],
)
def test_a_bulk_insert_may_be_grouped_by_values(prepared, options, groups):
    assert prepared(**options).groups_by_value == groups


def test_the_avro_schema_has_the_name_of_the_table(prepared):
    assert '"name":"t_record"' in prepared().table.avro_schema.replace(" ", "")
