"""Look-up of the stored rows of keys in one file slice, including its logs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from hoodoo.archived_timeline import load_timeline
from hoodoo.format.base_files import read_base_file
from hoodoo.format.parquet.projection import project
from hoodoo.properties import load_properties
from hoodoo.reading import Query, Split
from hoodoo.reading import plan as plan_query
from hoodoo.reading.path_columns import filled
from hoodoo.reading.schema.stored_names import current_columns, stored_columns
from hoodoo.schema.meta_columns import RECORD_KEY
from hoodoo.storage import Storage
from hoodoo.writing.routing.task_plan import SliceRef, TaskPlan

__all__ = ["Splits", "rows_under"]

Splits: TypeAlias = Mapping[tuple[str, str], Split]
"""Splits by partition path and file id."""

READ_ROWS = 128 * 1024


def rows_under(
    plan: TaskPlan,
    storage: Storage,
    partition: str,
    ref: SliceRef,
    keys: pa.Array,
    columns: Sequence[str],
    splits: Splits = MappingProxyType({}),
) -> pa.Table:
    """Read the rows of a slice that have one of the given record keys.

    A slice with logs is read with its split. Without a split, the query of the table is planned again.

    Args:
        plan: The plan of the write.
        storage: The table's files.
        partition: The slice's partition path.
        ref: The slice.
        keys: Record keys.
        columns: The columns to read; those that the table lacks are left out.
        splits: Splits for reading slices with logs.

    Returns:
        The record key and the columns, in the table's types, each in one chunk.

    Raises:
        CorruptTableError: A file of the slice is damaged or missing.
        UnsupportedTable: A file or a log block cannot be read.
    """
    known = frozenset(plan.table.schema.names)
    wanted = [name for name in columns if name in known]
    schema = pa.schema([pa.field(RECORD_KEY, pa.string()), *(plan.table.schema.field(name) for name in wanted)])
    read = plan.stored_keys.with_columns(schema)
    split = splits.get((partition, ref.file_id))
    if split is None and ref.logs:
        split = _split(storage, partition, ref, read.names)
    batches: Iterable[pa.Table] = ()
    if split is not None:
        batches = (project(batch, read, f"file group '{ref.file_id}'") for batch in split.read())
    elif ref.path:
        values = plan.table.path_columns.values(partition)
        names = plan.table.names.of_instant(ref.instant)
        stored = read_base_file(storage, ref.path, stored_columns(read, names), batch_rows=READ_ROWS)
        batches = (filled(batch, values) for batch in current_columns(stored, read, names))
    keyed = (plan.stored_keys.filled(batch, ref.path).select(schema.names) for batch in batches)
    found = [batch.filter(pc.is_in(batch.column(RECORD_KEY), value_set=keys)) for batch in keyed]
    return pa.concat_tables([schema.empty_table(), *found]).combine_chunks()


def _split(storage: Storage, partition: str, ref: SliceRef, names: list[str]) -> Split | None:
    """Return the split of a slice with logs; None if another writer replaced the slice, which the commit detects."""
    properties = load_properties(storage)
    splits = plan_query(storage, properties, load_timeline(storage, properties), Query(columns=names)).splits
    mine = (split for split in splits if (split.partition, split.file_id) == (partition, ref.file_id))
    return next(mine, None)
