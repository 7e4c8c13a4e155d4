"""Storage of a table that uses the list of files of the metadata table, if the metadata table is current."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cached_property
from typing import TypeVar

from attrs import field, frozen

from hoodoo.caller import warn_caller
from hoodoo.errors import CorruptTableError, UnsupportedTable
from hoodoo.metadata_table import MetadataTable, PartitionKind
from hoodoo.metadata_table.missing_commits import missing_commits
from hoodoo.options import NoEffectWarning
from hoodoo.properties import TableProperties
from hoodoo.storage import CachedListingStorage, FileInfo, Storage
from hoodoo.timeline import Timeline

__all__ = ["IndexedStorage", "by_metadata", "missing_file"]

_T = TypeVar("_T")
_UNKNOWN_TIME = 0
_NAMED = "named_by_metadata"
"""Error code for a file that exists only in the metadata table.

Listing folders would hide that its rows are missing.
"""


@frozen
class IndexedStorage(CachedListingStorage):
    """Storage whose list of all files is that of the metadata table; folders are not listed.

    The modification times of the files are unknown, and 0.

    Attributes:
        metadata: The metadata table.
        left_out: Partition paths whose files are left out.
    """

    metadata: MetadataTable = field(eq=False)
    left_out: frozenset[str] = frozenset()

    @cached_property
    def files(self) -> Mapping[str, FileInfo]:
        """Return the files by path.

        Raises:
            CorruptTableError: The list of files in the metadata table is damaged.
        """
        found = {}
        for partition, names in self._listed().items():
            folder = f"{partition}/" if partition else ""
            for name, size in names.items():
                path = folder + name
                found[path] = FileInfo(path, size, _UNKNOWN_TIME)
        return found

    def _listed(self) -> Mapping[str, Mapping[str, int]]:
        if not self.left_out:
            return self.metadata.files()
        return self.metadata.files_of([path for path in self.metadata.partition_paths() if path not in self.left_out])

    def groups_of_keys(self, keys: Collection[str]) -> frozenset[tuple[str, str]] | None:
        """Return partition path and file id of the file groups that have any of the keys; None without a record index.

        Raises:
            CorruptTableError: The record index is damaged.
        """
        if PartitionKind.RECORD_INDEX not in self.metadata.partitions:
            return None
        found = self.metadata.record_locations(keys)
        return frozenset(zip(found.column("partition").to_pylist(), found.column("file_id").to_pylist(), strict=True))

    def groups_of_values(
        self, index: str, values: Collection[str], most_keys: int
    ) -> frozenset[tuple[str, str]] | None:
        """Return the file groups of the rows that have one of the values in an indexed column.

        The secondary index has the keys of these rows, and the record index their file groups.

        Args:
            index: The partition of the secondary index.
            values: The values to find, as text; null is not among them.
            most_keys: Number of rows up to which the record index is read.

        Returns:
            Partition path and file id; None without a record index, or if more than `most_keys` rows have the values.

        Raises:
            CorruptTableError: One of the indexes is damaged.
        """
        keys = self.metadata.secondary_entries(index, values).column("key").to_pylist()
        return None if len(keys) > most_keys else self.groups_of_keys(keys)

    def check_exist(self, paths: Iterable[str]) -> None:
        """Raise if one of the files does not exist, for a reader whose error would not mention the metadata table.

        Raises:
            CorruptTableError: A file does not exist; the code is `named_by_metadata`.
        """
        for path in paths:
            if not self.base.exists(path):
                raise missing_file(path)


def missing_file(path: str) -> CorruptTableError:
    """Return the error about a file that the metadata table names and the store does not have."""
    return CorruptTableError(
        f"the metadata table names '{path}', which does not exist; read the table again if a cleaner removed the file; "
        "otherwise remove the metadata table and create it again, or read without hoodie.metadata.enable "
        "(metadata_table)",
        file=path,
        code=_NAMED,
    )


def by_metadata(storage: Storage, properties: TableProperties, timeline: Timeline, work: Callable[[Storage], _T]) -> _T:
    """Call `work` with a storage that lists the files of the metadata table; or warn, and call it with `storage`.

    Folders are listed if the metadata table is not in use, is damaged or has an unsupported version, or lacks a commit
    of the active timeline or a file of such a commit, because a reader would miss rows. An error that `work` raises
    with `storage` is passed on.

    Args:
        storage: The table's files.
        properties: The table properties.
        timeline: The whole timeline, also for a query of an earlier instant.
        work: Function of a storage, without side effects.

    Returns:
        The result of `work`.

    Raises:
        CorruptTableError: The metadata table names a file that does not exist.
    """
    try:
        found = _opened(storage, properties, timeline)
        if isinstance(found, MetadataTable):
            return work(IndexedStorage(storage, found))
        reason = found
    except (CorruptTableError, UnsupportedTable) as error:
        if error.code == _NAMED:
            raise
        # an error that is not caused by the metadata table occurs again
        reason = str(error)
    warn_caller(
        f"metadata_table (hoodie.metadata.enable) has no effect on this query, which lists the folders: {reason}",
        NoEffectWarning,
    )
    return work(storage)


def _opened(storage: Storage, properties: TableProperties, timeline: Timeline) -> MetadataTable | str:
    """Return the metadata table, or the reason why its list of files cannot be used."""
    if PartitionKind.FILES not in properties.metadata_partitions:
        return "the table has no metadata table"
    metadata = MetadataTable.open(storage, properties, timeline)
    if metadata is None:
        return f"'{properties.file}' lists partitions of the metadata table, but the metadata table does not exist"
    lacking = missing_commits(timeline, metadata.metadata)
    if lacking:
        count = "1 commit" if len(lacking) == 1 else f"{len(lacking)} commits"
        return f"the metadata table lacks {count} of the table, the first one {lacking[0].time}"
    return metadata
