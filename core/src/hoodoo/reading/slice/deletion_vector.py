"""A slice with logs in two parts: base rows that the logs leave alone, which any reader of Parquet reads, and the rest.

An engine with a reader of its own leaves out of a base file the rows of its deletion vector, and adds the changed rows.
Rows that a rule kept are left alone too; a rule that changes no column decides by few columns, and the others are not
read of base rows. Where all changed rows are records of the logs as they are, it is enough to say which of them.
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
from hoodoo.reading.slice.log_blocks import counted_blocks
from hoodoo.reading.slice.log_merger import Meeting
from hoodoo.reading.slice.log_records import lacking_columns
from hoodoo.reading.slice.merge_columns import Merge
from hoodoo.storage import Storage

__all__ = ["Division", "changed_rows", "divided", "standing_rows"]


@frozen(eq=False)
class Division:
    """What became of the rows of a base file that met its logs, and of the records of these.

    Attributes:
        deleted: Per row of the base file, in its order, whether the logs change or remove it: the deletion vector.
        standing: Per key of the logs, in the order in which they name them first, whether its record is a row as it
            is; None where there are changed rows of another kind.
    """

    deleted: NDArray[np.bool_]
    standing: NDArray[np.bool_] | None


def divided(storage: Storage, file_slice: FileSlice, merge: Merge) -> Division:
    """Divide a slice.

    Args:
        storage: The table's files.
        file_slice: A slice with a base file and logs.
        merge: How the logs are merged.

    Raises:
        CorruptTableError: a file is damaged or gone.
        UnsupportedTable: a log block that cannot be understood.
        UnknownPlugin: the rule is not installed here.
    """
    blocks = counted_blocks(storage, file_slice.logs, merge.committed, skip_corrupt=merge.skip_corrupt)
    schema = _deciding(storage, blocks, merge)
    meeting = Meeting.of(storage, merge, merge.rule.make_rule(), blocks, schema)
    met = [~meeting.meet(*batch)[0] for batch in meeting.base_batches(storage, file_slice, merge, schema)]
    return Division(np.concatenate([np.zeros(0, dtype=bool), *met]), meeting.standing())


def changed_rows(storage: Storage, file_slice: FileSlice, merge: Merge) -> Iterator[pa.Table]:
    """The rows of a slice but for those of its base file that stay as they are, in the columns that the merge reads.

    Args and raises as `divided`.
    """
    blocks = counted_blocks(storage, file_slice.logs, merge.committed, skip_corrupt=merge.skip_corrupt)
    if not blocks:
        return
    meeting = Meeting.of(storage, merge, merge.rule.make_rule(), blocks, merge.schema)
    for batch in meeting.base_batches(storage, file_slice, merge, meeting.needed(merge)):
        yield from meeting.meet(*batch)[1]
    yield from meeting.rest()


def standing_rows(
    storage: Storage, file_slice: FileSlice, merge: Merge, standing: NDArray[np.bool_]
) -> Iterator[pa.Table]:
    """The same rows where a division of the slice has told which records they are; no base row is read.

    Args and raises as `divided`; `standing` is of its division, and may have more entries behind.
    """
    blocks = counted_blocks(storage, file_slice.logs, merge.committed, skip_corrupt=merge.skip_corrupt)
    meeting = Meeting.of(storage, merge, merge.rule.make_rule(), blocks, merge.schema)
    count = len(meeting.newer)
    if count > len(standing) or standing[count:].any():
        file = file_slice.logs[-1].path
        raise CorruptTableError(f"log '{file}' is not as it was when its slice was divided; read anew", file=file)
    yield from meeting.rows(np.flatnonzero(standing[:count]))


def _deciding(storage: Storage, blocks: Sequence[LogBlock], merge: Merge) -> pa.Schema:
    """What `Meeting.needed` says of records that were read as a whole, before they are."""
    if merge.deciding is None:
        return merge.schema
    data = (block for block in blocks if block.type is not BlockType.DELETE)
    partial = any(lacking_columns(merge.schema, block_columns(storage, block)) for block in data)
    return merge.schema if partial else merge.deciding
