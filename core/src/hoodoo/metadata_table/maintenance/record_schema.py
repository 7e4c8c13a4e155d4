"""Schema of new records of a metadata table: the schema in its newest commit, which fits the table version."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

import fastavro
import pyarrow as pa

from hoodoo.errors import CorruptTableError
from hoodoo.metadata_table.metadata_table import MetadataTable

__all__ = ["commit_schema", "encoded_records", "record_schema", "resolved_records", "with_meta_fields"]

_META_FIELDS = (
    "_hoodie_commit_time",
    "_hoodie_commit_seqno",
    "_hoodie_record_key",
    "_hoodie_partition_path",
    "_hoodie_file_name",
)


def commit_schema(metadata_table: MetadataTable) -> str:
    """Return the schema in the newest commit of a metadata table, without meta fields.

    The commits of the crate hudi-core have none before the first compaction of the metadata table. The result is then
    the schema of the records in the partition `files`.

    Raises:
        CorruptTableError: No commit and no such record has a schema, or the schema of the records is damaged.
    """
    if (schema := metadata_table.newest_schema) is not None:
        return schema
    folder = metadata_table.metadata.folder
    if (schema := metadata_table.schema_of_files) is None:
        raise CorruptTableError(
            f"no commit in '{folder}' has the schema of the metadata table; give 'hoodie.metadata.enable' = 'false' to "
            "remove the metadata table, and then 'true' to create it again",
            file=folder,
        )
    document, fields = _without_meta_fields(schema, folder)
    return json.dumps({**document, "fields": fields}, separators=(",", ":"), ensure_ascii=False)


def record_schema(metadata_table: MetadataTable) -> str:
    """Return the schema of the Avro datums in the files of a metadata table, including meta fields, as a JSON text.

    Raises:
        CorruptTableError: As in `commit_schema`.
    """
    return with_meta_fields(commit_schema(metadata_table), metadata_table.metadata.folder)


@cache
def with_meta_fields(schema: str, file: str) -> str:
    """Return a schema with Hudi's meta fields first, which are null in the metadata table.

    Args:
        schema: The Avro schema as JSON text, with or without meta fields.
        file: The origin of the schema, for the error.

    Raises:
        CorruptTableError: The schema is damaged.
    """
    document, fields = _without_meta_fields(schema, file)
    meta = [{"name": name, "type": ["null", "string"], "doc": "", "default": None} for name in _META_FIELDS]
    return json.dumps({**document, "fields": [*meta, *fields]}, separators=(",", ":"), ensure_ascii=False)


def _without_meta_fields(schema: str, file: str) -> tuple[dict[str, Any], list[Any]]:
    """Return a parsed schema, and its fields without meta fields."""
    try:
        document = json.loads(schema)
        return document, [field for field in document["fields"] if field["name"] not in _META_FIELDS]
    except (ValueError, KeyError, TypeError) as error:
        raise CorruptTableError(
            f"the schema of the metadata table in '{file}' is not the Avro schema of a record; remove the metadata "
            "table and create it again",
            file=file,
        ) from error


def encoded_records(schema: str, records: Iterable[Mapping[str, Any]]) -> pa.Array:
    """Return the Avro datums (`large_binary`) of records; their field `key` is empty, because the HFile has the key."""
    parsed = _parsed(schema)
    encoded = []
    for record in records:
        stream = io.BytesIO()
        fastavro.schemaless_writer(stream, parsed, {"key": "", **record})
        encoded.append(stream.getvalue())
    return pa.array(encoded, pa.large_binary())


def resolved_records(values: pa.Array, written: str, schema: str) -> pa.Array:
    """Return Avro datums of one schema as datums of another one (`large_binary`)."""
    writer, reader = _parsed(written), _parsed(schema)
    encoded = []
    for value in values.to_pylist():
        stream = io.BytesIO()
        record = fastavro.schemaless_reader(io.BytesIO(value), writer, reader, return_record_name=True)
        fastavro.schemaless_writer(stream, reader, record)
        encoded.append(stream.getvalue())
    return pa.array(encoded, pa.large_binary())


@cache
def _parsed(schema: str) -> Any:
    return fastavro.parse_schema(json.loads(schema))
