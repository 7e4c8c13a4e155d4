"""Deletion vectors, with which a slice with logs is read in two parts: unchanged base rows and changed rows.

An engine reads the base file with its own Parquet reader, skips the rows that the deletion vector marks, and adds the
changed rows. Base rows that the rule keeps are unchanged rows. A rule that changes no column needs few columns for its
decision, and only these are read from base rows. If all changed rows are unchanged records of the logs, a mask of these
records is enough to read them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa
from attrs import frozen
from numpy.typing import NDArray

from hoodoo.errors import CorruptTableError
from hoodoo.filegroup import FileSlice
from hoodoo.format.log import BlockType, LogBlock, block_columns
from hoodoo.reading.slice.log_merger import LogMerger
from hoodoo.reading.slice.log_records import lacking_columns
from hoodoo.reading.slice.merge_columns import LogMerge
from hoodoo.storage import Storage

__all__ = ["SliceChanges", "changed_rows", "slice_changes", "surviving_rows"]


@frozen(eq=False)
class SliceChanges:
    """Changes of the logs of a slice to its base file.

    Attributes:
        deletion_vector: One value per row of the base file, in its order: true if the logs change or delete the row.
        surviving: One value per key of the logs, in the order of first occurrence: true if its record is a row of the
            result without a change. None if there are other changed rows.
    """

    deletion_vector: NDArray[np.bool_]
    surviving: NDArray[np.bool_] | None


def slice_changes(storage: Storage, file_slice: FileSlice, merge: LogMerge) -> SliceChanges:
    """Merge the logs of a slice and return the changes to its base file.

    Args:
        storage: The table's files.
        file_slice: A slice with a base file and logs.
        merge: The parameters for merging the logs.

    Raises:
        CorruptTableError: A file is damaged or missing.
        UnsupportedTable: A file or a log block needs a feature that hoodoo does not support.
        SchemaError: The values of a column in a file cannot be cast to its type in the table.
        PluginError: The merge rule or a delete rule is not installed, failed, or returned a wrong result.
    """
    blocks, logs = merge.blocks(storage, file_slice.logs)
    schema = _base_columns(logs, blocks, merge)
    merger = LogMerger.of(logs, merge, merge.rule.make_rule(), blocks, schema)
    changed = [~merger.merge_batch(*batch)[0] for batch in merger.base_batches(storage, file_slice, merge, schema)]
    return SliceChanges(np.concatenate([np.zeros(0, dtype=bool), *changed]), merger.surviving_records())


def changed_rows(storage: Storage, file_slice: FileSlice, merge: LogMerge) -> Iterator[pa.Table]:
    """Yield the rows of a slice that are not unchanged base rows, in the columns that the merge reads.

    Parameters and errors are those of `slice_changes`.
    """
    blocks, logs = merge.blocks(storage, file_slice.logs)
    if not blocks:
        return
    merger = LogMerger.of(logs, merge, merge.rule.make_rule(), blocks, merge.schema)
    for batch in merger.base_batches(storage, file_slice, merge, merger.base_columns(merge)):
        yield from merger.merge_batch(*batch)[1]
    yield from merger.remaining_rows()


def surviving_rows(
    storage: Storage, file_slice: FileSlice, merge: LogMerge, surviving: NDArray[np.bool_]
) -> Iterator[pa.Table]:
    """Yield the same rows as `changed_rows` by a mask of the surviving records, without reading a base row.

    Parameters and errors are those of `slice_changes`, from whose result `surviving` comes. The mask may be longer than
    the number of records, with false values at the end. Otherwise a log changed, and a `CorruptTableError` is raised.
    """
    blocks, logs = merge.blocks(storage, file_slice.logs)
    merger = LogMerger.of(logs, merge, merge.rule.make_rule(), blocks, merge.schema)
    count = len(merger.records)
    if count > len(surviving) or surviving[count:].any():
        file = file_slice.logs[-1].path
        raise CorruptTableError(
            f"log file '{file}' or another log of its slice changed during the query; read the table again", file=file
        )
    yield from merger.rows(np.flatnonzero(surviving[:count]))


def _base_columns(storage: Storage, blocks: Sequence[LogBlock], merge: LogMerge) -> pa.Schema:
    """Return the result of `LogMerger.base_columns` from the headers of the blocks, before their records are read."""
    if merge.deciding is None:
        return merge.schema
    data = (block for block in blocks if block.type is not BlockType.DELETE)
    partial = any(
        lacking_columns(merge.schema, block_columns(storage, block), merge.names.of_instant(block.instant))
        for block in data
    )
    return merge.schema if partial else merge.deciding
