"""The schemas that commits state, checked against what they wrote: a damaged one must not make columns disappear."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice

import pyarrow as pa

from hoodoo.errors import CorruptTableError, SchemaError
from hoodoo.filegroup import FileSlice
from hoodoo.format.log import LogBlock
from hoodoo.format.parquet.footer_check import footer_contradiction
from hoodoo.format.parquet.parquet_reader import open_base_file
from hoodoo.properties import TableProperties
from hoodoo.reading.schema.table_schema import stated_schemas
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
    """Check the schema that the newest commit states, which is the table's.

    Two places do not become damaged alike: what the commit before, or the table's properties, state in the same words
    is believed. Otherwise the footer of one base file of that commit is read.

    Raises:
        CorruptTableError: The file has columns of other names or kinds.
    """
    stated_by = list(islice(stated_schemas(timeline), 2))
    if not stated_by:
        return
    newest, text = stated_by[0]
    columns = columns_of(text)
    others = [text for _, text in stated_by[1:]]
    if properties.create_schema:
        others.append(properties.create_schema)
    if any(_is_same(columns, text) for text in others):
        return
    path = next((s.path for s in slices if s.path is not None and s.base_instant == newest.time), None)
    if path is None:
        return
    with open_base_file(storage, path) as file:
        data = [field for field in file.schema_arrow if field.name not in (*META_COLUMNS, OPERATION_COLUMN)]
        # damage to the file is its own reader's business
        damage = None if footer_contradiction(file) else contradiction(columns, data, exact=True)
    if damage is not None:
        stated = timeline.path_of(newest)
        raise CorruptTableError(
            f"the schema in '{stated}' is damaged: in base file '{path}' of that commit, {damage}; restore the file",
            file=stated,
        )


def check_ordering(properties: TableProperties, columns: Iterable[str]) -> None:
    """Refuse ordering columns that the table lacks where it has one of almost the same name.

    Raises:
        CorruptTableError: The properties name such a column.
    """
    known = set(columns)
    for name in properties.ordering:
        other = next((column for column in sorted(known) if looks_like(name, column)), None)
        # tables without an ordering column may name Hudi's default
        if name not in known and name != _DEFAULT_ORDERING and other is not None:
            raise CorruptTableError(
                f"'{properties.file}' names '{name}' as ordering column, and the table has '{other}'; restore the file",
                file=properties.file,
            )


def schemas_of_logs(timeline: Timeline, file_slice: FileSlice) -> Mapping[str, str]:
    """The schemas that the commits of a slice's logs state, by instant."""
    times = {time for log in file_slice.logs for time in log.commits}
    schemas: dict[str, str] = {}
    kept: dict[str, str] = {}
    for instant in timeline.commits:
        if instant.time in times and (text := timeline.commit_outline(instant).schema):
            # one object for all that are alike, for when it is pickled
            schemas[instant.time] = kept.setdefault(text, text)
    return schemas


def check_block(block: LogBlock, schemas: Mapping[str, str]) -> None:
    """Check the columns that a data block states by what its commit states, and by the names of meta columns.

    A schema that cannot be read proves nothing; where rows are read by it, that fails.

    Raises:
        CorruptTableError: They are called otherwise, or are of another kind.
    """
    if block.schema_text is None:
        return
    try:
        commit = columns_of(schemas[block.instant]) if block.instant in schemas else ()
        damage = contradiction([*_META, *commit], columns_of(block.schema_text))
    except SchemaError:
        return
    if damage is not None:
        raise CorruptTableError(f"{block} is damaged: {damage}", file=block.file, offset=block.offset)


def _is_same(columns: object, text: str) -> bool:
    try:
        return bool(columns_of(text) == columns)
    except SchemaError:
        # damaged itself, and no witness
        return False
