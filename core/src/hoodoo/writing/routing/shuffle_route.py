"""Routes of rows to tasks: each file group belongs to one bin, and bins are balanced by bytes to rewrite."""

from __future__ import annotations

import heapq
import zlib
from collections.abc import Mapping
from typing import TypeVar

import numpy as np
import pyarrow as pa
from attrs import frozen
from numpy.typing import NDArray

from hoodoo.writing.routing.task_plan import TaskPlan

__all__ = ["NEW_SLOT", "PACKED", "Router", "bin_of", "ordinal_of", "pack_bins", "pack_route"]

NEW_SLOT = 1 << 20
"""The first slot of file groups that do not exist yet and are not buckets."""

PACKED = 1 << 30
"""Bit in a slot that is chosen for a new key by size. A small file is then rewritten even if changes go to logs."""

_UNKNOWN_ORDINALS = 1 << 20


@frozen
class Router:
    """Routes of file groups: a bin (the task) and an ordinal (the position in the order of the task).

    Each stored group has its own ordinal. New groups share ordinals by hash, so that rows of several groups may have
    the same ordinal.

    Attributes:
        known: Bin and ordinal of each stored group, by partition path and slot; or of each partition, with slot 0.
        bins: The number of tasks.
    """

    known: Mapping[tuple[str, int], tuple[int, int]]
    bins: int

    @classmethod
    def of_groups(cls, plan: TaskPlan) -> Router:
        """Return a router with one route per stored file slice."""
        groups = {(partition, slot): ref for partition, slots in plan.slices.items() for slot, ref in slots.items()}
        return cls._packed({group: ref.size for group, ref in groups.items()}, plan.distribution.bins)

    @classmethod
    def of_partitions(cls, plan: TaskPlan) -> Router:
        """Return a router with one route per stored partition: a task has all file groups of a partition."""
        return cls._packed(
            {(partition, 0): sum(ref.size for ref in slots.values()) for partition, slots in plan.slices.items()},
            plan.distribution.bins,
        )

    @classmethod
    def _packed(cls, weights: Mapping[tuple[str, int], int], bins: int) -> Router:
        packed = pack_bins(list(weights.values()), bins)
        return cls({group: (packed[ordinal], ordinal) for ordinal, group in enumerate(weights)}, bins)

    def route(self, partition: str, slot: int) -> int:
        """Return the route of one file group."""
        found = self.known.get((partition, slot))
        if found is not None:
            return pack_route(*found)
        spread = zlib.crc32(partition.encode()) + slot
        return pack_route(spread % self.bins, len(self.known) + spread % _UNKNOWN_ORDINALS)

    def routes(self, partitions: pa.Array, slots: NDArray[np.int32]) -> NDArray[np.int64]:
        """Return the routes of n rows, by partition path and slot."""
        encoded = partitions.dictionary_encode()
        codes = encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
        width = int(slots.max(initial=0)) + 1
        pairs, inverse = np.unique(codes * width + slots, return_inverse=True)
        names = encoded.dictionary.to_pylist()
        routes = np.array(
            [self.route(names[pair // width], int(pair % width)) for pair in pairs.tolist()], dtype=np.int64
        )
        return routes[inverse] if len(pairs) else np.empty(0, dtype=np.int64)


def pack_bins(weights: list[int], bins: int) -> list[int]:
    """Return a bin for each weight: the heaviest weights are assigned first, each to the lightest bin."""
    result = [0] * len(weights)
    loads = [(0, number) for number in range(bins)]
    for index in sorted(range(len(weights)), key=lambda i: -weights[i]):
        load, number = heapq.heappop(loads)
        result[index] = number
        heapq.heappush(loads, (load + max(weights[index], 1), number))
    return result


_Number = TypeVar("_Number", int, NDArray[np.int64])


def pack_route(bin_: _Number, ordinal: _Number) -> _Number:
    """Return bin and ordinal as one integer, so that one column and one sort key are sufficient."""
    return bin_ << 32 | ordinal


def bin_of(route: _Number) -> _Number:
    """Return the bin of a route."""
    return route >> 32


def ordinal_of(route: _Number) -> _Number:
    """Return the ordinal of a route."""
    return route & 0xFFFFFFFF
