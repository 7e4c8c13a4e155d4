"""Hudi table without Spark: its properties, timeline, rows and table services."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import Any, TypeVar

import pyarrow as pa
import pyarrow.compute as pc

from hoodoo.archived_timeline import load_timeline
from hoodoo.catalog_sync import CatalogUpdate, choose_catalogs, sync_now
from hoodoo.explain import Explanation, explain
from hoodoo.filegroup import FileSlice, file_slices
from hoodoo.local import LocalEngine
from hoodoo.options import (
    ArchiveOptions,
    CatalogOptions,
    CleanOptions,
    ConcurrencyOptions,
    Options,
    ReadOptions,
    StorageOptions,
    parse,
    query_range,
)
from hoodoo.plugin import default_catalogue
from hoodoo.properties import TableProperties, load_properties
from hoodoo.reading import Plan, Query, Split, plan, table_schema
from hoodoo.reading.indexed import Node, by_metadata
from hoodoo.reading.path_columns import with_path_columns
from hoodoo.reading.path_globs import ending_with, under
from hoodoo.reading.removed_files import check_not_cleaned, reported_removals
from hoodoo.service import Clean, CompactionEngine, archive, clean, compact
from hoodoo.service.indexes import TableIndexes
from hoodoo.storage import Storage, storage_for
from hoodoo.table_statements import TableStatements
from hoodoo.timeline import Instant, Timeline, parse_instant, run_with_reloads
from hoodoo.txn import Coordination, coordination_of
from hoodoo.writing.commit import Commit, commit_of
from hoodoo.writing.write import no_progress

__all__ = ["Table", "plan_query"]

_T = TypeVar("_T")


class Table(TableStatements, TableIndexes):
    """Table at a path, in the state of its first use. Create another object to see later commits.

    Args:
        path: The root folder of the table: a local path, or a URI such as `file:///data/t` or `s3://bucket/t`.
        options: The access options of an object store, see `docs/options.md`, "Stores". Other options are ignored.

    Raises:
        NotATable: The path has no table.
        UnsupportedTable: The version or a feature of the table, or its store, is not supported.
        CorruptTableError: The properties of the table are damaged.
        OptionError: An access option has an invalid value, or two keys of one option have different values.
        StorageError: The path is not valid for the store, or the store failed.
    """

    def __init__(self, path: str | os.PathLike[str], options: Mapping[str, Any] | None = None) -> None:
        self._load(storage_for(path, options))

    @classmethod
    def of(cls, storage: Storage) -> Table:
        """Return the table in a storage. The errors of reading its properties are those of the constructor."""
        table = cls.__new__(cls)
        table._load(storage)
        return table

    @classmethod
    def at(cls, storage: Storage, timeline: Timeline) -> Table:
        """Return the table in a storage, in the state of a timeline. The errors are those of `of`."""
        table = cls.of(storage)
        table.__dict__["timeline"] = timeline
        return table

    def _load(self, storage: Storage) -> None:
        self._storage = storage
        self.properties: TableProperties = load_properties(storage)

    def __repr__(self) -> str:
        return f"Table({self._storage.uri!r})"

    @property
    def path(self) -> str:
        """Return the URI of the table."""
        return self._storage.uri

    @cached_property
    def timeline(self) -> Timeline:
        """Return the timeline of the table, loaded on first use; raise `CorruptTableError` if it is damaged."""
        return load_timeline(self._storage, self.properties)

    def _by_timeline(self, work: Callable[[Timeline], _T], *, of_files: bool = True) -> _T:
        """Run `work` with the timeline; if none is loaded yet, load one and keep that with which `work` succeeded."""
        if "timeline" in self.__dict__:
            with reported_removals(self._storage):
                done = work(self.timeline)
            if of_files:  # a clean may have removed the files that `work` listed
                check_not_cleaned(self._storage, self.timeline)
            return done

        def run(timeline: Timeline) -> _T:
            done = work(timeline)
            self.__dict__["timeline"] = timeline
            return done

        return run_with_reloads(load_timeline(self._storage, self.properties), run)

    @property
    def schema(self) -> pa.Schema:
        """Return the data columns of the newest commit, without meta columns.

        Raises:
            CorruptTableError: A commit or its schema is damaged, or the table has commits without a schema.
            TableChanged: A restore removed a commit after the timeline was loaded.
        """
        stated = self._by_timeline(lambda timeline: table_schema(timeline, self.properties), of_files=False)
        return with_path_columns(stated, self.properties)

    def file_slices(self, as_of: str | None = None) -> list[FileSlice]:
        """Return the file slices of the table, now or as of an instant.

        Raises:
            OptionError: `as_of` is not an instant.
            CorruptTableError: A file is damaged or missing.
            UnsupportedTable: A base file has an unsupported format, or no data columns after a bootstrap.
            TableChanged: A clean removed files after the timeline was loaded.
        """
        time = None if as_of is None else parse_instant(as_of, "as_of")
        return self._by_timeline(lambda timeline: file_slices(self._storage, timeline, time))

    def history(self) -> list[Commit]:
        """Return the completed commits of the active timeline, latest first.

        Raises:
            CorruptTableError: A commit is damaged.
            TableChanged: A restore removed a commit after the timeline was loaded.
        """
        return self._by_timeline(
            lambda timeline: [commit_of(self.path, timeline, instant) for instant in reversed(timeline.commits)],
            of_files=False,
        )

    def explain(
        self,
        record_key: object,
        partition: str | None = None,
        as_of: str | None = None,
        *,
        metadata_table: bool = False,
    ) -> Explanation:
        """Explain the row that a reader gets for a key: its versions on disk, and the decisions of the merge rule.

        The file slices that contain the key are merged again with the table's own rule, and the merge is recorded.
        Print the result, display it in a notebook, or call `to_dict()`.

        Args:
            record_key: The record key, as in `_hoodie_record_key`.
            partition: The partition to search. None reads the key columns of all partitions.
            as_of: Explain the table as of this instant.
            metadata_table: Whether to search only the file groups that the record index has for the key. All are
                searched with `as_of`, or if the index is not current or lacks the key.

        Raises:
            OptionError: `as_of` is not an instant, or files or commits of this instant were cleaned or archived.
            UnknownPlugin: A searched file slice has logs, and the rule that merges them is not installed.
            CorruptTableError: A file is damaged or missing.
            TableChanged: A clean removed files after the timeline was loaded.
            SchemaError: The values of a column in a file cannot be cast to its type in the table.
            UnsupportedTable: The table has a feature that hoodoo does not support, such as a renamed key column.
        """

        def explained(timeline: Timeline) -> Explanation:
            def search(files: Storage) -> Explanation:
                return explain(files, self.properties, timeline, str(record_key), partition, as_of)

            if metadata_table:
                return by_metadata(self._storage, self.properties, timeline, search)
            return search(self._storage)

        return self._by_timeline(explained)

    def compact(self, spark: Any = None, **options: Any) -> Commit | None:
        """Merge the logs of a merge-on-read table into new base files, with the merge rule of its readers.

        Args:
            spark: The `SparkSession` that runs the compaction. None runs it on threads of this process.
            options: The options of concurrency control that a write accepts: `lock_provider` and others, or Hudi's
                keys.

        Returns:
            The commit; None if there are no logs. Create another `Table` to see it.

        Raises:
            OptionError: An option is unknown, its value is invalid, or a required lock provider is not named.
            CommitConflict: Another writer changed one of the file groups during the compaction. The table is unchanged.
            LockTimeout: The lock of the table was not acquired in time.
            CorruptTableError: A file is damaged.
            PluginError: The merge rule of the table, or the lock provider, is not installed or cannot be loaded.
            UnsupportedTable: The table cannot be written to, for example because its metadata table cannot be updated.
        """
        engine: CompactionEngine = LocalEngine() if spark is None else _spark_engine(spark)
        coordination = self._coordination(parse(options, (ConcurrencyOptions,)))
        return compact(self._storage, engine, no_progress, coordination=coordination)

    def clean(self, **options: Any) -> Clean | None:
        """Delete the files that no retained commit needs. An interrupted clean is finished first.

        Args:
            options: The options of cleaning that a write accepts: `clean_policy`, `commits_retained`,
                `hours_retained`, `file_versions_retained`, or Hudi's keys. By default the files of the last 10 commits
                are kept. Also the options of concurrency control: `lock_provider` and others.

        Returns:
            The result, with the paths of the deleted files; None if there was nothing to delete. Create another
            `Table` to see the clean.

        Raises:
            OptionError: An option is unknown, its value is invalid, or a required lock provider is not named.
            LockTimeout: The lock of the table was not acquired in time.
            PluginError: The lock provider is not installed or cannot be loaded.
            UnsupportedTable: The table's metadata table cannot be updated, or its base files are not Parquet.
            CorruptTableError: A file is damaged.
            StorageError: The store failed; the next call continues.
        """
        given = parse(options, (CleanOptions, ConcurrencyOptions))
        return clean(self._storage, given[CleanOptions], coordination=self._coordination(given))

    def archive(self, **options: Any) -> tuple[Instant, ...]:
        """Move the oldest instants from the timeline to the archive, if there are more commits than the limit.

        Args:
            options: The options of archiving that a write accepts: `keep_min_commits`, `keep_max_commits`; and the
                options of `clean`, because commits that the cleaner retains are not archived.

        Returns:
            The instants that were archived; () if there were none. Create another `Table` to see the new timeline.

        Raises:
            HoodooError: As in `clean`.
        """
        given = parse(options, (CleanOptions, ArchiveOptions, ConcurrencyOptions))
        coordination = self._coordination(given)
        return archive(self._storage, given[ArchiveOptions], given[CleanOptions], coordination=coordination)

    def sync(self, **options: Any) -> tuple[CatalogUpdate, ...]:
        """Update the catalogs that list the table, as a write with these options does.

        Args:
            options: The options of the sync that a write accepts: `catalogs`, `catalog_options`, `catalog_database` and
                others, or Hudi's keys. Without a catalog the Hive metastore is updated.

        Returns:
            The changes of each catalog.

        Raises:
            OptionError: An option is unknown or its value is invalid, or a catalog needs more options.
            CatalogError: A catalog rejects a change, does not respond, or lists another table under the name.
            PluginError: A catalog provider is not installed or cannot be loaded.
            SchemaError: A column has no type in a catalog, or names differ only by case.
            UnsupportedTable: The base files are not Parquet.
            CorruptTableError: A commit is damaged.
        """
        given = parse(options, (CatalogOptions, ConcurrencyOptions, StorageOptions))
        return sync_now(
            choose_catalogs(given, default_catalogue(), required=True), self._storage, given[CatalogOptions]
        )

    def _coordination(self, given: Options) -> Coordination:
        return coordination_of(self._storage, self.properties, given, default_catalogue())

    def plan(
        self,
        columns: Sequence[str] | None = None,
        filter: pc.Expression | None = None,  # noqa: A002 - the name that pyarrow uses
        *,
        query_type: str = "snapshot",
        as_of: str | None = None,
        begin: str | None = None,
        end: str | None = None,
        full_scan: bool = False,
        on_corrupt: str = "fail",
        incremental_format: str = "latest_state",
        metadata_table: bool = False,
        hint: Node | None = None,
        meta_columns: bool = True,
    ) -> Plan:
        """Return the plan of a query, with its columns and its splits.

        Args:
            columns: The columns to read, in this order; they may include meta columns. None for all columns.
            filter: The condition of the rows to keep, applied after the merge; it may name any column. None for all.
            query_type: `snapshot`, `read_optimized` (only base files) or `incremental`.
            as_of: Read the table as of this instant, in any format of Hudi's `as.of.instant`.
            begin: The exclusive start of an incremental query: an instant, or, from table version 8 on and unless the
                format is `cdc`, a completion time. With `earliest` or None, the query begins with the first commit.
            end: The inclusive end of an incremental query, a time of the same form; None for the last commit.
            full_scan: Whether an incremental query that begins before the active timeline reads the whole table.
            on_corrupt: `fail`, or `skip` to ignore damaged bytes in log files.
            incremental_format: `latest_state`, or `cdc` for the changes themselves: columns `op`, `ts_ms`, `before`
                and `after`, of a table that records changes.
            hint: A filter that the caller applies to the rows, with which the metadata table excludes files, or None.
            metadata_table: Whether the metadata table lists the files, and its indexes exclude files that have no row
                of the filter. If it is not current, the folders are listed, with a warning.
            meta_columns: Whether the rows have the five meta columns if `columns` is None.

        Raises:
            OptionError: An option is invalid, options contradict each other, required files or commits were cleaned or
                archived, or the table lacks required meta columns or changes.
            SchemaError: The table does not have a column, or the filter cannot be applied to its columns.
            UnknownPlugin: The merge rule, a delete rule or the key generator is needed and is not installed.
            UnsupportedTable: The table has a feature that hoodoo does not support.
            CorruptTableError: A file is damaged or missing.
            TableChanged: The timeline was loaded before this call, and files that it names have been cleaned since.
        """
        span = (as_of, begin, end, full_scan)
        query = Query(
            query_type, columns, filter, *span, on_corrupt, incremental_format, metadata_table, hint, meta_columns
        )
        return self._by_timeline(lambda timeline: plan(self._storage, self.properties, timeline, query))

    def splits(
        self,
        columns: Sequence[str] | None = None,
        filter: pc.Expression | None = None,  # noqa: A002 - the name that pyarrow uses
        **query: Any,
    ) -> list[Split]:
        """Return the splits of a query, for other engines. Together their rows are the result of `to_arrow`.

        Arguments and errors are those of `plan`.
        """
        return list(self.plan(columns, filter, **query).splits)

    def to_arrow(
        self,
        columns: Sequence[str] | None = None,
        filter: pc.Expression | None = None,  # noqa: A002 - the name that pyarrow uses
        **query: Any,
    ) -> pa.Table:
        """Return the rows of a query as one Arrow table. The order of the rows is undefined.

        The arguments are those of `plan`, and the errors those of `plan` and of `Split.read`.
        """
        wanted = Query(columns=columns, filter=filter, **query)
        return self._by_timeline(lambda timeline: _rows(plan(self._storage, self.properties, timeline, wanted)))


def plan_query(
    table: Table, given: ReadOptions, hint: Node | None = None, condition: pc.Expression | None = None
) -> Plan:
    """Return the plan of a query with these options, without the splits that the option `paths` excludes.

    `condition` is the filter of `Table.plan`, and `hint` its hint. The errors are those of `Table.plan`; an invalid
    pattern in `paths` is an `OptionError`.
    """
    begin, end = query_range(given)
    planned = table.plan(
        given.columns,
        condition,
        query_type=given.query_type,
        as_of=given.as_of,
        begin=begin,
        end=end,
        full_scan=given.full_scan,
        on_corrupt=given.on_corrupt,
        incremental_format=given.incremental_format,
        metadata_table=given.metadata_table,
        hint=hint,
        meta_columns=given.meta_columns,
    )
    if given.paths is not None:
        planned = under(planned, table.path, given.paths)
    if given.incremental_paths and given.query_type == "incremental":
        planned = ending_with(planned, table.path, given.incremental_paths)
    return planned


def _rows(planned: Plan) -> pa.Table:
    if not planned.splits:
        return planned.schema.empty_table()
    with ThreadPoolExecutor(max_workers=min(len(planned.splits), os.cpu_count() or 1)) as pool:
        return pa.concat_tables(pool.map(lambda split: split.read().read_all(), planned.splits))


def _spark_engine(spark: Any) -> CompactionEngine:
    """Return the Spark engine; it is imported here, because only calls with a session need PySpark."""
    module = importlib.import_module("hoodoo.spark.write.compaction_engine")
    engine: CompactionEngine = module.SparkEngine(spark)
    return engine
