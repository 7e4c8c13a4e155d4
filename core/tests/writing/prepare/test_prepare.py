"""Checks of a whole write, by mode and stored table."""

from __future__ import annotations

import pyarrow as pa
import pytest

from hoodoo import Table
from hoodoo.errors import CorruptTableError, NotATable, OptionError, SchemaError, TableExists
from hoodoo.testing.engine import write_arrow

OPTIONS = {"table_name": "t", "record_key": "id", "partition_by": "p", "ordering": "ts"}


@pytest.fixture
def stored(storage, rows):
    write_arrow(rows(("a", "x", 1, "1"), ("b", "y", 1, "1")), storage.uri, OPTIONS)


def test_a_stored_table_gives_timeline_and_slices(prepared, stored):
    write = prepared()
    assert len(write.timeline.commits) == 1
    assert {s.partition for s in write.slices} == {"x", "y"}


def test_the_columns_of_a_write_are_those_of_the_table_and_new_ones(prepared, stored):
    schema = pa.schema([("n", pa.int64()), ("id", pa.string()), ("p", pa.string()), ("ts", pa.int64())])
    assert prepared(schema).table.schema.names == ["id", "p", "ts", "v", "n"]


def test_a_delete_adds_no_columns(prepared, stored):
    schema = pa.schema([("id", pa.string()), ("p", pa.string()), ("n", pa.int64())])
    with pytest.raises(SchemaError, match="'n'") as refused:
        prepared(schema, operation="delete")
    assert refused.value.code == "unknown_column"


def test_modes_decide_on_a_stored_table(prepared, stored):
    assert prepared(mode="ignore") is None
    assert prepared(mode="overwrite").operation.name == "insert_overwrite_table"
    assert prepared(mode="overwrite").operation.combines
    for mode in ("errorifexists", "error"):
        with pytest.raises(TableExists):
            prepared(mode=mode)


def test_mode_overwrite_refuses_operations_that_need_stored_rows(prepared):
    with pytest.raises(OptionError, match="operation is 'delete'"):
        prepared(mode="overwrite", operation="delete")


def test_an_unknown_mode_is_refused(prepared):
    with pytest.raises(OptionError, match="mode is 'replace'"):
        prepared(mode="replace")


@pytest.mark.parametrize("operation", ["delete", "delete_partition"])
def test_nothing_is_deleted_from_a_table_that_does_not_exist(prepared, operation):
    with pytest.raises(NotATable):
        prepared(operation=operation)


def test_a_timeline_without_properties_is_not_overwritten(prepared, storage, stored):
    storage.delete(".hoodie/hoodie.properties")
    with pytest.raises(CorruptTableError, match="restore that file"):
        prepared()


def test_a_key_of_one_field_is_read_as_the_table_writes_it(prepared, storage, rows):
    write_arrow(rows(("a", "x", 1, "1")), storage.uri, {**OPTIONS, "keygen": "complex"})
    assert prepared(keygen="complex").keys.config.complex_encoding == "field"


@pytest.mark.parametrize(("version", "expected"), [(6, ["a", "b"]), (8, ["a", "b"]), (9, ["id:a", "id:b"])])
def test_the_key_of_one_field_has_the_form_that_hudi_gives_it_in_this_version(storage, rows, version, expected):
    new = {"hoodie.write.complex.keygen.new.encoding": True}
    options = {**OPTIONS, "keygen": "complex", "table_version": version}
    write_arrow(rows(("a", "x", 1, "1")), storage.uri, {**options, **new})
    # the table keeps the form: this write does not ask for it
    write_arrow(rows(("a", "x", 2, "2"), ("b", "x", 1, "1")), storage.uri, options)
    keys = Table(storage.uri).to_arrow(["_hoodie_record_key"])["_hoodie_record_key"].to_pylist()
    assert sorted(keys) == expected


def test_a_table_that_has_rows_keeps_the_form_of_its_keys(storage, rows):
    options = {**OPTIONS, "keygen": "complex"}
    write_arrow(rows(("a", "x", 1, "1")), storage.uri, options)
    new = {"hoodie.write.complex.keygen.new.encoding": "true"}
    write_arrow(rows(("a", "x", 2, "2"), ("b", "x", 1, "1")), storage.uri, {**options, **new})
    keys = Table(storage.uri).to_arrow(["_hoodie_record_key"])["_hoodie_record_key"].to_pylist()
    assert sorted(keys) == ["id:a", "id:b"]


def test_a_table_without_meta_columns_has_the_form_that_readers_make(prepared):
    options = {"keygen": "complex", "plain_lone_key": True}
    assert prepared(**options).keys.config.complex_encoding == "value"
    assert prepared(**options, populate_meta_fields=False).keys.config.complex_encoding == "field"
