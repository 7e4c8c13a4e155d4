"""Checks of the schemas of commits and log blocks."""

from __future__ import annotations

import re

import pyarrow as pa
import pytest

from hoodoo.errors import CorruptTableError
from hoodoo.format.log import BlockType, HeaderKey, LogBlock
from hoodoo.properties import TableProperties
from hoodoo.properties import property_keys as keys
from hoodoo.reading.schema.commit_schema import check_block, check_ordering, check_schema, schemas_of_logs
from hoodoo.schema.avro_encode import to_avro


def avro(*names):
    return to_avro(pa.schema([(name, pa.int64()) for name in names]), "t")


def block(text):
    header = {HeaderKey.INSTANT_TIME: "1"} | ({} if text is None else {HeaderKey.SCHEMA: text})
    return LogBlock(".f.log", 7, 10, BlockType.AVRO_DATA, header, 0, 0)


def test_a_block_agrees_with_its_commit():
    check_block(block(avro("value", "n")), {"1": avro("value", "n")})
    check_block(block(avro("value")), {})
    check_block(block(None), {"1": avro("value")})
    check_block(block("no json"), {"1": avro("value")})


def test_a_block_whose_column_is_almost_that_of_its_commit_is_damaged():
    with pytest.raises(CorruptTableError, match="at byte 7 of log file") as damaged:
        check_block(block(avro("valuf")), {"1": avro("value")})
    assert damaged.value.offset == 7


def test_an_ordering_column_of_almost_the_same_name_is_damage():
    properties = TableProperties({keys.ORDERING_FIELDS: "updatee"})
    check_ordering(properties, ["updatee"])
    check_ordering(properties, ["other"])
    with pytest.raises(CorruptTableError, match="column 'updatee', which the table lacks; it has 'updated'"):
        check_ordering(properties, ["updated"])


def test_hudis_default_ordering_column_may_be_missing():
    check_ordering(TableProperties({keys.ORDERING_FIELDS: "ts"}), ["td"])


def test_schemas_of_the_commits_of_logs(written):
    written.write(("a", "x", 1, "1"))
    second = written.write(("a", "x", 2, "2"))
    [file_slice] = written.table.file_slices()
    assert list(schemas_of_logs(written.timeline, file_slice)) == [second]


def test_a_schema_that_contradicts_a_base_file_of_its_commit_is_damage(written):
    instant = written.write(("a", "x", 1, "1"), table_type="COPY_ON_WRITE")
    properties = TableProperties({k: v for k, v in written.properties.items() if k != keys.CREATE_SCHEMA})
    slices = written.table.file_slices()
    check_schema(written.storage, written.timeline, properties, slices)
    path = f".hoodie/{instant}.commit"
    body = written.storage.read(path)
    damaged = re.sub(rb'(name\\":\s*\\")v\\"', rb'\1w\\"', body)
    assert damaged != body
    written.storage.replace(path, damaged)
    with pytest.raises(CorruptTableError, match="is damaged: in base file"):
        check_schema(written.storage, written.timeline, properties, slices)
