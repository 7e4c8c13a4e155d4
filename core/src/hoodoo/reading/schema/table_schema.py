"""Schema of a table at an instant."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from hoodoo.errors import CorruptTableError, SchemaError
from hoodoo.properties import TableProperties
from hoodoo.schema.consistency import columns_of
from hoodoo.schema.meta_columns import without_meta
from hoodoo.timeline import Instant, Timeline

__all__ = ["commit_schemas", "table_schema"]


def table_schema(timeline: Timeline, properties: TableProperties) -> pa.Schema:
    """Return the data columns, without meta columns, from the newest commit of the timeline that has a schema.

    If no commit has a schema, return the schema with which the table was created. A table without that schema and
    without commits has no columns.

    Raises:
        CorruptTableError: A commit or its schema is damaged, or commits exist and neither they nor the properties have
            a schema.
    """
    newest, schema = next(commit_schemas(timeline), (None, ""))
    if newest is not None:
        return _parsed(schema, timeline.path_of(newest))
    created = properties.create_schema
    if created:
        return _parsed(created, properties.file)
    if timeline.commits:
        file = timeline.path_of(timeline.commits[-1])
        raise CorruptTableError(f"no commit has the table's schema; restore '{file}', the last commit", file=file)
    return pa.schema([])


def commit_schemas(timeline: Timeline) -> Iterator[tuple[Instant, str]]:
    """Yield each commit that contains a schema, and the schema in Avro's JSON, newest first.

    The first schema is the table's.

    Raises:
        CorruptTableError: A commit is damaged.
    """
    for instant in reversed(timeline.commits):
        if schema := timeline.commit_outline(instant).schema:
            yield instant, schema


def _parsed(text: str, file: str) -> pa.Schema:
    try:
        # a commit of Hudi that changes names of columns, or follows one, has the meta columns in its schema
        return without_meta(columns_of(text))
    except SchemaError as error:
        raise CorruptTableError(
            f"the schema in '{file}' cannot be parsed: {error}; restore the file", file=file
        ) from error
