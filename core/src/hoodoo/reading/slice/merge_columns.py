"""Parameters for merging the logs of a slice: columns, rule and commits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

import pyarrow as pa
from attrs import field, frozen

from hoodoo.filegroup import FileSlice, LogFile
from hoodoo.filegroup.whole_logs import with_whole_logs
from hoodoo.format.log import LogBlock
from hoodoo.merge.required_columns import needed_columns, roots_of
from hoodoo.merge.rule_spec import RuleSpec
from hoodoo.reading.schema.commit_schema import schemas_of_logs
from hoodoo.reading.schema.stored_names import StoredNames
from hoodoo.reading.slice.log_blocks import Committed, valid_blocks
from hoodoo.record.delete_markers import OPERATION_COLUMN
from hoodoo.storage import Storage
from hoodoo.table_rules.stored_keys import StoredKeys
from hoodoo.timeline import Timeline

__all__ = ["NO_COLUMNS", "LogMerge", "MergeColumns", "merge_of", "merged_schema", "named_columns"]

NO_COLUMNS = pa.schema([])


@frozen
class LogMerge:
    """Parameters for merging the logs of a slice.

    Attributes:
        rule: The spec of the table's merge rule.
        keys: The columns with the record keys.
        schema: The columns that the merge reads.
        deciding: The columns that the rule needs for its decision; None if the rule may change columns, for which it
            needs whole base rows.
        committed: The commits whose blocks are valid.
        skip_corrupt: Whether damaged bytes of completed commits are left out instead of raising an error.
        commit_schemas: The schemas of the commits that wrote the logs, by instant.
        unread: Columns of the table that the merge may leave out, because the rule does not need them.
        names: The names of columns in older files.
    """

    rule: RuleSpec
    keys: StoredKeys
    schema: pa.Schema
    deciding: pa.Schema | None
    committed: Committed
    skip_corrupt: bool = False
    commit_schemas: Mapping[str, str] = field(factory=dict)
    unread: pa.Schema = NO_COLUMNS
    names: StoredNames = StoredNames()

    def blocks(self, storage: Storage, logs: Sequence[LogFile]) -> tuple[list[LogBlock], Storage]:
        """Return the blocks of logs that are merged, and a storage with which they are decoded: see `with_whole_logs`.

        Errors are those of `valid_blocks`.
        """
        whole = with_whole_logs(storage, {log.path: log.size for log in logs})
        return valid_blocks(whole, logs, self.committed, skip_corrupt=self.skip_corrupt), whole


@frozen
class MergeColumns:
    """Columns of the merges of a query.

    Attributes:
        schema: As in `LogMerge`.
        deciding: As in `LogMerge`.
        unread: As in `LogMerge`.
    """

    schema: pa.Schema
    deciding: pa.Schema | None = None
    unread: pa.Schema = NO_COLUMNS

    @classmethod
    def of(cls, table: pa.Schema, wanted: Set[str], rule: RuleSpec | None, keys: StoredKeys) -> MergeColumns:
        """Return the columns for a query of the columns `wanted` of a table; all columns if no rule is needed.

        Raises:
            PluginError: As in `merged_schema`.
        """
        if rule is None:
            return cls(table)
        schema = merged_schema(table, wanted, rule, keys)
        deciding = merged_schema(table, frozenset(), rule, keys) if rule.whole_versions else None
        needed = frozenset((deciding or schema).names)
        return cls(schema, deciding, pa.schema([field for field in table if field.name not in needed]))


def merged_schema(table: pa.Schema, wanted: Set[str], rule: RuleSpec, keys: StoredKeys) -> pa.Schema:
    """Return the columns that a merge reads.

    The operation column, which only log records may have, is one of them if the rule or a delete rule needs it.

    Args:
        table: The columns of the table.
        wanted: The names of the columns that the query needs.
        rule: The spec of the table's merge rule.
        keys: The columns with the record keys.

    Raises:
        PluginError: A rule cannot be used in this process, or its method `needs` failed or returned a wrong result.
    """
    named = pa.schema([*table, *([] if OPERATION_COLUMN in table.names else [pa.field(OPERATION_COLUMN, pa.string())])])
    return named_columns(named, wanted | needed_columns(rule, named) | roots_of(keys.columns, table))


def merge_of(
    timeline: Timeline,
    file_slice: FileSlice,
    rule: RuleSpec | None,
    keys: StoredKeys,
    columns: MergeColumns,
    skip_corrupt: bool,
    names: StoredNames = StoredNames(),  # noqa: B008 - a frozen value
) -> LogMerge | None:
    """Return the parameters for merging the logs of a slice; None without a rule, or for a slice without logs."""
    if rule is None or not file_slice.logs:
        return None
    times = None
    if timeline.layout == 1:
        # commits older than the slice did not write to its logs
        times = frozenset(i.time for i in timeline.commits if i.time >= file_slice.base_instant)
    committed = Committed(timeline.first_time, times, timeline.bound)
    schemas = schemas_of_logs(timeline, file_slice)
    return LogMerge(
        rule, keys, columns.schema, columns.deciding, committed, skip_corrupt, schemas, columns.unread, names
    )


def named_columns(schema: pa.Schema, names: Set[str]) -> pa.Schema:
    """Return the columns of a schema that have one of the names, in the schema's order."""
    return pa.schema([field for field in schema if field.name in names])
