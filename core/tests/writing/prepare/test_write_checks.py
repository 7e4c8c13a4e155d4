"""Checks that come before anything is written."""

from __future__ import annotations

import pyarrow as pa
import pytest

from hoodoo.errors import OptionError, SchemaError, UnsupportedTable
from hoodoo.filegroup import FileSlice
from hoodoo.filegroup.file_group import LogFile
from hoodoo.index.index_types import BucketIndex, SimpleIndex
from hoodoo.options import WriteOptions
from hoodoo.properties import TableProperties
from hoodoo.properties import property_keys as keys
from hoodoo.writing.prepare.write_checks import check_columns, check_operation, check_slices
from hoodoo.writing.write_spec import OperationSpec

INSTANT = "20260101000000000"
LOG = LogFile("p/.f-0_20260101000000000.log.1_0-1-2", "f-0", INSTANT, 1, "0-1-2")
UPSERT = OperationSpec("upsert")


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ({"operation": "insert", "drop_duplicates": True, "dup_policy": "fail"}, ["drop_duplicates", "dup_policy"]),
        ({"operation": "upsert", "dup_policy": "drop"}, ["dup_policy", "upsert"]),
        ({"operation": "upsert", "drop_duplicates": True}, ["drop_duplicates", "upsert"]),
        ({"operation": "upsert", "partitions_to_delete": ("p",)}, ["partitions_to_delete", "upsert"]),
        ({"operation": "upsert", "partitions_to_overwrite": ("p",)}, ["partitions_to_overwrite", "upsert"]),
        (
            {"operation": "insert_overwrite_table", "partitions_to_overwrite": ("p",)},
            ["partitions_to_overwrite", "insert_overwrite_table"],
        ),
    ],
)
def test_options_of_another_operation_are_refused(options, names):
    with pytest.raises(OptionError) as refused:
        check_operation(WriteOptions(**options))
    assert refused.value.code == "contradiction"
    assert all(f"'{name}'" in str(refused.value) for name in names)


@pytest.mark.parametrize(
    "options",
    [
        {"operation": "insert", "drop_duplicates": True, "dup_policy": "drop"},
        {"operation": "upsert", "dup_policy": "none"},
        {"operation": "delete_partition", "partitions_to_delete": ("p",)},
        {"operation": "insert_overwrite", "partitions_to_overwrite": ("p",)},
    ],
)
def test_options_that_agree_pass(options):
    check_operation(WriteOptions(**options))


@pytest.mark.parametrize(
    ("names", "named"),
    [(["a", "A"], "'a' and 'A'"), (["_hoodie_record_key"], "_hoodie_record_key"), (["__hoodoo_x"], "__hoodoo_x")],
)
def test_reserved_and_repeated_names_are_refused(names, named):
    with pytest.raises(SchemaError, match=named) as refused:
        check_columns(pa.schema([(name, pa.string()) for name in names]))
    assert refused.value.code == "column_name"


def slice_of(path, *logs):
    return FileSlice("p", "f-0", INSTANT, path, 1, logs)


def check(table_type, file_slice, operation=UPSERT, index=SimpleIndex):
    check_slices(TableProperties({keys.TABLE_TYPE: table_type}), [file_slice], operation, index)


def test_a_log_in_a_copy_on_write_table_is_refused():
    check("COPY_ON_WRITE", slice_of("p/f.parquet"))
    with pytest.raises(UnsupportedTable, match=LOG.path) as refused:
        check("COPY_ON_WRITE", slice_of("p/f.parquet", LOG))
    assert refused.value.code == "log_file"


def test_an_insert_that_looks_keys_up_is_refused_with_logs():
    check("MERGE_ON_READ", slice_of("p/f.parquet", LOG))
    with pytest.raises(OptionError, match="compact the table first"):
        check("MERGE_ON_READ", slice_of("p/f.parquet", LOG), OperationSpec("insert", dup_policy="drop"))


def test_a_slice_of_logs_alone_needs_a_bucket_index():
    check("MERGE_ON_READ", slice_of(None, LOG), index=BucketIndex)
    with pytest.raises(UnsupportedTable, match="only index 'bucket' finds keys without base files") as refused:
        check("MERGE_ON_READ", slice_of(None, LOG))
    assert refused.value.code == "log_only"


@pytest.mark.parametrize(
    ("options", "column", "option"),
    [
        ({"record_key": "x"}, "x", "record_key"),
        ({"partition_by": "x"}, "x", "partition_by"),
        ({"ordering": "x"}, "x", "ordering"),
        ({"delete_field": "x", "delete_marker": "D"}, "x", "delete_field"),
        ({"event_time_field": "x"}, "x", "event_time_field"),
        ({"arrival": "x"}, "x", "arrival"),
    ],
)
def test_a_column_that_an_option_names_must_exist(prepared, options, column, option):
    with pytest.raises(SchemaError, match=f"column '{column}'") as refused:
        prepared(**options)
    assert refused.value.code == "column_missing"
    assert f"'{option}'" in str(refused.value)


def test_a_column_that_cannot_order_is_refused(prepared):
    schema = pa.schema([("id", pa.string()), ("p", pa.string()), ("ts", pa.list_(pa.int64())), ("v", pa.string())])
    with pytest.raises(SchemaError, match="ts"):
        prepared(schema)


def test_an_event_time_has_a_type_of_time(prepared):
    schema = pa.schema([("id", pa.string()), ("p", pa.string()), ("ts", pa.int64()), ("v", pa.float64())])
    with pytest.raises(SchemaError, match=r"'v' is of type double") as refused:
        prepared(schema, event_time_field="v")
    assert refused.value.code == "column_type"


@pytest.mark.parametrize(
    "options",
    [
        {"operation": "insert", "combine_before_insert": True},
        {"operation": "insert", "dup_policy": "drop"},
        {"operation": "insert", "index": "bucket"},
        {"operation": "insert", "arrival": "ts"},
    ],
)
def test_generated_keys_are_only_inserted(prepared, options):
    generated = {"keygen": "uuid", "record_key": None}
    prepared(**generated, operation="insert")
    with pytest.raises(OptionError) as refused:
        prepared(**generated, **options)
    assert refused.value.code == "generated_keys"
