"""Functions for executors, which connect Spark's Arrow batches to the tasks of writes and reads.

The argument `text` is the plan of a write, in JSON.
"""

from __future__ import annotations

import functools
import gc
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hoodoo.bootstrap import BootstrapSource
from hoodoo.errors import StorageError
from hoodoo.local.stored_types import to_stored_types
from hoodoo.reading import SliceChanges, Split
from hoodoo.spark.scan.file_listing import Folders
from hoodoo.spark.spark_types import spark_arrow_schema
from hoodoo.spark.workers.row_chunks import as_list, in_pieces, number_of_pieces
from hoodoo.storage import Storage
from hoodoo.writing.arrow_memory import prefer_keeping, prefer_returning
from hoodoo.writing.data_files.task_attempt import WriteToken
from hoodoo.writing.error_transport import message_first, message_first_here, packed
from hoodoo.writing.routing.partition_moves import MERGED_ROW
from hoodoo.writing.routing.task_plan import TaskPlan
from hoodoo.writing.stages.stage_tasks import LookupTask, MergeTask, RouteTask
from hoodoo.writing.tasks.slice_compaction import CompactTask
from hoodoo.writing.tasks.stored_rows import Splits

__all__ = [
    "check_files",
    "compact_slices",
    "divisions",
    "look_up_batches",
    "merge_batches",
    "read_splits",
    "requested_rows",
    "route_batches",
    "rows_in_pieces",
    "source_rows",
]

_T = TypeVar("_T")
_STATUS = ["status", "body"]


def route_batches(text: str, names: list[str], batches: Iterable[tuple[pa.Array, ...]]) -> Iterator[pa.Array]:
    """Yield the routes of rows, one array for each batch of key columns."""
    tables = (_table(names, arrays) for arrays in batches)
    for routes in _run_single_threaded(lambda: RouteTask(_plan(text))(tables)):
        yield pa.array(routes)


