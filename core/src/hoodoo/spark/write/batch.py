"""Rows of a write from a DataFrame, which are shuffled by file group and written by Python tasks over Arrow batches."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import pyarrow as pa
from attrs import define, field
from pyspark.sql import functions as F
from pyspark.sql.types import LongType

from hoodoo.bootstrap import BootstrapSource
from hoodoo.errors import CommitError, SchemaError
from hoodoo.schema.columns import field_at
from hoodoo.schema.meta_columns import META_COLUMNS
from hoodoo.spark.compatibility.arrow_columns import ArrayFunction, with_arrow_column
from hoodoo.spark.compatibility.session_calls import add_tag, inheriting, interrupt_tag
from hoodoo.spark.compatibility.shuffle import rebalanced, repartitioned
from hoodoo.spark.spark_types import arrow_schema, spark_schema
from hoodoo.spark.write.source_frame import source_frame
from hoodoo.timeline import Timeline
from hoodoo.writing.error_transport import transported_error
from hoodoo.writing.file_status import FileStatus
from hoodoo.writing.routing.task_plan import TaskPlan
from hoodoo.writing.stages.stage_tasks import stages_of
from hoodoo.writing.stored_row_keys import STORED_KEY, STORED_PATH
from hoodoo.writing.task_engine import Batch
from hoodoo.writing.tasks.incoming_rows import ARRIVAL, ROUTE
from hoodoo.writing.tasks.stored_rows import Splits
from hoodoo.writing.write_spec import StatementSpec

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

__all__ = ["DataFrameBatch", "collect"]

POLL_SECONDS = 0.2


_cores: WeakKeyDictionary[SparkSession, int] = WeakKeyDictionary()


def _without_meta(df: DataFrame) -> DataFrame:
    present = frozenset(df.columns)
    return df.drop(*(name for name in META_COLUMNS if name in present))


@define(slots=False)
class DataFrameBatch:
    """Rows of a DataFrame. Nothing is cached; only `run` evaluates the DataFrame, once.

    Attributes:
        df: The rows, without meta columns.
        runs_here: False, because the tasks run in processes of Spark.
        statement: None, because a user made the rows; a `StatementBatch` has the statement.
        marks: Internal options of the write, which a user cannot set.
    """

    df: DataFrame = field(converter=_without_meta)
    runs_here: bool = field(default=False, init=False)
    statement: StatementSpec | None = field(default=None, init=False)
    marks: tuple[object, ...] = ()

    @cached_property
    def schema(self) -> pa.Schema:
        """Return the DataFrame's columns, without meta columns."""
        return arrow_schema(self.df.schema)

    def at(self, timeline: Timeline) -> Batch:
        """Return the batch itself: its rows do not depend on the table."""
        return self

    def copying(self, source: BootstrapSource) -> DataFrameBatch:
        """Return a batch with the rows of files, see `hoodoo.writing.task_engine.Batch`."""
        return DataFrameBatch(source_frame(self.df.sparkSession, source))

    def parallelism(self) -> int:
        """Return the number of cores of the session: the number of partitions of a range, computed once per session."""
        session = self.df.sparkSession
        if session not in _cores:
            rows = session.range(0, 100_000).select(F.spark_partition_id().alias("p")).distinct().collect()
            _cores[session] = max(1, len(rows))
        return _cores[session]

    def tasks(self) -> int:
        """Return the number of tasks: two per core. More take longer, because each costs a worker some time."""
        return 2 * self.parallelism()

    def run(self, plan: TaskPlan, *, splits: Splits, arrival: str, progress: Callable[[], None]) -> list[FileStatus]:
        """Route, shuffle, merge and write the rows; see `hoodoo.writing.task_engine.Batch`."""
        text, stages, bins = plan.to_json(), stages_of(plan), plan.distribution.bins
        routed = self._routed(plan, text, arrival)
        # with a global index, the tasks that look keys up read the slices
        merged = {} if plan.spans_partitions else dict(splits)
        if stages.balances_by_size:
            # the work is proportional to the rows, so Spark can balance tasks by shuffled bytes
            sized = rebalanced(routed, ROUTE).sortWithinPartitions(ROUTE)
        elif stages.looks_up_first:
            first = repartitioned(routed, bins, _bin()).sortWithinPartitions(ROUTE, ARRIVAL)
            found = first.mapInArrow(_look_up(text, dict(splits)), _with_fields(routed, stages.lookup_fields()))
            sized = repartitioned(found, bins, _bin()).sortWithinPartitions(ROUTE)
        else:
            sized = repartitioned(routed, bins, _bin()).sortWithinPartitions(ROUTE)
        written = sized.mapInArrow(_merge(text, merged), "status string, body binary")
        rows = collect(written, f"hoodoo-{plan.instant}", progress)
        return [FileStatus.from_json(row[0], row[1]) for row in rows]

    def _arrival(self, arrival: str) -> Column:
        return _arrival(self.df, arrival)

    def _routed(self, plan: TaskPlan, text: str, arrival: str) -> DataFrame:
        schema = self.schema
        by_value, by = plan.groups_by_value, plan.keys.config.partition_columns
        names = dict.fromkeys(by if by_value else plan.keys.columns)
        added = (ARRIVAL, STORED_KEY, STORED_PATH)
        present = [name for name in names if name in added or field_at(schema, name) is not None]
        columns = {name: _column(name, schema) for name in present} or {ROUTE: F.lit(0)}
        arrived = self.df.withColumn(ARRIVAL, self._arrival(arrival))
        if by_value:
            return arrived.withColumn(ROUTE, F.xxhash64(*columns.values()))
        return with_arrow_column(arrived, ROUTE, LongType(), _route(text, present), columns)


