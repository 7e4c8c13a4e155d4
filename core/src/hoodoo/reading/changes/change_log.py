"""Change logs: the log files in which Hudi records the changes of a commit to a file group.

According to `hoodie.table.cdc.supplemental.logging.mode`, a record has both images of a row, its key and the image
before the change, or only its key. Missing images are read from file slices.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import pyarrow as pa
from attrs import frozen

from hoodoo.errors import CorruptTableError
from hoodoo.format.log import BlockType, CorruptBlock, LogBlock, decode_data, read_blocks
from hoodoo.format.log.block_schema import block_schema
from hoodoo.format.parquet.projection import project
from hoodoo.reading.changes.change_table import AFTER, BEFORE, OPERATION
from hoodoo.schema.columns import one_array
from hoodoo.storage import Storage

__all__ = ["KEY", "LoggedChanges", "logged_changes"]

KEY = "record_key"
"""The column of a change log with the record key."""


@frozen
class LoggedChanges:
    """Changes of one block of a change log.

    Attributes:
        operations: The operation of each change.
        keys: The record key of each change; None in a log of both images.
        before: The images before the changes, null for inserted rows; None in a log without them.
        after: The images after the changes, null for deleted rows; None in a log without them.
    """

    operations: pa.Array
    keys: pa.Array | None
    before: pa.StructArray | None
    after: pa.StructArray | None


def logged_changes(
    storage: Storage, paths: Sequence[str], instant: str, schema: pa.Schema, from_path: Mapping[str, str | None]
) -> Iterator[LoggedChanges]:
    """Yield the changes in the change logs of a commit to a file group.

    Args:
        storage: The table's files.
        paths: Table-relative paths of the logs.
        instant: The instant of the commit.
        schema: The columns of the images.
        from_path: The values, from the partition path, of columns that the files lack.

    Raises:
        CorruptTableError: A log is damaged or missing.
        UnsupportedTable: A block needs a feature that hoodoo does not support.
        SchemaError: The values of a column of an image cannot be cast to its type in `schema`.
    """
    for path in paths:
        for block in read_blocks(storage, path):
            if isinstance(block, CorruptBlock):
                raise CorruptTableError(
                    f"change log '{path}' is damaged at byte {block.offset}: {block.reason}; restore the file",
                    file=path,
                    offset=block.offset,
                )
            if block.type is BlockType.CDC_DATA and block.instant == instant:
                yield from _changes(storage, block, schema, from_path)


def _changes(
    storage: Storage, block: LogBlock, schema: pa.Schema, from_path: Mapping[str, str | None]
) -> Iterator[LoggedChanges]:
    stored = {name: type_.arrow for name, type_ in block_schema(block).fields.items()}
    names = [name for name in (OPERATION, KEY, BEFORE, AFTER) if name in stored]
    if OPERATION not in names or not {KEY, AFTER} & set(names):
        raise CorruptTableError(
            f"{block} has the columns {', '.join(stored)}, which are not those of a change log; restore the file",
            file=block.file,
            offset=block.offset,
        )
    for rows in decode_data(storage, block, pa.schema([(name, stored[name]) for name in names]), of_changes=True):
        columns = dict(zip(names, map(one_array, rows.columns), strict=True))
        sides = [_image(columns.get(name), schema, from_path, str(block)) for name in (BEFORE, AFTER)]
        yield LoggedChanges(columns[OPERATION], columns.get(KEY), *sides)


def _image(
    stored: pa.StructArray | None, schema: pa.Schema, from_path: Mapping[str, str | None], what: str
) -> pa.StructArray | None:
    """Return the stored images in the columns of `schema`, null where they are null; None if the log has none."""
    if stored is None:
        return None
    rows = pa.table(stored.flatten(), [field.name for field in stored.type.fields])
    shown = project(rows, schema, what)
    columns = [
        pa.repeat(pa.scalar(from_path[field.name], field.type), len(stored))
        if field.name in from_path
        else one_array(column)
        for field, column in zip(schema, shown.columns, strict=True)
    ]
    return pa.StructArray.from_arrays(columns, fields=list(schema), mask=stored.is_null())
