"""What executors call: tasks between Spark's Arrow batches and the write's own. No Spark session here."""

from __future__ import annotations

import functools
import gc
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

import numpy as np
import pyarrow as pa
from attrs import evolve
from numpy.typing import NDArray

from hoodoo.errors import StorageError
from hoodoo.reading import SliceChanges, Split
from hoodoo.spark.scan.file_listing import Folders
from hoodoo.spark.spark_types import sparks_own
from hoodoo.spark.workers.row_chunks import as_list, in_pieces, number_of_pieces
from hoodoo.storage import LocalStorage
from hoodoo.writing.arrow_memory import prefer_keeping, prefer_returning
from hoodoo.writing.error_transport import packed
from hoodoo.writing.routing.partition_moves import MERGED
from hoodoo.writing.routing.task_plan import TaskPlan
from hoodoo.writing.tasks.base_file import WriteToken
from hoodoo.writing.tasks.slice_compaction import CompactTask
from hoodoo.writing.tasks.stages import MergeTask, RouteTask, TagTask

__all__ = [
    "check_files",
    "compact_slices",
    "divisions",
    "merge_batches",
    "read_splits",
    "route_batches",
    "rows_in_pieces",
    "tag_batches",
]

_T = TypeVar("_T")


def route_batches(
    text: str, names: list[str], shared: bool, batches: Iterable[tuple[pa.Array, ...]]
) -> Iterator[pa.Array]:
    """Routes of batches of key columns."""
    tables = (_table(names, arrays) for arrays in batches)
    for routes in _alone(lambda: RouteTask(_plan(text), shared)(tables)):
        yield pa.array(routes)


def tag_batches(
    text: str, splits: Mapping[tuple[str, str], Split], batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """Rows with the slots of their file groups."""
    for table in _alone(lambda: TagTask(evolve(_plan(text), splits=splits), _token())(batches)):
        if MERGED in table.column_names:
            number = table.column_names.index(MERGED)
            own = sparks_own(pa.schema([table.schema.field(number)])).field(0)
            table = table.set_column(number, own, table.column(number).cast(own.type))
        yield from table.to_batches()


def merge_batches(text: str, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """One status row per file."""
    for status in _alone(lambda: MergeTask(_plan(text), _token())(batches)):
        yield pa.RecordBatch.from_pydict({"status": [status.to_json()]})


def compact_slices(tasks: Iterable[CompactTask]) -> Iterator[pa.RecordBatch]:
    """One status row per file slice."""
    for status in _alone(lambda: (task(_token()) for task in tasks), prefer_keeping):
        yield pa.RecordBatch.from_pydict({"status": [status.to_json()]})


def read_splits(splits: Iterable[Split]) -> Iterator[pa.RecordBatch]:
    """The rows of splits, in types that Spark takes. Errors reach the user as they are: no driver of ours waits."""
    _one_thread()
    prefer_keeping()
    for split in splits:
        schema = sparks_own(split.schema)
        for batch in split.read():
            yield batch if batch.schema.types == schema.types else batch.cast(schema)


def rows_in_pieces(splits: Sequence[Split], asked: Iterable[tuple[pa.Array, pa.Array]]) -> Iterator[pa.ListArray]:
    """The rows of splits as lists of structs, whose fields are named by their place: a list per number that comes in.

    Args:
        splits: The splits.
        asked: Numbers of splits, each as often as its rows come in pieces, one after the other; and what `divisions`
            says of each that is told so, with the first of its numbers.
    """
    rows = (row for numbers, standing in asked for row in zip(numbers.to_pylist(), standing, strict=True))
    for number, repeated in itertools.groupby(rows, key=lambda row: row[0]):
        first = next(repeated)
        split = splits[number]
        if (told := _standing(first[1])) is not None:
            split = split.changed(told)
        pieces = number_of_pieces(split)
        stored = split.stored_rows() if pieces > 1 else 0
        found = in_pieces(read_splits([split]), sparks_own(split.schema), stored, pieces)
        for _, piece in zip(itertools.chain([first], repeated), found, strict=True):
            yield as_list(piece)


def divisions(splits: Iterable[Split]) -> pa.Array:
    """What became of divisible splits: lists of one or two lists of int64, bits of which the lowest is the first.

    The first has a bit for each row of the base file, whether it is deleted. The second has one for each record of the
    logs, whether it is a row as it is; it is missing where there are rows of another kind.
    """
    _one_thread()
    prefer_keeping()
    return pa.array([_told(split.divided()) for split in splits], pa.list_(pa.list_(pa.int64())))


def _told(changes: SliceChanges) -> list[NDArray[np.int64]]:
    return [_words(bits) for bits in (changes.deletion_vector, changes.surviving) if bits is not None]


def _standing(told: pa.ListScalar) -> NDArray[np.bool_] | None:
    if not told.is_valid or len(told) < 2:
        return None
    words = told[1].values.to_numpy(zero_copy_only=False)
    return np.unpackbits(words.view(np.uint8), bitorder="little").view(np.bool_)


def _words(bits: NDArray[np.bool_]) -> NDArray[np.int64]:
    padded = np.concatenate([bits, np.zeros(-len(bits) % 64, dtype=bool)])
    return np.packbits(padded, bitorder="little").view("<i8")


def check_files(storage: LocalStorage, folders: Folders, others: frozenset[str]) -> None:
    """Compare what is in folders with what was there when the query was planned.

    Raises:
        CorruptTableError: a file that is to be read is gone.
        StorageError: another one came that cannot be told from those by its name.
    """
    came = folders.others(storage) - others
    if came:
        raise StorageError(f"file '{min(came)}' came while the query was made; read the table anew", code="changed")


@functools.lru_cache(maxsize=4)
def _plan(text: str) -> TaskPlan:
    return TaskPlan.from_json(text)


def _token() -> WriteToken:
    from pyspark import TaskContext

    context = TaskContext.get()
    if context is None:
        raise RuntimeError("a merge task runs inside a Spark task")
    return WriteToken(context.partitionId())


def _alone(work: Callable[[], Iterator[_T]], memory: Callable[[], None] = prefer_returning) -> Iterator[_T]:
    """Work in one thread whose errors the driver can read back."""
    _one_thread()
    memory()
    return packed(work)


def _one_thread() -> None:
    """One thread for pyarrow: Spark runs a worker per core already."""
    pa.set_cpu_count(1)
    pa.set_io_thread_count(1)
    _keep_imports()


@functools.cache
def _keep_imports() -> None:
    """Exempt what is imported from garbage collection, once per process.

    Spark's daemon collects after each task of a worker, and looking through all modules takes longer than a small task.
    """
    gc.freeze()


def _table(names: list[str], arrays: tuple[pa.Array, ...] | pa.Array) -> pa.Table:
    if isinstance(arrays, pa.Array):  # Spark hands a single column over bare
        arrays = (arrays,)
    return pa.table(dict(zip(names or ["_"], arrays, strict=True)))
