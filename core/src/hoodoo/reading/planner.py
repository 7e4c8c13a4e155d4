"""Queries of a table, and their plans: the splits to read."""

from __future__ import annotations

import logging
from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc
from attrs import evolve, frozen

from hoodoo.errors import CorruptTableError, OptionError, SchemaError
from hoodoo.filegroup import FileSlice, base_slices, file_slices
from hoodoo.format.corruption import GONE
from hoodoo.properties import TableProperties
from hoodoo.properties.property_keys import CDC_ENABLED
from hoodoo.reading.changes import CHANGES, change_splits
from hoodoo.reading.gc_pause import without_gc
from hoodoo.reading.incremental import Range, commits_of_changes
from hoodoo.reading.indexed import (
    FOLDERS,
    FunctionCall,
    IndexedStorage,
    Node,
    by_metadata,
    filter_tree,
    kept_slices,
    partitions_without_rows,
)
from hoodoo.reading.path_columns import with_path_columns
from hoodoo.reading.row_filter import filter_columns
from hoodoo.reading.schema.commit_schema import check_schema
from hoodoo.reading.schema.stored_names import StoredNames, newest_ids
from hoodoo.reading.schema.table_schema import table_schema
from hoodoo.reading.slice_splits import Wanted, slice_splits
from hoodoo.reading.split import Split
from hoodoo.reading.time_travel import check_pending_cleans, check_retained
from hoodoo.schema.columns import has_column
from hoodoo.schema.meta_columns import COMMIT_TIME, META_COLUMNS, with_meta, without_meta
from hoodoo.storage import Storage
from hoodoo.timeline import Timeline, parse_instant

__all__ = ["Plan", "Query", "plan", "projected"]

_log = logging.getLogger(__name__)


@frozen
class Query:
    """A query of a table.

    Attributes:
        query_type: The type: `snapshot`, `read_optimized` or `incremental`.
        columns: The columns to read, in this order; they may include meta columns. None for all columns.
        filter: A filter for rows, which may refer to any column; None for all rows.
        as_of: The instant of a time travel; None for the current table.
        begin: The exclusive start of an incremental query, as in `Table.plan`; None to begin with the first commit.
        end: The inclusive end of an incremental query, as in `Table.plan`; None for the last commit.
        full_scan: Whether to read the whole table if commits of the range were archived. It has no effect on a query of
            changes, because a scan does not find changes.
        on_corrupt: `fail`, or `skip` to leave out damaged bytes of logs.
        incremental_format: The rows of an incremental query: `latest_state`, or `cdc` for the changes of rows.
        metadata_table: Whether the metadata table lists the files and excludes some of them, if it is current. A query
            of changes does not use it.
        hint: A filter that another engine applies to the rows, with which the metadata table excludes files; None
            without one.
        meta_columns: Whether the rows have the meta columns if `columns` is None.

    Raises:
        OptionError: An attribute has an unknown value, or attributes contradict each other.
    """

    query_type: str = "snapshot"
    columns: Sequence[str] | None = None
    filter: pc.Expression | None = None
    as_of: str | None = None
    begin: str | None = None
    end: str | None = None
    full_scan: bool = False
    on_corrupt: str = "fail"
    incremental_format: str = "latest_state"
    metadata_table: bool = False
    hint: Node | None = None
    meta_columns: bool = True

    def __attrs_post_init__(self) -> None:
        if self.query_type not in ("snapshot", "read_optimized", "incremental"):
            raise OptionError(
                f"query_type is {self.query_type!r}; expected one of: snapshot, read_optimized, incremental",
                code="query_type",
            )
        if self.query_type == "incremental" and self.as_of is not None:
            raise OptionError("'as_of' is not an option of an incremental query; use 'begin' and 'end' instead")
        if self.query_type != "incremental" and (self.begin is not None or self.end is not None):
            raise OptionError(
                f"'begin' and 'end' are options of an incremental query, but query_type is {self.query_type!r}; "
                "set query_type='incremental', or use 'as_of'"
            )
        if self.on_corrupt not in ("fail", "skip"):
            raise OptionError(f"on_corrupt is {self.on_corrupt!r}; choose fail or skip")
        if self.incremental_format not in ("latest_state", "cdc"):
            raise OptionError(f"incremental_format is {self.incremental_format!r}; choose latest_state or cdc")
        if self.incremental_format == "cdc" and self.query_type != "incremental":
            raise OptionError(
                f"incremental_format='cdc' is possible only in an incremental query, but query_type is "
                f"{self.query_type!r}; set query_type='incremental'"
            )