def _bin() -> Column:
    return F.shiftright(F.col(ROUTE), 32).cast("int")


def _column(path: str, schema: pa.Schema) -> Column:
    if path in schema.names:
        return F.col(f"`{path}`")
    return F.col(".".join(f"`{part}`" for part in path.split(".")))


def _arrival(data: DataFrame, arrival: str) -> Column:
    if arrival == "position":
        return F.monotonically_increasing_id()
    if arrival == "content":
        return F.xxhash64(F.to_json(F.struct(*(F.col(f"`{name}`") for name in data.columns))))
    column = F.col(f"`{arrival}`") if arrival in data.columns else F.col(arrival)
    kind = data.select(column.alias("a")).schema["a"].dataType.typeName()
    if kind in ("timestamp", "timestamp_ntz"):
        column = F.unix_micros(column.cast("timestamp"))
    elif kind == "date":
        column = F.unix_date(column)
    elif kind not in ("byte", "short", "integer", "long"):
        raise SchemaError(
            f"arrival column '{arrival}' is of type {kind}; use a whole number, date or timestamp column",
            code="arrival_type",
        )
    return F.coalesce(column.cast("long"), F.lit(-(2**63)))


def _with_fields(routed: DataFrame, fields: list[pa.Field]) -> Any:
    from pyspark.sql.types import StructType

    return StructType([*routed.schema.fields, *spark_schema(pa.schema(fields)).fields])


# executors receive the nested functions below by value: the plan is a text, and modules are imported when they run


def _route(text: str, names: list[str]) -> ArrayFunction:
    def route(batches: Iterator[tuple[pa.Array, ...]]) -> Iterator[pa.Array]:
        try:
            from hoodoo.spark.worker_functions import route_batches
        except ImportError as error:
            raise RuntimeError(_MISSING.format(error=error)) from None
        yield from route_batches(text, names, batches)

    return route


def _look_up(text: str, splits: Splits) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def look_up(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from hoodoo.spark.worker_functions import look_up_batches

        yield from look_up_batches(text, splits, batches)

    return look_up


def _merge(text: str, splits: Splits) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def merge(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from hoodoo.spark.worker_functions import merge_batches

        yield from merge_batches(text, splits, batches)

    return merge


_MISSING = (
    "hoodoo-core cannot be imported on this executor ({error}); install the same version of hoodoo-core, and of the "
    "plugins that the table uses, wherever Spark runs Python"
)


def collect(df: DataFrame, tag: str, progress: Callable[[], None]) -> list[Any]:
    """Return the rows of a DataFrame, which another thread collects while this thread shows progress.

    An interrupt of this thread cancels the job, which has the tag.

    Raises:
        CommitError: An executor was lost, and Spark cannot compute the rows again in the same order.
        HoodooError: A task raised this error. Other errors of the job are those of Spark.
    """
    session = df.sparkSession
    result: list[Any] = []
    failure: list[BaseException] = []

    def work() -> None:
        try:
            add_tag(session, tag)
            result.extend(df.collect())
        except BaseException as error:  # noqa: BLE001 - the caller's thread raises it
            failure.append(error)

    thread = threading.Thread(target=inheriting(session, work), daemon=True)
    thread.start()
    try:
        while thread.is_alive():
            thread.join(POLL_SECONDS)
            progress()
    except BaseException:
        interrupt_tag(session, tag)
        thread.join()
        raise
    if failure:
        raise _user_error(failure[0]) from failure[0]
    return result


def _user_error(error: BaseException) -> BaseException:
    ours = transported_error(error)
    if ours is not None:
        return ours
    text = str(error)
    if "indeterminate" in text.lower():
        return CommitError(
            "an executor was lost, and the input cannot be computed again in the same order; "
            "write with arrival='content' or arrival='COLUMN', or persist the input first"
        )
    return error
