"""`hoodoo.foreach_batch`: the micro-batches of a streaming query, each committed exactly once.

Spark repeats a micro-batch if the driver fails after the batch was written and before the checkpoint was updated. The
repeated batch has the same number, and a query keeps its id as long as its checkpoint exists. The id and the number are
therefore the `write_id` of the batch: the repeated batch finds its commit, and writes nothing.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from attrs import define, field

from hoodoo.errors import HoodooError, OptionError
from hoodoo.options import WriteOptions, parse
from hoodoo.spark.session_conf import is_connect
from hoodoo.spark.write.writer import write
from hoodoo.writing.error_transport import message_first_here, raised_after_message
from hoodoo.writing.prepare.prepare import GROUPS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["foreach_batch"]

_QUERY_ID = "sql.streaming.queryId"
"""Key of the id of the query among the local properties of the thread in which Spark runs a micro-batch."""


def foreach_batch(
    path: str | os.PathLike[str], options: Mapping[str, Any], mode: str = "append", *, query_name: str | None = None
) -> Callable[[DataFrame, int], None]:
    """Return a function for `df.writeStream.foreachBatch`, which writes each micro-batch to a table exactly once.

    The query needs a `checkpointLocation` that outlives the driver. A query with a new checkpoint is another query: its
    batches are written even if an earlier query wrote them.

    Args:
        path: The root folder of the table; the first batch creates the table if it does not exist.
        options: The options of `hoodoo.write`, without `write_id`.
        mode: `append`, or `overwrite` for an output mode `complete`, whose batches are the whole result.
        query_name: The name of the query (`queryName`). It is needed over Spark Connect if the session runs several
            queries, because the function cannot identify its query otherwise.

    Raises:
        OptionError: An option or the mode is invalid, the options have a `write_id`, or the operation is `bootstrap`.
        UnknownOption: An option does not exist.
    """
    if any(str(key).lower() == "write_id" for key in options):
        raise OptionError(
            "option 'write_id' names one write, and a streaming query sets a different write_id for each micro-batch; "
            "remove the option"
        )
    if str(mode).lower() not in ("append", "overwrite"):
        raise OptionError(f"mode is '{mode}'; use append or overwrite for a streaming query")
    if parse(options, GROUPS)[WriteOptions].operation == "bootstrap":
        raise OptionError(
            "operation 'bootstrap' copies existing files once, and a streaming query writes the rows of its batches; "
            "run the bootstrap before the query by hoodoo.write, and give the query another operation"
        )
    return BatchWriter(os.fspath(path), dict(options), mode.lower(), query_name)


@define
class BatchWriter:
    """Function that writes micro-batches.

    Attributes:
        path: The root folder of the table.
        options: The options of each write.
        mode: The mode of each write: `append` or `overwrite`.
        query_name: The name of the query; None if none was passed.
        root: The session in which the query was started, which alone lists the query. Only the server of Spark Connect
            sets it; None otherwise.
    """

    path: str
    options: dict[str, Any]
    mode: str
    query_name: str | None
    root: SparkSession | None = field(default=None, repr=False, eq=False)

    def __call__(self, df: DataFrame, batch_id: int) -> None:
        """Write a micro-batch, unless it is committed already."""
        # Spark formats the traceback, and the user sees that text as the error of the query
        if is_connect(df.sparkSession):
            with message_first_here():  # the function runs in a worker
                self._write(df, batch_id)
            return
        try:
            self._write(df, batch_id)
        except HoodooError as error:
            raised_after_message(error)

    def _write(self, df: DataFrame, batch_id: int) -> None:
        query_id = _query_id(df.sparkSession, self.root, self.query_name)
        write(df, self.path, {**self.options, "write_id": f"{query_id}/{batch_id}"}, self.mode)

    def __reduce__(self) -> tuple[Any, ...]:
        """Return the pickled form, for the server of Spark Connect, where the function runs in a separate process."""
        return _on_server, (self.path, self.options, self.mode, self.query_name)


def _on_server(path: str, options: dict[str, Any], mode: str, query_name: str | None) -> BatchWriter:
    """Return the function with the session of the query, which is active when the server loads the function.

    Micro-batches have copies of this session, and a copy does not list the queries of the original.
    """
    from pyspark.sql import SparkSession

    return BatchWriter(path, options, mode, query_name, SparkSession.getActiveSession())


def _query_id(spark: SparkSession, root: SparkSession | None, name: str | None) -> str:
    """Return the id of the query whose micro-batch is written. A restart from the checkpoint keeps the id.

    Raises:
        OptionError: The function is not called by a streaming query, or the query cannot be identified.
    """
    if not is_connect(spark):
        # the DataFrame API has no function for it; see `ALLOWED` in tests/repository/architecture/test_imports.py
        found: str | None = spark.sparkContext.getLocalProperty(_QUERY_ID)
        if found is None:
            raise OptionError(
                "the function of hoodoo.foreach_batch was not called by a streaming query; pass it to "
                "writeStream.foreachBatch, and use hoodoo.write for other DataFrames"
            )
        return found
    active = (root or spark).streams.active
    queries = [query for query in active if name is None or query.name == name]
    if len(queries) != 1:
        names = ", ".join(sorted(f"'{query.name}'" for query in active if query.name)) or "-"
        given = "" if name is None else f", {len(queries)} of them with the name '{name}'"
        raise OptionError(
            f"the query of a micro-batch cannot be identified: its session has {len(active)} streaming "
            f"{'query' if len(active) == 1 else 'queries'}{given} (names: {names}); name the query by "
            "writeStream.queryName(NAME), and pass query_name=NAME to hoodoo.foreach_batch"
        )
    return str(queries[0].id)
