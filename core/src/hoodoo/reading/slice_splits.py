"""Splits of the file slices of a query."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter

import pyarrow as pa
import pyarrow.compute as pc
from attrs import field, frozen

from hoodoo.filegroup import FileSlice
from hoodoo.plugin.installed.catalogue import default_catalogue
from hoodoo.properties import TableProperties
from hoodoo.reading.indexed.indexed_storage import IndexedStorage
from hoodoo.reading.path_columns import PathColumns
from hoodoo.reading.row_filter import filter_columns
from hoodoo.reading.schema.commit_schema import check_ordering
from hoodoo.reading.schema.stored_names import StoredNames, fixed_columns
from hoodoo.reading.slice.merge_columns import MergeColumns, merge_of, named_columns
from hoodoo.reading.split import Split
from hoodoo.storage import Storage
from hoodoo.table_rules.reader_rule import read_rule
from hoodoo.table_rules.stored_keys import StoredKeys
from hoodoo.timeline import Timeline

__all__ = ["Wanted", "slice_splits"]


@frozen
class Wanted:
    """Rows and columns to read from file slices.

    Attributes:
        table: All columns of the table, including meta columns.
        schema: The columns to read, in this order.
        current: The timeline whose last commit has the current names of the columns.
        conditions: Filters for rows, which must all be true; none for all rows.
        skip_corrupt: Whether damaged bytes of logs are left out.
    """

    table: pa.Schema
    schema: pa.Schema
    current: Timeline
    conditions: Sequence[pc.Expression] = field(factory=tuple, eq=False)
    skip_corrupt: bool = False

    @property
    def condition(self) -> pc.Expression | None:
        """Return the conjunction of the filters; None without one."""
        joined = None
        for condition in self.conditions:
            joined = condition if joined is None else joined & condition
        return joined

    @property
    def names(self) -> set[str]:
        """Return the names of the columns to read and of the columns that the filters refer to.

        Raises:
            SchemaError: A filter refers to a column that the table does not have, or cannot be applied.
        """
        return set(self.schema.names).union(*(filter_columns(c, self.table) for c in self.conditions))


def slice_splits(
    storage: Storage, properties: TableProperties, timeline: Timeline, slices: Sequence[FileSlice], wanted: Wanted
) -> tuple[Split, ...]:
    """Return the splits of file slices, largest first.

    Args:
        storage: The table's files.
        properties: The table properties.
        timeline: The timeline whose commits are visible in the logs of the slices.
        slices: The file slices that the query reads.
        wanted: The rows and columns to read.

    Raises:
        SchemaError: A filter refers to a column that the table does not have, or cannot be applied.
        PluginError: Logs must be merged, and the rule, a delete rule or the key generator is not installed
            (`UnknownPlugin`) or cannot be used.
        CorruptTableError: The table is damaged.
        UnsupportedTable: The table has a feature that hoodoo does not support.
    """
    table, names, condition = wanted.table, wanted.names, wanted.condition
    rule = read_rule(properties, default_catalogue()) if any(s.logs for s in slices) else None
    if rule is not None:
        check_ordering(properties, table.names)
    keys = StoredKeys() if rule is None else StoredKeys.of_table(properties, default_catalogue())
    merged = MergeColumns.of(table, names, rule, keys)
    stored = StoredNames.of(storage, wanted.current, slices, table.names)
    stored.check(names.union(merged.schema.names if rule else ()), fixed_columns(properties), slices)
    uri, read_schema = storage.uri, named_columns(table, names)
    columns = PathColumns.of(properties)
    options, by_metadata = storage.options, isinstance(storage, IndexedStorage)
    from_path = {path: columns.values(path) for path in {s.partition for s in slices}}
    return tuple(
        Split(
            uri,
            file_slice,
            wanted.schema,
            read_schema,
            merge=merge_of(timeline, file_slice, rule, keys, merged, wanted.skip_corrupt, stored)
            if file_slice.logs
            else None,
            condition=condition,
            from_path=from_path[file_slice.partition],
            storage_options=options,
            by_metadata=by_metadata,
            names=stored,
        )
        # slices of equal size remain in the order of partition and file id
        for file_slice in sorted(slices, key=attrgetter("total_size"), reverse=True)
    )
