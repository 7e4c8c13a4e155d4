"""The schema of a table at an instant."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest

from hoodoo.errors import CorruptTableError
from hoodoo.properties import TableProperties
from hoodoo.properties import property_keys as keys
from hoodoo.reading.schema.table_schema import commit_schemas, table_schema
from hoodoo.schema.avro_encode import to_avro, with_meta_fields
from hoodoo.storage import LocalStorage
from hoodoo.timeline import Timeline


@pytest.fixture
def timeline(tmp_path):
    """Return a function that returns a timeline of version 6 whose commits contain the given schemas."""

    def load(*schemas):
        storage = LocalStorage(str(tmp_path))
        for number, text in enumerate(schemas):
            body = {"partitionToWriteStats": {}, "extraMetadata": {} if text is None else {"schema": text}}
            storage.create(f".hoodie/2026010100000{number}000.commit", json.dumps(body).encode())
        return Timeline.load(storage, 1)

    return load


def avro(*names):
    return to_avro(pa.schema([(name, pa.int64()) for name in names]), "t")


def test_the_newest_commit_that_has_a_schema_counts(timeline):
    found = timeline(avro("a"), avro("a", "b"), None)
    assert table_schema(found, TableProperties({})).names == ["a", "b"]
    assert [instant.time[-4] for instant, _ in commit_schemas(found)] == ["1", "0"]


def test_meta_columns_are_not_among_the_data_columns(timeline):
    """Commits of Hudi contain the meta columns if columns have ids."""
    assert table_schema(timeline(with_meta_fields(avro("a"))), TableProperties({})).names == ["a"]


def test_a_table_without_commits_has_the_schema_that_it_was_created_with(timeline):
    assert table_schema(timeline(), TableProperties({keys.CREATE_SCHEMA: avro("c")})).names == ["c"]
    assert table_schema(timeline(), TableProperties({})).names == []


def test_commits_without_any_schema_are_damage(timeline):
    with pytest.raises(CorruptTableError, match="no commit has the table's schema"):
        table_schema(timeline(None), TableProperties({}))


def test_an_error_of_a_schema_that_cannot_be_parsed_names_its_file(timeline):
    with pytest.raises(CorruptTableError, match=r"the schema in '.*\.commit' cannot be parsed") as damaged:
        table_schema(timeline("{}"), TableProperties({}))
    assert damaged.value.file.endswith(".commit")
