"""Checks of the schemas in commits and log blocks. With a damaged schema a read would silently omit columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice

import pyarrow as pa

from hoodoo.errors import CorruptTableError, SchemaError
from hoodoo.filegroup import FileSlice
from hoodoo.format.base_files import stored_schema
from hoodoo.format.log import LogBlock
from hoodoo.properties import TableProperties
from hoodoo.reading.schema.table_schema import commit_schemas
from hoodoo.record.delete_markers import OPERATION_COLUMN
from hoodoo.schema.consistency import columns_of, contradiction, looks_like
from hoodoo.schema.meta_columns import META_COLUMNS
from hoodoo.storage import Storage
from hoodoo.timeline import Timeline

__all__ = ["check_block", "check_ordering", "check_schema", "schemas_of_logs"]

_META = tuple(pa.field(name, pa.string()) for name in META_COLUMNS)
_DEFAULT_ORDERING = "ts"


def check_schema(
    storage: Storage, timeline: Timeline, properties: TableProperties, slices: Iterable[FileSlice]
) -> None:
    """Check the schema in the newest commit that has one, which is the table's schema.

    The schema is accepted if the previous commit or the table properties contain the same one, because damage does not
    change two places in the same way. Otherwise it is compared with the footer of one base file of the commit. It is
    not checked without such a file, or if the footer contradicts itself.

    Args:
        storage: The table's files.
        timeline: The timeline with the commit.
        properties: The table properties.
        slices: The file slices among which a base file of the commit is searched.

    Raises:
        CorruptTableError: The base file is missing or damaged, or has columns with other names or types; or a commit is
            damaged.
        UnsupportedTable: The base file needs a feature or a package that is missing.
        SchemaError: The schema in the newest commit cannot be parsed.
    """
    found = list(islice(commit_schemas(timeline), 2))
    if not found:
        return
    newest, text = found[0]
    columns = columns_of(text)
    others = [text for _, text in found[1:]]
    if properties.create_schema:
        others.append(properties.create_schema)
    if any(_is_same(columns, text) for text in others):
        return
    path = next((s.path for s in slices if s.path is not None and s.base_instant == newest.time), None)
    if path is None:
        return
    stored = stored_schema(storage, path)
    if stored is None:
        return
    data = [field for field in stored if field.name not in (*META_COLUMNS, OPERATION_COLUMN)]
    damage = contradiction(columns, data, exact=True)
    if damage is not None:
        commit = timeline.path_of(newest)
        raise CorruptTableError(
            f"the schema in '{commit}' is damaged: in base file '{path}' of that commit, {damage}; restore '{commit}'",
            file=commit,
        )


def check_ordering(properties: TableProperties, columns: Iterable[str]) -> None:
    """Check that no ordering column, except the default `ts`, is a misspelled name of a column of the table.

    Raises:
        CorruptTableError: The table lacks an ordering column and has a column with almost the same name.
    """
    known = set(columns)
    for name in properties.ordering:
        other = next((column for column in sorted(known) if looks_like(name, column)), None)
        # tables without an ordering column may name Hudi's default
        if name not in known and name != _DEFAULT_ORDERING and other is not None:
            raise CorruptTableError(
                f"'{properties.file}' names ordering column '{name}', which the table lacks; it has '{other}'; restore "
                "the file",
                file=properties.file,
            )


def schemas_of_logs(timeline: Timeline, file_slice: FileSlice) -> Mapping[str, str]:
    """Return the schemas of the commits that wrote to a slice's logs: Avro schemas in JSON, by instant.

    Commits without a schema are left out.

    Raises:
        CorruptTableError: A commit is damaged.
    """
    times = {time for log in file_slice.logs for time in log.commits}
    schemas: dict[str, str] = {}
    kept: dict[str, str] = {}
    for instant in timeline.commits:
        if instant.time in times and (text := timeline.commit_outline(instant).schema):
            # equal schemas share one object, which is pickled once
            schemas[instant.time] = kept.setdefault(text, text)
    return schemas


def check_block(block: LogBlock, schemas: Mapping[str, str]) -> None:
    """Check the schema of a data block against the schema of its commit and the names of meta columns.

    A schema that cannot be parsed is ignored here. Decoding the rows of the block fails with it.

    Args:
        block: The block; one without a schema is not checked.
        schemas: The schemas of commits, by instant.

    Raises:
        CorruptTableError: The block has columns with other names or types.
    """
    if block.schema_text is None:
        return
    try:
        commit = columns_of(schemas[block.instant]) if block.instant in schemas else ()
        damage = contradiction([*_META, *commit], columns_of(block.schema_text))
    except SchemaError:
        return
    if damage is not None:
        raise CorruptTableError(f"{block} is damaged: {damage}; restore the file", file=block.file, offset=block.offset)


def _is_same(columns: object, text: str) -> bool:
    try:
        return bool(columns_of(text) == columns)
    except SchemaError:
        # a damaged schema does not confirm another one
        return False
