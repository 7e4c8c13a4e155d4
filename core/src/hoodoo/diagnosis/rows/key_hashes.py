"""Hashes of all record keys of a table, to find repeated keys with bounded memory.

A hash needs 16 bytes with its partition and its file slice. Beyond a number of rows the hashes are distributed over
temporary files by their first bits, and each file is examined alone. The files are on this machine, never in the table.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
from attrs import define, field, frozen
from numpy.typing import NDArray

__all__ = ["HashCollection", "Hashes", "Repeated", "hashes_of"]

_ENTRY = np.dtype([("hash", np.uint64), ("partition", np.uint32), ("source", np.uint32)])
_BITS = 7
_MOST_IN_MEMORY = 4_000_000

Hashes = NDArray[np.uint64]
Numbers = NDArray[np.uint32]


def hashes_of(keys: pa.Array) -> Hashes:
    """Return a hash of 64 bits for each key; equal keys have equal hashes in one process."""
    hashes: Hashes = pl.Series(values=pl.from_arrow(keys)).hash().to_numpy()
    return hashes


@frozen
class Repeated:
    """Hashes that occur several times.

    Attributes:
        within: The number of rows whose hash occurs in an earlier row of the same partition. The first row of each hash
            is not counted.
        across: The number of hashes that occur in several partitions.
        hashes_within: Hashes that occur several times in a partition, at most `limit` of `HashCollection.repeated`.
        hashes_across: Hashes that occur in several partitions, at most the same `limit`.
        sources: The numbers of the file slices that contain the hashes in `hashes_within` and `hashes_across`.
    """

    within: int
    across: int
    hashes_within: Hashes
    hashes_across: Hashes
    sources: frozenset[int]


@define
class HashCollection:
    """Collection of the hashes of keys: a context manager, which deletes its temporary files at the end.

    Attributes:
        most_in_memory: The number of hashes at which they are moved to temporary files.
    """

    most_in_memory: int = _MOST_IN_MEMORY
    _parts: list[NDArray[np.void]] = field(init=False, factory=list)
    _rows: int = field(init=False, default=0)
    _folder: tempfile.TemporaryDirectory[str] | None = field(init=False, default=None)

    def __enter__(self) -> HashCollection:
        return self

    def __exit__(self, *_: object) -> None:
        if self._folder is not None:
            self._folder.cleanup()

    @property
    def uses_files(self) -> bool:
        """Return whether hashes are in temporary files."""
        return self._folder is not None

    def add(self, keys: pa.Array, partition: int, source: int) -> None:
        """Add the hashes of record keys; `partition` and `source` are the numbers of their partition and file slice."""
        part = np.empty(len(keys), dtype=_ENTRY)
        part["hash"], part["partition"], part["source"] = hashes_of(keys), partition, source
        self._parts.append(part)
        self._rows += len(part)
        if self._rows >= self.most_in_memory:
            self._spill()

    def repeated(self, limit: int) -> Repeated:
        """Return the hashes that occur several times, at most `limit` of each kind, with the total numbers."""
        within = across = 0
        first_within: list[Hashes] = []
        first_across: list[Hashes] = []
        sources: set[int] = set()
        for part in self._buckets():
            found = _repeated_in(part)
            within, across = within + found.within, across + found.across
            taken = []
            for kept, hashes in ((first_within, found.hashes_within), (first_across, found.hashes_across)):
                room = limit - sum(map(len, kept))
                kept.append(hashes[: max(0, room)])
                taken.append(kept[-1])
            chosen = np.isin(part["hash"], np.concatenate(taken))
            sources.update(np.unique(part["source"][chosen]).tolist())
        empty = np.empty(0, dtype=np.uint64)
        return Repeated(
            within,
            across,
            np.concatenate([empty, *first_within]),
            np.concatenate([empty, *first_across]),
            frozenset(sources),
        )

    def _spill(self) -> None:
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="hoodoo-doctor-")
        entries = np.concatenate(self._parts)
        buckets = (entries["hash"] >> np.uint64(64 - _BITS)).astype(np.int64)
        order = np.argsort(buckets, kind="stable")
        ends = np.searchsorted(buckets[order], np.arange(1 << _BITS), side="right")
        start = 0
        for bucket, end in enumerate(ends.tolist()):
            if end > start:
                with self._path(bucket).open("ab") as file:
                    entries[order[start:end]].tofile(file)
            start = end
        self._parts, self._rows = [], 0

    def _buckets(self) -> Iterator[NDArray[np.void]]:
        if self._folder is None:
            yield np.concatenate([np.empty(0, dtype=_ENTRY), *self._parts])
            return
        if self._parts:
            self._spill()
        for bucket in range(1 << _BITS):
            if self._path(bucket).exists():
                yield np.fromfile(self._path(bucket), dtype=_ENTRY)

    def _path(self, bucket: int) -> Path:
        if self._folder is None:
            raise AssertionError("there are no temporary files")
        return Path(self._folder.name, f"{bucket:03d}")


def _repeated_in(entries: NDArray[np.void]) -> Repeated:
    order = np.lexsort((entries["partition"], entries["hash"]))
    hashes, partitions = entries["hash"][order], entries["partition"][order]
    same_hash = hashes[1:] == hashes[:-1]
    same_partition = partitions[1:] == partitions[:-1]
    within, across = same_hash & same_partition, same_hash & ~same_partition
    across_hashes = np.unique(hashes[1:][across])
    return Repeated(int(within.sum()), len(across_hashes), np.unique(hashes[1:][within]), across_hashes, frozenset())
