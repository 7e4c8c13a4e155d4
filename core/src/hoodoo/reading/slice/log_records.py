"""Records of a slice's logs, folded to one per key, ready to be merged with base rows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from types import MappingProxyType

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from attrs import define, evolve, field
from numpy.typing import NDArray

from hoodoo.errors import CorruptTableError
from hoodoo.format.log import BlockType, LogBlock, block_columns, decode_data, decode_deletes
from hoodoo.merge import Rule
from hoodoo.merge.delete_rules import DeleteJudge
from hoodoo.reading.schema.commit_schema import check_block
from hoodoo.reading.schema.stored_names import StoredNames, current_columns, stored_columns
from hoodoo.reading.slice.merge_columns import NO_COLUMNS
from hoodoo.record import Operation, Ordering, Records, Source
from hoodoo.record.delete_markers import OPERATION_COLUMN
from hoodoo.schema.columns import column_at, null_array, one_array
from hoodoo.schema.meta_columns import META_COLUMNS, PARTITION_PATH, RECORD_KEY
from hoodoo.storage import Storage
from hoodoo.table_rules.stored_keys import StoredKeys

__all__ = ["BlockObserver", "LogRecords", "joined", "lacking_columns"]

FOLD_ROWS = 1024 * 1024
"""Number of versions in memory at which they are folded to one version per key, to limit memory."""

BATCH_ROWS = 128 * 1024

BlockObserver = Callable[[LogBlock, Source, NDArray[np.int64]], None]
"""A function that receives the versions of a block, in part or as a whole, and their row numbers in the block."""

_NEVER_FILLED = frozenset({*META_COLUMNS, OPERATION_COLUMN})
"""Columns whose absence does not make a version partial."""


@define
class LogRecords:
    """A fold of the blocks of a slice's logs.

    Attributes:
        storage: The table's files.
        schema: The columns to read, all nullable: those of the query, those that the rule needs, and the record key.
        rule: The table's merge rule.
        keys: The columns with the record keys.
        judge: The table's delete rules, which find deletes among the records of data blocks.
        commit_schemas: The schemas of commits, by instant.
        on_block: An optional observer of each block's versions.
        unread: As in `LogMerge`.
        names: As in `LogMerge`.
    """

    storage: Storage
    schema: pa.Schema
    rule: Rule
    keys: StoredKeys
    judge: DeleteJudge
    commit_schemas: Mapping[str, str] = field(factory=dict)
    on_block: BlockObserver | None = None
    unread: pa.Schema = NO_COLUMNS
    names: StoredNames = StoredNames()
    _sources: list[Source] = field(init=False, factory=list)
    _limit: int = field(init=False, default=FOLD_ROWS)

    def fold(self, blocks: Sequence[LogBlock]) -> Records:
        """Return one record per key, including deletes, from blocks in order, oldest first.

        Errors are those of `LogMerger.of`.
        """
        for block in blocks:
            for source, rows in self._versions(block):
                if self.on_block is not None:
                    self.on_block(block, source, rows)
                self._sources.append(source)
                if sum(map(len, self._sources)) >= self._limit:
                    self._fold_sources()
        return self._folded()

    def _versions(self, block: LogBlock) -> Iterator[tuple[Source, NDArray[np.int64]]]:
        """Yield the versions of a block in parts, with their row numbers in the block."""
        if block.type is BlockType.DELETE:
            deletes = self._deletes(block)
            yield deletes, np.arange(len(deletes))
            return
        check_block(block, self.commit_schemas)
        names = self.names.of_instant(block.instant)
        lacking = lacking_columns(self.schema, block_columns(self.storage, block), names)
        stored = decode_data(self.storage, block, stored_columns(self.schema, names), batch_rows=BATCH_ROWS)
        first = 0
        for rows in current_columns(stored, self.schema, names):
            source, kept = self._data(block, rows, lacking)
            yield source, first + (np.arange(len(source)) if kept is None else kept)
            first += rows.num_rows

    def _data(self, block: LogBlock, rows: pa.Table, lacking: list[str]) -> tuple[Source, NDArray[np.int64] | None]:
        """Return the versions in rows of a block, and their positions if delete rules left out others."""
        keys = self.keys.of(rows, str(block), file=block.file, offset=block.offset)
        self.keys.check(rows, str(block), file=block.file, offset=block.offset)
        present = frozenset(rows.column_names)
        unread = pa.schema([column for column in self.unread if column.name not in present])
        judged = self.judge.judge(rows, keys, unread)
        rows, deletes = judged.rows, judged.deletes
        source = Source(
            rows,
            self.schema,
            judged.keys,
            self._ordering([column_at(rows, name) for name in self._fields], rows.num_rows),
            np.where(deletes, Operation.DELETE, Operation.INSERT).astype(np.int8),
            np.ones(rows.num_rows, dtype=bool),
            {name: np.zeros(rows.num_rows, dtype=bool) for name in lacking},
            np.full(rows.num_rows, block.is_partial) if lacking else None,
        )
        return source, judged.kept

    def _deletes(self, block: LogBlock) -> Source:
        types = [null_array(self.schema, name, 0).type for name in self._fields]
        entries = decode_deletes(self.storage, block, types)
        length, keys = entries.num_rows, one_array(entries.column("record_key"))
        if keys.null_count:
            raise CorruptTableError(
                f"{block} contains a delete without a record key; restore the file",
                file=block.file,
                offset=block.offset,
            )
        unordered = one_array(entries.column("unordered"))
        values = [
            pc.if_else(unordered, pa.scalar(None, type_), one_array(entries.column(f"ordering_{i}")))
            for i, type_ in enumerate(types)
        ]
        known = {RECORD_KEY: keys, PARTITION_PATH: one_array(entries.column("partition_path"))}
        columns = [known.get(f.name, pa.nulls(length, f.type)) for f in self.schema]
        rows = pa.Table.from_arrays(columns, schema=self.schema)
        return Source(
            rows,
            self.schema,
            keys,
            self._ordering(values, length),
            np.full(length, Operation.DELETE, dtype=np.int8),
            np.zeros(length, dtype=bool),
        )

    @property
    def _fields(self) -> tuple[str, ...]:
        return self.rule.payload_ordering

    def _ordering(self, values: list[pa.Array | None], length: int) -> Ordering:
        arrays = [
            null_array(self.schema, name, length) if column is None else column
            for name, column in zip(self._fields, values, strict=True)
        ]
        return Ordering.of(self._fields, arrays, length)

    def _fold_sources(self) -> None:
        """Replace the collected versions by one per key, and set the limit to at least twice the number of keys."""
        folded = self._folded()
        has_data = folded.has_data
        table = pa.Table.from_arrays([folded.column(name) for name in self.schema.names], schema=self.schema)
        present = {name: mask for name in folded.source.present if (mask := folded.present(name)) is not None}
        partial = None if folded.source.partial is None else folded.source.partial[folded.rows]
        self._sources = [
            Source(table, self.schema, folded.keys, folded.ordering, folded.operation, has_data, present, partial)
        ]
        self._limit = max(FOLD_ROWS, 2 * len(folded))

    def _folded(self) -> Records:
        source = evolve(joined(self._sources, self.schema, self._fields), unread=frozenset(self.unread.names))
        self._sources = []
        return self.rule.fold_log(source)


def lacking_columns(
    schema: pa.Schema, columns: Collection[str], names: Mapping[str, str] = MappingProxyType({})
) -> list[str]:
    """Return the columns of a schema that records with the given columns lack and inherit from an older version.

    Args:
        schema: The columns that a merge reads.
        columns: The columns of the records, under their stored names.
        names: Stored names of columns of the schema, if they differ.
    """
    there = {*columns, *_NEVER_FILLED}
    return [name for name in schema.names if names.get(name, name) not in there]


def joined(sources: list[Source], schema: pa.Schema, fields: tuple[str, ...]) -> Source:
    """Return all versions in their order as one source."""
    if len(sources) == 1:
        return sources[0]
    if not sources:
        empty = schema.empty_table()
        nothing = np.empty(0, dtype=bool)
        ordering = Ordering.of(fields, [null_array(schema, name, 0) for name in fields], 0)
        return Source(empty, schema, pa.array([], pa.string()), ordering, np.empty(0, dtype=np.int8), nothing)
    values = tuple(pa.concat_arrays([source.ordering.values[i] for source in sources]) for i in range(len(fields)))
    names = {name for source in sources for name in source.present}
    return Source(
        pa.concat_tables([source.table for source in sources]).combine_chunks(),
        schema,
        pa.concat_arrays([source.keys for source in sources]),
        Ordering(fields, values, np.concatenate([source.ordering.absent for source in sources])),
        np.concatenate([source.operation for source in sources]),
        np.concatenate([source.has_data for source in sources]),
        {name: np.concatenate([_has(source, name) for source in sources]) for name in names},
        np.concatenate([_is_partial(source) for source in sources]) if names else None,
    )


def _is_partial(source: Source) -> NDArray[np.bool_]:
    return np.ones(len(source), dtype=bool) if source.partial is None else source.partial


def _has(source: Source, name: str) -> NDArray[np.bool_]:
    """Return a mask of the versions that have a column; it is true for key-only deletes."""
    present = source.present.get(name)
    return np.ones(len(source), dtype=bool) if present is None else present
