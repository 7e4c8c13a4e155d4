"""Execution of a statement as one commit: checks, rows and result."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from attrs import field, frozen
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from hoodoo.archived_timeline import load_timeline
from hoodoo.errors import CommitConflict, OptionError, StatementError
from hoodoo.format.file_names import LogFileName
from hoodoo.plugin import default_catalogue
from hoodoo.properties import load_properties, property_keys
from hoodoo.schema.comments import KeepsComments
from hoodoo.schema.meta_columns import META_COLUMNS, PARTITION_PATH, RECORD_KEY
from hoodoo.spark.hadoop_options import with_hadoop_options
from hoodoo.spark.scan.read import table_frame
from hoodoo.spark.spark_types import quote
from hoodoo.spark.statements.statement_batch import StatementBatch
from hoodoo.spark.write.compaction_engine import SparkEngine
from hoodoo.statements.clauses import Clause
from hoodoo.statements.result import StatementResult
from hoodoo.statements.target import Target
from hoodoo.storage import Storage, name_of
from hoodoo.table import Table
from hoodoo.timeline import Timeline
from hoodoo.timeline.commit_metadata import STATEMENT_KEY
from hoodoo.write_job import Job, run_job
from hoodoo.writing.commit import Commit
from hoodoo.writing.prepare.prepare import prepare
from hoodoo.writing.progress import show_progress
from hoodoo.writing.stored_row_keys import STORED_KEY, STORED_PATH, HasStoredKeys
from hoodoo.writing.write_spec import StatementSpec

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["Execution"]


@frozen
class Execution:
    """Execution of a statement on a table, with the state of the table before the statement.

    Attributes:
        spark: The session.
        path: The root folder of the table.
        options: The options of the write.
        storage: The table's files.
        target: The table, with the columns that clauses treat specially.
        timeline: The timeline with which the statement is checked.
        schema: The columns of the table at that timeline.
        groups: The file groups at that timeline, by partition path and file id.
        has_logs: Whether some of these file groups have logs.
    """

    spark: SparkSession
    path: str
    options: Mapping[str, Any]
    storage: Storage
    target: Target
    timeline: Timeline
    schema: pa.Schema
    groups: frozenset[tuple[str, str]]
    has_logs: bool
    _started: float = field(factory=time.perf_counter, init=False)

    @classmethod
    def of(cls, spark: SparkSession, storage: Storage, options: Mapping[str, Any]) -> Execution:
        """Return the execution of a statement; the options are checked.

        Raises:
            OptionError: The options have an `operation`.
            StatementError: The table has no columns yet, or its rows have no keys.
            HoodooError: As in `hoodoo.write`.
        """
        if "operation" in options:
            raise OptionError("option 'operation' does not apply to a statement, which is an upsert; leave it out")
        options = {**with_hadoop_options(spark, storage.uri, {**storage.options, **options}), "operation": "upsert"}
        catalogue = default_catalogue()
        job = Job.of(storage.uri, options, catalogue)
        table = Table.of(job.storage)
        schema = table.schema
        if not len(schema):
            raise StatementError(f"table '{storage.uri}' has no commit and no columns yet; write rows to it first")
        given = job.given
        if not table.properties.get(property_keys.RECORD_KEY_FIELDS):
            given = given.replaced(HasStoredKeys())
        prepared = prepare(job.storage, schema, given, "append", catalogue)
        assert prepared is not None
        assert prepared.timeline is not None
        groups = frozenset((each.partition, each.file_id) for each in prepared.slices)
        has_logs = any(each.logs for each in prepared.slices)
        target = Target.of(prepared)
        return cls(spark, storage.uri, options, job.storage, target, prepared.timeline, schema, groups, has_logs)

    @property
    def name(self) -> str:
        """Return the quoted name of the table."""
        return quote(load_properties(self.storage).name)

    def stored(self, timeline: Timeline, columns: Sequence[str] | None = None) -> DataFrame:
        """Return the rows of the table on a timeline, with some columns or all.

        If the table has generated keys, the rows have these keys and all columns.
        """
        if not self.target.keeps_keys:
            return table_frame(self.spark, self.storage, timeline, columns)
        found = table_frame(self.spark, self.storage, timeline, meta_columns=True)
        kept = {STORED_KEY: F.col(RECORD_KEY), STORED_PATH: F.col(PARTITION_PATH)}
        return found.withColumns(kept).drop(*META_COLUMNS)

    def columns(self, stored: DataFrame) -> StructType:
        """Return the columns of the table, without those of generated keys."""
        return StructType([field for field in stored.schema if field.name not in (STORED_KEY, STORED_PATH)])

    def run(
        self,
        clauses: Sequence[Clause],
        stored: DataFrame,
        columns: StructType,
        made: Callable[[DataFrame], DataFrame],
        text: str,
        read: Collection[str] | None = None,
    ) -> StatementResult:
        """Write the rows of a statement as one commit, and return its result.

        Args:
            clauses: The clauses of the statement, in order.
            stored: The stored rows with which the statement was checked.
            columns: The columns of the table after the statement.
            made: The function that returns the rows of the statement for the stored rows.
            text: The text of the statement, for the metadata of the commit.
            read: The columns of the stored rows that `made` uses; None for all. An empty collection if tasks find the
                stored rows, see `SourceRows`.

        Raises:
            CommitConflict: Another writer changed the columns of the table, or the file groups of the statement.
            HoodooError: As in `hoodoo.write`.
        """
        narrow = None if read is None else [name for name in stored.columns if name in read]

        def made_at(timeline: Timeline) -> DataFrame:
            if Table.at(self.storage, timeline).schema != self.schema:
                raise CommitConflict(
                    "another writer changed the columns of the table while this statement was prepared; execute it "
                    "again"
                )
            return made(stored if narrow == [] else self.stored(timeline, narrow))

        # Spark leaves columns of base files out by itself
        is_narrowed = narrow and self.has_logs and len(narrow) < len(stored.columns)
        spec = StatementSpec(
            tuple(clause.action for clause in clauses),
            tuple(clause.text for clause in clauses),
            combines=bool(self.target.ordering) and not self.target.keeps_keys,
            keeps_keys=self.target.keeps_keys,
            lacking=self.target.lacking(clauses, columns.names),
            compared=self.target.compared(columns.names) if narrow == [] else None,
        )
        batch = StatementBatch(
            df=made(self.stored(self.timeline, narrow) if is_narrowed else stored),
            marks=(KeepsComments(), HasStoredKeys()) if self.target.keeps_keys else (KeepsComments(),),
            columns=columns,
            statement=spec,
            made=made_at,
            checked=self.timeline,
        )
        given = self.options.get("commit_metadata") or {}
        options = {**self.options, "commit_metadata": {STATEMENT_KEY: text, **given}}
        commit = run_job(batch, self.path, options, "append", SparkEngine(self.spark), show_progress)
        return self._result(commit)

    def _result(self, commit: Commit) -> StatementResult:
        timeline = load_timeline(self.storage, load_properties(self.storage))
        instant = next(each for each in timeline.commits if each.time == commit.instant)
        stats = [stat for stat in timeline.commit_metadata(instant).stats() if stat.path]
        bases = [stat for stat in stats if LogFileName.parse(name_of(stat.path or "")) is None]
        touched = {(stat.partition_path, stat.file_id) for stat in stats}
        return StatementResult(
            inserted=commit.rows_inserted,
            updated=commit.rows_updated,
            deleted=commit.rows_deleted,
            overridden=commit.rows_ignored or 0,
            unchanged=sum(stat.num_writes - stat.num_inserts - stat.num_update_writes for stat in bases),
            files_written=commit.files,
            files_left=len(self.groups - touched),
            seconds=time.perf_counter() - self._started,
            commit=commit,
        )
