"""Exchange of rows in segments sorted by route (see `shuffle_route`): each task gets the rows of its routes."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
from attrs import define, field, frozen
from numpy.typing import NDArray

from hoodoo.local.spilled_tables import spilled
from hoodoo.schema.columns import one_array
from hoodoo.writing.routing.shuffle_route import bin_of
from hoodoo.writing.tasks.incoming_rows import ARRIVAL, ROUTE

__all__ = ["Share", "Shuffle"]

PIECE_BYTES = 128 * 1024 * 1024
"""Size in bytes of the pieces into which the rows of one route are divided, if the operation permits that."""

Ints = NDArray[np.int64]


@frozen
class _Segment:
    """Rows sorted by route and arrival.

    Attributes:
        rows: The rows, each column in one chunk.
        routes: The routes that occur, in ascending order.
        starts: The position of the first row of each route, followed by the number of all rows.
    """

    rows: pa.Table
    routes: Ints
    starts: Ints

    @classmethod
    def of(cls, rows: pa.Table) -> _Segment:
        routes = one_array(rows.column(ROUTE)).to_numpy()
        arrivals = one_array(rows.column(ARRIVAL)).to_numpy()
        order = np.lexsort((arrivals, routes))
        rows, routes = rows.combine_chunks().take(pa.array(order)), routes[order]
        starts = np.flatnonzero(np.diff(routes, prepend=-1))
        return cls(rows, routes[starts], np.append(starts, len(routes)))


@frozen
class Share:
    """Rows that one task receives, in order of their routes.

    Attributes:
        task: The number of the task.
        rows: The number of rows.
    """

    task: int
    rows: int
    _parts: list[tuple[pa.Table, int, int]] = field(repr=False)

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield the rows in record batches, in order of their routes."""
        for table, start, end in self._parts:
            yield from table.slice(start, end - start).to_batches()


@define
class Shuffle:
    """Exchange of rows between tasks: several threads add rows, and the rows are distributed afterwards.

    Attributes:
        folder: Folder for rows that exceed `memory`.
        memory: Bytes of rows to keep in memory.
    """

    folder: Path
    memory: int
    _segments: dict[tuple[int, int], _Segment] = field(init=False, factory=dict, repr=False)
    _in_memory: dict[tuple[int, int], int] = field(init=False, factory=dict, repr=False)
    _lock: threading.Lock = field(init=False, factory=threading.Lock, repr=False)

    def add(self, place: tuple[int, int], rows: pa.Table) -> None:
        """Add rows.

        Args:
            place: A unique position of these rows: a share has the rows of one route in the order of their positions.
            rows: The rows, with the columns `ROUTE` and `ARRIVAL`.

        Raises:
            StorageError: The rows exceed the memory, and cannot be written to the temporary folder.
        """
        if not rows.num_rows:
            return
        segment = _Segment.of(rows)
        with self._lock:
            self._segments[place] = segment
            self._in_memory[place] = segment.rows.nbytes
            if sum(self._in_memory.values()) > self.memory:
                self._spill()

    def _spill(self) -> None:
        places = list(self._in_memory)
        path = self.folder / f"{len(self._segments)}.arrows"
        for place, rows in zip(places, spilled(path, [self._segments[at].rows for at in places]), strict=True):
            known = self._segments[place]
            self._segments[place] = _Segment(rows, known.routes, known.starts)
        self._in_memory.clear()

    def shares(self) -> list[Share]:
        """Return the share of each task that has rows, those with the most rows first."""
        routes, parts = self._parts()
        bins = bin_of(routes)
        edges = [0, *(np.flatnonzero(np.diff(bins)) + 1).tolist(), len(bins)]
        shares = [_share(int(bins[start]), parts[start:end]) for start, end in itertools.pairwise(edges) if start < end]
        return sorted(shares, key=lambda share: -share.rows)

    def balanced_shares(self, tasks: int, *, divides_routes: bool) -> list[Share]:
        """Return shares of about equal size, for tasks whose work is proportional to the rows.

        Args:
            tasks: Number of tasks that can run at once.
            divides_routes: Whether several tasks may share the rows of a route that has more than `PIECE_BYTES` bytes.
        """
        routes, parts = self._parts()
        sizes = np.array([_bytes(part) for part in parts])
        whole = max(PIECE_BYTES // 8, min(PIECE_BYTES, int(sizes.sum()) // tasks))
        shares: list[list[tuple[pa.Table, int, int]]] = []
        room = 0
        edges = [0, *(np.flatnonzero(np.diff(routes)) + 1).tolist(), len(routes)]
        for start, end in itertools.pairwise(edges):
            size = int(sizes[start:end].sum())
            pieces = -(-size // PIECE_BYTES) if divides_routes else 1
            for piece in np.array_split(np.arange(start, end), max(1, pieces)):
                if not len(piece):
                    continue
                if not shares or size // max(1, pieces) > room:
                    shares.append([])
                    room = whole
                shares[-1] += parts[int(piece[0]) : int(piece[-1]) + 1]
                room -= size // max(1, pieces)
        return [_share(number, found) for number, found in enumerate(shares)]

    def _parts(self) -> tuple[Ints, list[tuple[pa.Table, int, int]]]:
        """Return the parts of segments with one route each, in order of routes and places, and their routes."""
        segments = [self._segments[place] for place in sorted(self._segments)]
        numbers = np.repeat(np.arange(len(segments)), [len(segment.routes) for segment in segments])
        none = [np.empty(0, dtype=np.int64)]
        routes = np.concatenate([*none, *(segment.routes for segment in segments)])
        starts = np.concatenate([*none, *(segment.starts[:-1] for segment in segments)])
        ends = np.concatenate([*none, *(segment.starts[1:] for segment in segments)])
        order = np.lexsort((numbers, routes))
        found = zip(numbers[order].tolist(), starts[order].tolist(), ends[order].tolist(), strict=True)
        return routes[order], [(segments[number].rows, start, end) for number, start, end in found]


def _share(task: int, parts: list[tuple[pa.Table, int, int]]) -> Share:
    return Share(task, sum(end - start for _, start, end in parts), parts)


def _bytes(part: tuple[pa.Table, int, int]) -> int:
    table, start, end = part
    size: int = table.slice(start, end - start).nbytes
    return size
