"""The schema that a table has at some instant."""

from __future__ import annotations

import pyarrow as pa

from hoodoo.errors import CorruptTableError, SchemaError
from hoodoo.properties import TableProperties
from hoodoo.schema.avro import from_avro
from hoodoo.timeline import Timeline

__all__ = ["table_schema"]


def table_schema(timeline: Timeline, properties: TableProperties) -> pa.Schema:
    """The data columns, without meta columns, as the newest commit of the timeline states them.

    A table without commits has the schema it was created with; without that, no columns.

    Raises:
        CorruptTableError: the stated schema cannot be understood.
    """
    for instant in reversed(timeline.commits):
        schema = timeline.commit_metadata(instant).schema
        if schema:
            return _parsed(schema, timeline.path_of(instant))
    created = properties.get("hoodie.table.create.schema")
    return _parsed(created, ".hoodie/hoodie.properties") if created else pa.schema([])


def _parsed(text: str, file: str) -> pa.Schema:
    try:
        return from_avro(text)
    except SchemaError as error:
        raise CorruptTableError(f"'{file}' holds a schema that cannot be read: {error}", file=file) from error