@frozen
class Plan:
    """Splits of a query, and the filter for engines that read base files themselves.

    Attributes:
        schema: The columns of every split.
        splits: The splits, largest first, which distributes them evenly over parallel tasks.
        commits: The instants of an incremental query, to compare with `_hoodie_commit_time`; None if all rows of the
            splits are read.
        after: The `_hoodie_commit_time` after which the rows of an incremental query were written, "" for all rows;
            used in addition to `commits` if commits of its range were archived, None otherwise.
        way: The way in which the files were found: `folders` if the folders were listed; otherwise a description of the
            partitions of the metadata table that were used, with the number of file slices that each of them left, or
            of partitions that it excluded.
    """

    schema: pa.Schema
    splits: tuple[Split, ...]
    commits: frozenset[str] | None = None
    after: str | None = None
    way: str = FOLDERS


@without_gc
def plan(storage: Storage, properties: TableProperties, timeline: Timeline, query: Query) -> Plan:
    """Return the plan of a query.

    Args:
        storage: The table's files; an `IndexedStorage` for a caller that has opened the metadata table.
        properties: The table properties.
        timeline: The active timeline.
        query: The query.

    Raises:
        SchemaError: The query refers to a column that the table does not have, or its filter cannot be applied.
        OptionError: A bound or `as_of` is not an instant, files or commits that the query needs were cleaned or
            archived, or the table lacks the meta columns or the changes that the query needs.
        PluginError: The merge rule, a delete rule or the key generator of the table is needed, and not installed
            (`UnknownPlugin`) or not usable.
        CorruptTableError: The table is damaged.
        TableChanged: A file of the timeline was removed since the timeline was loaded.
        UnsupportedTable: The table has a feature that hoodoo does not support.
    """
    _check_features(properties, query)
    if query.incremental_format == "cdc":
        return _plan_changes(storage, properties, timeline, query)
    if query.metadata_table and not isinstance(storage, IndexedStorage):
        return by_metadata(storage, properties, timeline, lambda files: _planned(files, properties, timeline, query))
    return _planned(storage, properties, timeline, query)


def _planned(storage: Storage, properties: TableProperties, timeline: Timeline, query: Query) -> Plan:
    """Return the plan of a query of rows."""
    is_now = query.query_type == "snapshot" and query.as_of is None
    if isinstance(storage, IndexedStorage) and is_now:
        storage = _without_partitions(storage, properties, timeline, query)
    view = _view(storage, timeline, query)
    # for an instant before the first commit, the columns are those of a later commit
    data = table_schema(view.timeline if view.timeline.commits else timeline, properties)
    table = with_meta(with_path_columns(data, properties))
    check_schema(storage, view.timeline, properties, view.slices)
    schema = projected(table, query.columns, meta_columns=query.meta_columns)
    conditions = [condition for condition in (view.condition, query.filter) if condition is not None]
    wanted = Wanted(table, schema, view.timeline, conditions, query.on_corrupt == "skip")
    slices, way = view.slices, FOLDERS
    if isinstance(storage, IndexedStorage):
        # statistics of older files may be those of other columns
        other = StoredNames.of(storage, view.timeline, slices, table.names).changed
        same = pa.schema([field for field in table if field.name not in other])
        slices, way = kept_slices(storage, slices, _structure(wanted.condition, query.hint, table), same, is_now=is_now)
        _log.info("%s: %s", storage.uri, way)
    splits = slice_splits(storage, properties, view.timeline, slices, wanted)
    return Plan(schema, splits, view.commits, view.after, way)


def _without_partitions(
    storage: IndexedStorage, properties: TableProperties, timeline: Timeline, query: Query
) -> IndexedStorage:
    """Return the storage without the partitions in which no row can match both the filter and the hint of the query.

    The storage is returned unchanged if the query has neither of the two, or if columns have ids.
    """
    # with ids of columns, statistics may be those of another column that had the name
    if (query.filter is None and query.hint is None) or newest_ids(timeline) is not None:
        return storage
    table = with_meta(with_path_columns(table_schema(timeline, properties), properties))
    node = _structure(query.filter, query.hint, table)
    return evolve(storage, left_out=partitions_without_rows(storage.metadata, node, table))