def look_up_batches(text: str, splits: Splits, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield rows with the routes of their file groups, and with the columns that the look-up adds."""
    for table in _run_single_threaded(lambda: LookupTask(_plan(text), splits)(batches)):
        if MERGED_ROW in table.column_names:
            number = table.column_names.index(MERGED_ROW)
            own = spark_arrow_schema(pa.schema([table.schema.field(number)])).field(0)
            table = table.set_column(number, own, table.column(number).cast(own.type))
        yield from table.to_batches()


def merge_batches(text: str, splits: Splits, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Merge batches into files, and yield one row per file: its status, and its content if the driver stores it."""
    for status in _run_single_threaded(lambda: MergeTask(_plan(text), _token(), splits=splits)(batches)):
        body = None if status.returned is None else status.returned.body
        yield pa.RecordBatch.from_arrays([pa.array([status.to_json()]), pa.array([body], pa.binary())], _STATUS)


def compact_slices(tasks: Iterable[CompactTask]) -> Iterator[pa.RecordBatch]:
    """Compact file slices, and yield one status row per slice."""
    for status in _run_single_threaded(lambda: (task(_token()) for task in tasks), prefer_keeping):
        yield pa.RecordBatch.from_pydict({"status": [status.to_json()]})


def read_splits(splits: Iterable[Split]) -> Iterator[pa.RecordBatch]:
    """Yield the rows of splits in types that Spark accepts."""
    _limit_threads()
    prefer_keeping()
    for split in splits:
        schema = spark_arrow_schema(split.schema)
        for batch in split.read():
            yield batch if batch.schema.types == schema.types else batch.cast(schema)


def rows_in_pieces(splits: Sequence[Split], requests: Iterable[tuple[pa.Array, pa.Array]]) -> Iterator[pa.ListArray]:
    """Yield the rows of splits as lists of structs whose fields are named by position: one list per requested number.

    Args:
        splits: The splits, by number.
        requests: Batches of two columns: the number of a split, repeated once for each of its pieces in sequence; and
            the value of `divisions` for the split in its first row, null for splits without one.
    """
    return message_first(_in_pieces(splits, requests))


def _in_pieces(splits: Sequence[Split], requests: Iterable[tuple[pa.Array, pa.Array]]) -> Iterator[pa.ListArray]:
    rows = (row for numbers, division in requests for row in zip(numbers.to_pylist(), division, strict=True))
    for number, repeated in itertools.groupby(rows, key=lambda row: row[0]):
        first = next(repeated)
        split = splits[number]
        if (surviving := _surviving_records(first[1])) is not None:
            split = split.changed(surviving)
        pieces = number_of_pieces(split)
        stored = split.stored_rows() if pieces > 1 else 0
        found = in_pieces(read_splits([split]), spark_arrow_schema(split.schema), stored, pieces)
        for _, piece in zip(itertools.chain([first], repeated), found, strict=True):
            yield as_list(piece)


def source_rows(source: BootstrapSource, numbers: Iterable[int], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """Yield the rows of files to copy, by the numbers of the files, in the types that a table stores."""
    accepted = spark_arrow_schema(schema)

    def rows() -> Iterator[pa.RecordBatch]:
        for batch in source.rows(numbers):
            for stored in to_stored_types(pa.Table.from_batches([batch]), schema).to_batches():
                yield stored.cast(accepted)

    yield from _run_single_threaded(rows, prefer_keeping)


def requested_rows(splits: Sequence[Split], requests: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield the rows of splits as batches whose columns are named by position.

    Args:
        splits: The splits, by number.
        requests: Batches of two columns: the number of a split, and the value of `divisions` for the split or null.
    """
    return message_first(_batches_by_position(splits, requests))


def _batches_by_position(splits: Sequence[Split], requests: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for request in requests:
        for number, division in zip(request.column(0).to_pylist(), request.column(1), strict=True):
            surviving = _surviving_records(division)
            split = splits[number]
            for batch in read_splits([split if surviving is None else split.changed(surviving)]):
                yield pa.RecordBatch.from_arrays(batch.columns, [str(place) for place in range(batch.num_columns)])


def divisions(splits: Iterable[Split]) -> pa.Array:
    """Return the deletion vectors of divisible splits: one or two bitmaps each, as lists of int64, lowest bit first.

    The first bitmap has a bit for each row of the base file: whether the logs change or remove the row. The second has
    a bit for each key of the logs: whether the record of the key is a result row without changes. The second bitmap is
    absent if there are other changed rows.
    """
    _limit_threads()
    prefer_keeping()
    found = message_first(_bitmaps(split.divided()) for split in splits)
    return pa.array(list(found), pa.list_(pa.list_(pa.int64())))


def _bitmaps(changes: SliceChanges) -> list[NDArray[np.int64]]:
    return [_words(bits) for bits in (changes.deletion_vector, changes.surviving) if bits is not None]


def _surviving_records(bitmaps: pa.ListScalar) -> NDArray[np.bool_] | None:
    if not bitmaps.is_valid or len(bitmaps) < 2:
        return None
    words = bitmaps[1].values.to_numpy(zero_copy_only=False)
    return np.unpackbits(words.view(np.uint8), bitorder="little").view(np.bool_)


def _words(bits: NDArray[np.bool_]) -> NDArray[np.int64]:
    padded = np.concatenate([bits, np.zeros(-len(bits) % 64, dtype=bool)])
    return np.packbits(padded, bitorder="little").view("<i8")


def check_files(
    storage: Storage, folders: Folders, others: frozenset[str], batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """Yield nothing. For each batch, check that the files of folders have not changed since the query was planned.

    Raises:
        CorruptTableError: A file of the query is missing.
        StorageError: A new file has a name that the query's name pattern may not exclude.
    """
    with message_first_here():
        for _ in batches:
            added = folders.others(storage) - others
            if added:
                text = f"file '{min(added)}' was added after the query was planned; read again"
                raise StorageError(text, code="changed")
    yield from ()


@functools.lru_cache(maxsize=4)
def _plan(text: str) -> TaskPlan:
    return TaskPlan.from_json(text)


def _token() -> WriteToken:
    from pyspark import TaskContext

    context = TaskContext.get()
    if context is None:
        raise RuntimeError("there is no active Spark task; call this function only in a task of Spark")
    return WriteToken(context.partitionId())


def _run_single_threaded(
    work: Callable[[], Iterator[_T]], memory: Callable[[], None] = prefer_returning
) -> Iterator[_T]:
    """Run `work` with one thread of pyarrow, and send its errors in a form that the driver can decode."""
    _limit_threads()
    memory()
    return packed(work)


def _limit_threads() -> None:
    """Limit pyarrow to one thread, because Spark already runs one worker per core."""
    pa.set_cpu_count(1)
    pa.set_io_thread_count(1)
    _freeze_imports()


@functools.cache
def _freeze_imports() -> None:
    """Exempt imported modules from garbage collection, once per process.

    Spark's daemon collects garbage after each task of a worker, and a scan of all modules takes longer than a small
    task.
    """
    gc.freeze()


def _table(names: list[str], arrays: tuple[pa.Array, ...] | pa.Array) -> pa.Table:
    if isinstance(arrays, pa.Array):  # Spark passes a single column without a tuple
        arrays = (arrays,)
    return pa.table(dict(zip(names or ["_"], arrays, strict=True)))
