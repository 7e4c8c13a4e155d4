"""How the logs of a slice come to be merged: the columns that are read for it, and which blocks count."""

from __future__ import annotations

from collections.abc import Mapping, Set

import pyarrow as pa
from attrs import field, frozen

from hoodoo.filegroup import FileSlice
from hoodoo.merge.required_columns import needed_columns, roots_of
from hoodoo.merge.rule_spec import RuleSpec
from hoodoo.reading.schema.commit_schema import schemas_of_logs
from hoodoo.reading.slice.log_blocks import Committed
from hoodoo.record.delete_markers import OPERATION_COLUMN
from hoodoo.table_rules.stored_keys import StoredKeys
from hoodoo.timeline import Timeline

__all__ = ["Merge", "merge_of", "merged_schema", "named_columns"]


@frozen
class Merge:
    """How the logs of a slice are merged.

    Attributes:
        rule: The table's rule.
        keys: Where record keys are.
        schema: The columns that are read for it.
        deciding: Those of them by which the rule decides; None where it may change columns, and needs whole base rows.
        committed: What the timeline says of the logs' blocks.
        skip_corrupt: Whether damaged bytes of completed commits are left out rather than refused.
        stated: The schemas that the commits of its logs state, by instant.
    """

    rule: RuleSpec
    keys: StoredKeys
    schema: pa.Schema
    deciding: pa.Schema | None
    committed: Committed
    skip_corrupt: bool = False
    stated: Mapping[str, str] = field(factory=dict)


def merged_schema(table: pa.Schema, wanted: Set[str], rule: RuleSpec, keys: StoredKeys) -> pa.Schema:
    """The columns that a merge reads. The operation is no column of the table's, and its records may have it."""
    named = pa.schema([*table, *([] if OPERATION_COLUMN in table.names else [pa.field(OPERATION_COLUMN, pa.string())])])
    return named_columns(named, wanted | needed_columns(rule, named) | roots_of(keys.columns, table))


def merge_of(
    timeline: Timeline,
    file_slice: FileSlice,
    rule: RuleSpec | None,
    keys: StoredKeys,
    schema: pa.Schema,
    deciding: pa.Schema | None,
    skip_corrupt: bool,
) -> Merge | None:
    """How the logs of a slice are merged; None where there are none."""
    if rule is None or not file_slice.logs:
        return None
    times = None
    if timeline.layout == 1:
        # what is older than the slice has nothing in its logs
        times = frozenset(i.time for i in timeline.commits if i.time >= file_slice.base_instant)
    committed = Committed(timeline.first_time, times, timeline.bound)
    return Merge(rule, keys, schema, deciding, committed, skip_corrupt, schemas_of_logs(timeline, file_slice))


def named_columns(schema: pa.Schema, names: Set[str]) -> pa.Schema:
    """The columns of a schema that have one of the names, in its order."""
    return pa.schema([field for field in schema if field.name in names])
