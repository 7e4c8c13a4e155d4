"""Shards of a partition of the metadata table: the current file slice of each of its file groups."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pyarrow as pa
from attrs import define, field
from msgspec import Struct
from numpy.typing import NDArray

from hoodoo.archived_timeline import Archive
from hoodoo.errors import CorruptTableError
from hoodoo.filegroup import LogFile
from hoodoo.format.file_names import LogFileName
from hoodoo.keys.java_hash import Utf8Strings
from hoodoo.metadata_table.instants import VisibleInstants
from hoodoo.metadata_table.partition_kind import file_id_prefix, shard_number
from hoodoo.storage import FileInfo, Storage, join, name_of

__all__ = ["Shard", "check_complete", "shard_of_keys", "shards"]

_BASE_EXTENSION = ".hfile"


class Shard(Struct, frozen=True):
    """Current file slice of a file group.

    Attributes:
        file_id: Id of the file group.
        group: Group in a partitioned record index, see `record_groups.group_of`; "" otherwise.
        number: Number of the file group in its partition or group, from 0.
        base: The base file; None if there are only logs.
        base_instant: The instant of the base file; "" without one.
        logs: The logs in the order of reading.
    """

    file_id: str
    group: str
    number: int
    base: FileInfo | None
    base_instant: str
    logs: tuple[LogFile, ...]

    @property
    def size(self) -> int:
        """Return the size of all files in bytes."""
        return (self.base.size if self.base else 0) + sum(log.size for log in self.logs)


@define
class _Files:
    """Files of one file group: base files by instant, and logs."""

    bases: dict[str, FileInfo] = field(factory=dict)
    logs: list[LogFile] = field(factory=list)


def shards(storage: Storage, folder: str, partition: str, visible: VisibleInstants) -> list[Shard]:
    """Return the shards of a partition, in the order of their groups and numbers.

    Args:
        storage: The table's files.
        folder: Table-relative folder of the metadata table.
        partition: Name of the partition.
        visible: The instants whose changes are visible. In layout 1, logs of other instants are included too, because
            the name of a log has the instant of the slice.
    """
    timeline = visible.metadata
    found: dict[str, _Files] = {}
    for info in storage.list(join(folder, partition)):
        name = name_of(info.path)
        if name.endswith(_BASE_EXTENSION) and not name.startswith("."):
            parts = name.removesuffix(_BASE_EXTENSION).split("_")
            # base files come from a compaction or from the first commit, which no instant of the table accompanies
            if len(parts) == 3 and timeline.is_visible(parts[2]):
                bases = found.setdefault(parts[0], _Files()).bases
                if parts[2] not in bases or bases[parts[2]].path < info.path:
                    bases[parts[2]] = info
            continue
        log = LogFileName.parse(name)
        if log is not None and (timeline.layout == 1 or visible.has(log.instant)):
            file = LogFile(info.path, info.size, log.instant, log.version, log.write_token)
            found.setdefault(log.file_id, _Files()).logs.append(file)
    archive = Archive(timeline)
    made = []
    for file_id, files in found.items():
        numbered = shard_number(partition, file_id)
        if numbered is not None:
            base = max(files.bases, default="")
            logs = tuple(
                log
                for log in sorted(files.logs, key=lambda log: log.order)
                if _is_since(log, base, files.bases, timeline.layout, archive, visible)
            )
            made.append(Shard(file_id, *numbered, files.bases.get(base), base, logs))
    return sorted(made, key=lambda shard: (shard.group, shard.number))


def _is_since(
    log: LogFile,
    base: str,
    bases: Mapping[str, FileInfo],
    layout: int,
    archive: Archive,
    visible: VisibleInstants,
) -> bool:
    """Return whether a log belongs to the slice of the latest base file; True without a base file."""
    if layout == 1:
        # the name has the instant of the slice
        return log.instant >= base
    timeline = visible.metadata
    known = timeline if timeline.has_commit(log.instant) else archive
    completed = known.completion_time_of(log.instant) or log.instant
    begins = sorted(bases)
    place = bisect_right(begins, completed)
    return not begins or (place > 0 and begins[place - 1] == base)


def check_complete(found: Sequence[Shard], folder: str, partition: str) -> None:
    """Check that the shards of a partition, or of each group in it, are numbered from 0 without a gap.

    Raises:
        CorruptTableError: There are no shards, or one is missing, so that keys would not be found.
    """
    path = join(folder, partition)
    groups: dict[str, list[int]] = {}
    for shard in found:
        groups.setdefault(shard.group, []).append(shard.number)
    if not groups:
        raise CorruptTableError(f"'{path}' has no file groups; {_REBUILD}", file=path)
    for group, numbers in groups.items():
        missing = sorted(set(range(max(numbers) + 1)) - set(numbers))
        if missing:
            prefix = file_id_prefix(partition) + (f"{group}-" if group else "")
            raise CorruptTableError(
                f"file group '{prefix}{missing[0]:04}-0' of '{path}' is missing; {_REBUILD}", file=path
            )


_REBUILD = "restore it, or remove the metadata table and create it again"


def shard_of_keys(keys: Iterable[str] | pa.Array, count: int) -> NDArray[np.int64]:
    """Return the number of the shard of each key: Hudi's hash of the key modulo the number of shards.

    Args:
        keys: The keys; an array is `large_string`.
        count: The number of shards.
    """
    strings = Utf8Strings.of(keys if isinstance(keys, pa.Array) else pa.array(keys, pa.large_string()))
    hashes = strings.hashes(strings.bounds[:-1], strings.bounds[1:]).view(np.int32)
    # as in Java, the absolute value of the smallest number is the number itself, and its remainder is negative
    return np.abs(np.fmod(np.abs(hashes), count).astype(np.int64))
