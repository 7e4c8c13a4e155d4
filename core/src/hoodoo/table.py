"""A Hudi table, without Spark: what it is, what happened to it, what it holds."""

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
from hoodoo.explain import Explanation, explain
from hoodoo.filegroup import FileSlice, file_slices
from hoodoo.options import ArchiveOptions, CleanOptions, ConcurrencyOptions, Options, parse
from hoodoo.plugin import default_catalogue
from hoodoo.properties import TableProperties, load_properties
from hoodoo.reading import Plan, Query, Split, plan, table_schema
from hoodoo.reading.path_columns import with_path_columns
from hoodoo.reading.removed_files import check_not_cleaned, reported_removals
from hoodoo.service import Clean, CompactionEngine, LocalEngine, archive, clean, compact
from hoodoo.storage import Storage, storage_for
from hoodoo.timeline import Instant, Timeline, parse_instant, with_reloads
from hoodoo.txn import Coordination, coordination_of
from hoodoo.writing.commit import Commit, commit_of
from hoodoo.writing.write import no_progress

__all__ = ["Table"]

_T = TypeVar("_T")


class Table:
    """A table at a path, as it was when the object was made; make another to see later commits.

    Args:
        path: The table's root folder: a local path, a `file:` URI, or `s3://bucket/prefix`.
        options: How an object store is reached, see `docs/options.md`, "Stores"; others are passed over.

    Raises:
        NotATable: there is none.
        UnsupportedTable: its version, type or features are not supported.
    """

    def __init__(self, path: str | os.PathLike[str], options: Mapping[str, Any] | None = None) -> None:
        self._look(storage_for(path, options))

    @classmethod
    def of(cls, storage: Storage) -> Table:
        """The table whose files a storage holds. Raises as the constructor."""
        table = cls.__new__(cls)
        table._look(storage)
        return table

    def _look(self, storage: Storage) -> None:
        self._storage = storage
        self.properties: TableProperties = load_properties(storage)

    def __repr__(self) -> str:
        return f"Table({self._storage.uri!r})"

    @property
    def path(self) -> str:
        """Where the table is."""
        return self._storage.uri

    @cached_property
    def timeline(self) -> Timeline:
        """What happened to the table, instant by instant."""
        return load_timeline(self._storage, self.properties)

    def _by_timeline(self, work: Callable[[Timeline], _T], *, of_files: bool = True) -> _T:
        """Run work by the table's timeline; one that was not loaded before is the table's as of the end of the work."""
        if "timeline" in self.__dict__:
            with reported_removals(self._storage):
                done = work(self.timeline)
            if of_files:
                check_not_cleaned(self._storage, self.timeline)
            return done

        def run(timeline: Timeline) -> _T:
            done = work(timeline)
            self.__dict__["timeline"] = timeline
            return done

        return with_reloads(load_timeline(self._storage, self.properties), run)

    @property
    def schema(self) -> pa.Schema:
        """The data columns, without meta columns."""
        stated = self._by_timeline(lambda timeline: table_schema(timeline, self.properties), of_files=False)
        return with_path_columns(stated, self.properties)

    def file_slices(self, as_of: str | None = None) -> list[FileSlice]:
        """The file slices that make the table up, now or as of an instant."""
        time = None if as_of is None else parse_instant(as_of)
        return self._by_timeline(lambda timeline: file_slices(self._storage, timeline, time))

    def history(self) -> list[Commit]:
        """The completed commits, latest first."""
        return self._by_timeline(
            lambda timeline: [commit_of(self.path, timeline, instant) for instant in reversed(timeline.commits)],
            of_files=False,
        )

    def explain(self, record_key: object, partition: str | None = None, as_of: str | None = None) -> Explanation:
        """Why a reader gets the row that it gets for a key: every version on disk, and what the rule decided of them.

        The file slices that hold the key are merged once more, whole, by the table's own rule, and what is shown is
        what was seen then. Print the answer, look at it in a notebook, or take `to_dict()`.

        Args:
            record_key: The record key, as `_hoodie_record_key` has it.
            partition: Look in this partition alone; the key columns of all are read otherwise.
            as_of: Explain the table as it was at this instant.

        Raises:
            OptionError: the files of that instant were cleaned.
            UnknownPlugin: the record is in logs, and the rule that merges them is not installed.
            CorruptTableError: a file is damaged or gone.
        """
        return self._by_timeline(
            lambda timeline: explain(self._storage, self.properties, timeline, str(record_key), partition, as_of)
        )

    def compact(self, spark: Any = None, **options: Any) -> Commit | None:
        """Merge the logs of a merge-on-read table into new base files, by the rule that its readers use.

        Args:
            spark: The `SparkSession` that does it; without one, the threads of this process.
            options: Of the concurrency control, as a write takes them: `lock_provider` and others, or Hudi's keys.

        Returns:
            The commit; None where there are no logs. Make another `Table` to see it.

        Raises:
            OptionError: an option that cannot be.
            CommitConflict: somebody wrote to one of the file groups meanwhile; the table is as it was.
            LockTimeout: the table's lock was not obtained.
            CorruptTableError: a file is damaged.
            UnknownPlugin: the table's merge rule, or the lock provider, is not installed.
        """
        engine: CompactionEngine = LocalEngine() if spark is None else _spark_engine(spark)
        coordination = self._coordination(parse(options, (ConcurrencyOptions,)))
        return compact(self._storage, engine, no_progress, coordination=coordination)

    def clean(self, **options: Any) -> Clean | None:
        """Delete the files that nothing needs any more; a clean that was interrupted is finished first.

        Args:
            options: What is kept, as a write takes it: `clean_policy`, `commits_retained`, `hours_retained`,
                `file_versions_retained`, or Hudi's keys; by default what the last 10 commits need. And those of the
                concurrency control: `lock_provider` and others.

        Returns:
            What was deleted; None where there was nothing to delete. Make another `Table` to see it.

        Raises:
            OptionError: an option that cannot be.
            LockTimeout: the table's lock was not obtained.
            UnsupportedTable: the table has a metadata table, which would name files that are gone.
            CorruptTableError: a file is damaged.
        """
        given = parse(options, (CleanOptions, ConcurrencyOptions))
        return clean(self._storage, given[CleanOptions], coordination=self._coordination(given))

    def archive(self, **options: Any) -> tuple[Instant, ...]:
        """Move the oldest instants from the timeline to its archive, where there are many commits.

        Args:
            options: How many commits stay, as a write takes it: `keep_min_commits`, `keep_max_commits`; and what
                `clean` takes, because commits that the cleaner keeps stay.

        Returns:
            The instants that were archived. Make another `Table` to see it.

        Raises:
            OptionError, LockTimeout, UnsupportedTable, CorruptTableError: as `clean`.
        """
        given = parse(options, (CleanOptions, ArchiveOptions, ConcurrencyOptions))
        coordination = self._coordination(given)
        return archive(self._storage, given[ArchiveOptions], given[CleanOptions], coordination=coordination)

    def _coordination(self, given: Options) -> Coordination:
        return coordination_of(self._storage, self.properties, given, default_catalogue())

    def plan(
        self,
        columns: Sequence[str] | None = None,
        filter: pc.Expression | None = None,  # noqa: A002 - the word that pyarrow uses
        *,
        query_type: str = "snapshot",
        as_of: str | None = None,
        begin: str | None = None,
        end: str | None = None,
        full_scan: bool = False,
        on_corrupt: str = "fail",
    ) -> Plan:
        """What is to be read for a query: the columns and the splits.

        Args:
            columns: Columns to read, meta columns included, in this order; all by default.
            filter: Rows to keep; it may name any column, also one that is not read. It is applied after the merge.
            query_type: `snapshot`, `read_optimized` (base files alone) or `incremental`.
            as_of: Read the table as it was at this instant; every spelling of Hudi's `as.of.instant`.
            begin: Begin of an incremental query, not included: an instant, or from table version 8 on a completion
                time; `earliest` or None for the first commit.
            end: Its end, included; None for the last commit.
            full_scan: Let an incremental query that begins before the active timeline read the whole table.
            on_corrupt: `fail`, or `skip` to leave out damaged bytes of log files.

        Raises:
            OptionError: options that contradict each other, or a range whose begin was archived.
            SchemaError: the table has no such column.
            UnknownPlugin: logs have to be merged by a rule that is not installed.
            CorruptTableError: a file is damaged or gone.
        """
        query = Query(query_type, columns, filter, as_of, begin, end, full_scan, on_corrupt)
        return self._by_timeline(lambda timeline: plan(self._storage, self.properties, timeline, query))

    def splits(
        self,
        columns: Sequence[str] | None = None,
        filter: pc.Expression | None = None,  # noqa: A002 - the word that pyarrow uses
        **query: Any,
    ) -> list[Split]:
        """Parts of the table that any engine can read; together they are what `to_arrow` gives. Arguments as `plan`."""
        return list(self.plan(columns, filter, **query).splits)

    def to_arrow(
        self,
        columns: Sequence[str] | None = None,
        filter: pc.Expression | None = None,  # noqa: A002 - the word that pyarrow uses
        **query: Any,
    ) -> pa.Table:
        """Return the rows as one Arrow table, meta columns first, in no particular order.

        Arguments and errors as `plan`, and:

        Raises:
            TableChanged: The table's timeline was loaded before, and files of that time were cleaned since.
        """
        wanted = Query(columns=columns, filter=filter, **query)
        return self._by_timeline(lambda timeline: _rows(plan(self._storage, self.properties, timeline, wanted)))


def _rows(planned: Plan) -> pa.Table:
    if not planned.splits:
        return planned.schema.empty_table()
    with ThreadPoolExecutor(max_workers=min(len(planned.splits), os.cpu_count() or 1)) as pool:
        return pa.concat_tables(pool.map(lambda split: split.read().read_all(), planned.splits))


def _spark_engine(spark: Any) -> CompactionEngine:
    """PySpark is needed by nobody who does not hand over a session."""
    module = importlib.import_module("hoodoo.spark.write.compaction_engine")
    engine: CompactionEngine = module.SparkEngine(spark)
    return engine
