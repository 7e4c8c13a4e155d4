"""The schema that a table has at some instant."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from hoodoo.errors import CorruptTableError, SchemaError
from hoodoo.properties import TableProperties
from hoodoo.schema.consistency import columns_of
from hoodoo.timeline import Instant, Timeline

__all__ = ["stated_schemas", "table_schema"]


def table_schema(timeline: Timeline, properties: TableProperties) -> pa.Schema:
    """The data columns, without meta columns, as the newest commit of the timeline states them.

    A table whose commits state none has the schema it was created with; without commits and that, no columns.

    Raises:
        CorruptTableError: the stated schema cannot be understood, or there are commits and none.
    """
    newest, schema = next(stated_schemas(timeline), (None, ""))
    if newest is not None:
        return _parsed(schema, timeline.path_of(newest))
    created = properties.create_schema
    if created:
        return _parsed(created, properties.file)
    if timeline.commits:
        file = timeline.path_of(timeline.commits[-1])
        raise CorruptTableError(f"no commit states the table's schema, '{file}' the last; restore the file", file=file)
    return pa.schema([])


def stated_schemas(timeline: Timeline) -> Iterator[tuple[Instant, str]]:
    """The commits that state a schema, newest first, with what they state, in Avro's JSON; the first is the table's."""
    for instant in reversed(timeline.commits):
        if schema := timeline.commit_outline(instant).schema:
            yield instant, schema


def _parsed(text: str, file: str) -> pa.Schema:
    try:
        return columns_of(text)
    except SchemaError as error:
        raise CorruptTableError(f"'{file}' holds a schema that cannot be read: {error}", file=file) from error
