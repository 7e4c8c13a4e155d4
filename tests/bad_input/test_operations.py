"""Bad input is rejected by every operation to which it applies, and the table does not change."""

from __future__ import annotations

import errno
import os

import pyarrow as pa
import pytest

from hoodoo import write_job as job
from hoodoo.errors import CorruptTableError, DataError, OptionError, SchemaError, StorageError, UnknownOption
from hoodoo.storage import LocalStorage
from hoodoo.writing import write_spec

from .test_storage import FailingStorage

pytestmark = pytest.mark.slow

OPERATIONS = ("upsert", "insert", "bulk_insert", "delete", "insert_overwrite", "insert_overwrite_table")
KINDS = {
    "cow": {"table_type": "COPY_ON_WRITE"},
    "mor": {"table_type": "MERGE_ON_READ"},
    "mor-bucket": {"table_type": "MERGE_ON_READ", "index": "bucket", "buckets": 2},
    "mor-9": {"table_type": "MERGE_ON_READ", "table_version": 9},
}

each_operation = pytest.mark.parametrize("name", OPERATIONS)
each_kind = pytest.mark.parametrize("kind", KINDS.values(), ids=list(KINDS))


@each_operation
def test_what_options_and_columns_show(place, refuses, name):
    place.write()

    def write(rows=None, **options):
        return lambda: place.write(*[] if rows is None else [rows], operation=name, **options)

    refuses.early(UnknownOption, "unknown_option", "'orderign'", "'ordering'", write=write(orderign="ts"))
    refuses.early(OptionError, "contradiction", "'index'", "'bucket'", write=write(index="bucket"))
    refuses.early(OptionError, "contradiction", "'record_key'", "'v'", write=write(record_key="v"))
    for column, option in (("id", "record_key"), ("part", "partition_by")):
        rows = place.rows_with(**{column: None})
        refuses.early(SchemaError, "column_missing", f"'{column}'", f"'{option}'", write=write(rows))


@pytest.mark.each_value
@each_kind
@each_operation
@pytest.mark.parametrize("key", [None, ""])
def test_a_row_without_a_key(place, refuses, name, kind, key):
    place.write(**kind)
    rows = place.rows_with(id=pa.array(["a", key, "c"], pa.string()))

    refuses.late(DataError, "key_null_or_empty", "'id'", write=lambda: place.write(rows, operation=name))


@pytest.mark.each_value
@each_kind
@each_operation
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS])
def test_a_store_that_takes_no_more_data(place, refuses, monkeypatch, name, kind, number):
    """A write to a full or read-only disk is rolled back, and no reader finds a part of it."""
    place.write(**kind)
    full = [True]

    def before(method, path):
        if full and method == "open_output":
            error = StorageError(f"{method} '{path}': {os.strerror(number)}")
            error.errno = number
            raise error

    def storage(path, options=None):
        return FailingStorage(LocalStorage(str(place.path)).root, before)

    for module in (job, write_spec):
        monkeypatch.setattr(module, "storage_for", storage)

    def good():
        full.clear()
        place.write()

    error = refuses.late(
        StorageError, "storage", os.strerror(number), write=lambda: place.write(operation=name), good=good
    )

    assert error.errno == number


@pytest.mark.each_value
@each_kind
@each_operation
def test_a_folder_in_which_nothing_can_be_written(place, monkeypatch, name, kind):
    """Nothing changes, not even by a rollback: every byte is the same."""
    place.write(**kind)
    files, rows = place.files(), place.rows()

    def refuse(method):
        def raising(self, path, *arguments, **named):
            error = StorageError(f"{method} '{path}': {os.strerror(errno.EROFS)}")
            error.errno = errno.EROFS
            raise error

        return raising

    with monkeypatch.context() as patched:
        for method in ("create", "replace", "delete", "delete_tree", "open_output", "try_lock"):
            patched.setattr(LocalStorage, method, refuse(method))
        with pytest.raises(StorageError, match="Read-only file system"):
            place.write(operation=name)

    assert place.files() == files
    assert place.rows() == rows
    place.write(operation=name)


def test_unknown_columns_in_a_delete(place, refuses):
    """A misspelt ordering column would make the delete unconditional."""
    place.write()
    rows = place.rows_with(ts=None, v=None, tz=[0, 0, 0], zone=["a", "b", "c"])

    refuses.early(
        SchemaError,
        "unknown_column",
        "'tz', 'zone'",
        "operation delete",
        "id, part, ts, v",
        write=lambda: place.write(rows, operation="delete"),
    )


@pytest.mark.parametrize(
    ("columns", "options"),
    [
        ({"_hoodie_is_deleted": [True, True, True]}, {}),
        ({"came": [1, 2, 3]}, {"arrival": "came"}),
        ({"ts": None, "v": None}, {}),
    ],
)
def test_columns_that_a_delete_may_have_or_lack(place, columns, options):
    place.write()

    place.write(place.rows_with(**columns), operation="delete", **options)

    assert place.rows() == []


@pytest.mark.parametrize("policy", ["none", "fail"])
def test_two_policies_for_duplicates(place, refuses, policy):
    place.write()

    refuses.early(
        OptionError,
        "contradiction",
        "'drop_duplicates'",
        f"'dup_policy' is {policy}",
        write=lambda: place.write(operation="insert", drop_duplicates=True, dup_policy=policy),
    )


@pytest.mark.parametrize("option", [{"dup_policy": "drop"}, {"dup_policy": "fail"}, {"drop_duplicates": True}])
@pytest.mark.parametrize("name", [name for name in OPERATIONS if name != "insert"])
def test_a_policy_for_duplicates_of_another_operation(place, refuses, option, name):
    place.write()
    if name == "upsert" or ("drop_duplicates" in option and name != "bulk_insert"):
        pytest.skip("it is accepted with a warning, as in Hudi: tests/rows_written/hudi_jobs")

    refuses.early(
        OptionError, "contradiction", f"'{name}'", "insert", write=lambda: place.write(operation=name, **option)
    )


@pytest.mark.parametrize("buckets", ["", "x", "-2", "0", "2.5"])
def test_a_stored_number_of_buckets_that_is_damaged(place, refuses, buckets):
    place.write(index="bucket", buckets=2)
    file = place.path / ".hoodie" / "hoodie.properties"
    lines = file.read_text().splitlines()
    [place_of] = [number for number, line in enumerate(lines) if line.startswith("hoodoo.buckets=")]
    lines[place_of] = f"hoodoo.buckets={buckets}"
    file.write_text("\n".join([*lines, ""]))

    message = f"is '{buckets}', which is not a number of buckets"
    refuses.early(CorruptTableError, "corrupt_table", message, write=place.write)


@each_operation
@pytest.mark.parametrize(
    ("option", "value"), [("buckets", 3), ("index", "simple"), ("index", "bloom"), ("bucket_by", "v")]
)
def test_a_bucket_index_stays_what_it_is(place, refuses, name, option, value):
    base = {"index": "bucket", "buckets": 2, "record_key": "id,v", "bucket_by": "id"}
    place.write(**base)

    refuses.early(
        OptionError,
        "contradiction",
        f"'{option}'",
        f"'{value}'",
        write=lambda: place.write(operation=name, **{**base, option: value}),
    )