def _structure(condition: pc.Expression | None, hint: Node | None, table: pa.Schema) -> Node | None:
    """Return the structure of the conjunction of a filter and a hint; None if both are missing or unknown.

    If only one of them is missing or unknown, the structure is that of the other.
    """
    node = None if condition is None else filter_tree(condition, table)
    if node is None or hint is None:
        return hint if node is None else node
    return FunctionCall("and_kleene", (node, hint))


def _plan_changes(storage: Storage, properties: TableProperties, timeline: Timeline, query: Query) -> Plan:
    schema = projected(CHANGES, query.columns)
    if query.filter is not None:
        filter_columns(query.filter, CHANGES)
    commits = commits_of_changes(timeline, query.begin, query.end)
    splits = change_splits(storage, properties, timeline, commits, query.on_corrupt == "skip")
    return Plan(schema, tuple(evolve(split, schema=schema, condition=query.filter) for split in splits))


def _check_features(properties: TableProperties, query: Query) -> None:
    """Raise `OptionError` if the table lacks change logs or meta columns that the query needs."""
    if query.incremental_format == "cdc" and properties.get(CDC_ENABLED, "false").lower() != "true":
        raise OptionError(
            f"table '{properties.name}' does not record changes ({CDC_ENABLED} is not true), so that it has no changes "
            "in the format cdc; use incremental_format='latest_state' for the rows that commits wrote, and compare two "
            "snapshots (as_of) to find the rows before a change",
            code="cdc",
        )
    if query.query_type == "incremental" and not properties.populate_meta_fields:
        raise OptionError(
            f"an incremental query of table '{properties.name}' is not possible: without meta columns "
            "(hoodie.populate.meta.fields=false) its rows do not contain their commit; use query_type='snapshot'",
            code="query_type",
        )


def projected(schema: pa.Schema, columns: Sequence[str] | None, *, meta_columns: bool = True) -> pa.Schema:
    """Return the schema with the given columns, in their order; with all columns by default.

    Args:
        schema: The columns of the table, meta columns first.
        columns: The names; None for all columns.
        meta_columns: Whether the result has the meta columns if `columns` is None.

    Raises:
        SchemaError: The table lacks one of the columns.
    """
    if columns is None:
        return schema if meta_columns else without_meta(schema)
    unknown = [name for name in columns if not has_column(schema, name)]
    if unknown:
        known = ", ".join(name for name in schema.names if name not in META_COLUMNS)
        noun = "column" if len(unknown) == 1 else "columns"
        raise SchemaError(
            f"the table has no {noun} {', '.join(map(repr, unknown))}; it has {known}", code="unknown_column"
        )
    return pa.schema([schema.field(name) for name in columns])


@frozen
class _View:
    """Timeline and slices that a query reads, and the commits whose rows it returns (see `Plan`)."""

    timeline: Timeline
    slices: Sequence[FileSlice]
    commits: frozenset[str] | None = None
    after: str | None = None

    @property
    def condition(self) -> pc.Expression | None:
        """Return a filter for the rows of `commits` and for those written after `after`; None for all rows."""
        if self.commits is None:
            return None
        chosen = pc.field(COMMIT_TIME).isin(pa.array(sorted(self.commits), pa.string()))
        if self.after is None:
            return chosen
        later = pc.field(COMMIT_TIME) > self.after
        return chosen | later if self.commits else later


def _view(storage: Storage, timeline: Timeline, query: Query) -> _View:
    if query.query_type != "incremental":
        find = file_slices if query.query_type == "snapshot" else base_slices
        if isinstance(storage, IndexedStorage) and storage.left_out:
            return _View(timeline, file_slices(storage, timeline, left_out=storage.left_out))
        if query.as_of is None:
            return _View(timeline, find(storage, timeline))
        time = parse_instant(query.as_of, "as_of")
        check_retained(timeline, time)
        view = timeline.as_of(time)
        try:
            return _View(view, find(storage, view))
        except CorruptTableError as error:
            if error.code == GONE:
                check_pending_cleans(timeline, time)
            raise
    found = Range.of(timeline, query.begin, query.end, full_scan=query.full_scan)
    if not found.commits and not found.is_incomplete:
        return _View(timeline, (), frozenset())
    view = found.at_end(timeline)
    # slices with logs need the metadata of all commits, not only of those in the range
    has_logs = any(instant.action == "deltacommit" for instant in view.commits)
    slices = file_slices(storage, view, commits=None if found.is_incomplete or has_logs else found.commits)
    if found.is_incomplete:
        return _View(view, slices, found.early, found.begin or "")
    return _View(view, found.touched(timeline, slices), frozenset(instant.time for instant in found.commits))
