"""Base files as Spark's own Parquet reader reads them: a few it looks up, of many it is told what there is to know."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from types import MappingProxyType
from typing import TYPE_CHECKING

import pyarrow as pa
from attrs import frozen

from hoodoo.reading import Split
from hoodoo.spark.scan.file_listing import Folders, as_path
from hoodoo.spark.scan.file_manifest import manifest, reads_manifests
from hoodoo.spark.session_conf import is_connect, setting
from hoodoo.spark.spark_types import spark_schema
from hoodoo.spark.workers.worker_frame import check_frame
from hoodoo.storage import CachedListingStorage, LocalStorage

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, DataFrameReader, SparkSession

__all__ = ["Scan", "scan_frame"]

MOST_PATHS = 32
"""So many paths Spark lists by itself, unless its settings say otherwise; for more it starts a job."""

_OPTIONS = {
    # rows as `Split.read` gives them, whatever the session says: nothing is left out and no date is moved
    "ignoreMissingFiles": "false",
    "ignoreCorruptFiles": "false",
    "datetimeRebaseMode": "CORRECTED",
    "int96RebaseMode": "CORRECTED",
    "parquet.page.verify-checksum.enabled": "true",
}


@frozen
class Scan:
    """What Spark is to read.

    Attributes:
        files: Table-relative paths.
        stored: The columns, those that folders say behind the others.
        in_folders: Partition columns whose values Spark takes from folders named `column=value`, which lets it pass
            over the files of other partitions.
        places: Columns behind them that say where a row stands, by Spark's expressions for them.
    """

    files: frozenset[str]
    stored: pa.Schema
    in_folders: tuple[pa.Field, ...]
    places: Mapping[str, pa.Field]

    @classmethod
    def of(
        cls,
        files: Iterable[str],
        columns: pa.Schema,
        in_folders: Sequence[pa.Field] = (),
        places: Mapping[str, pa.Field] = MappingProxyType({}),
    ) -> Scan:
        """The scan of some columns of files."""
        names = {field.name for field in in_folders}
        stored = pa.schema([*(field for field in columns if field.name not in names), *in_folders])
        return cls(frozenset(files), stored, tuple(in_folders), places)

    @classmethod
    def of_splits(
        cls,
        splits: Sequence[Split],
        in_folders: Sequence[pa.Field] = (),
        places: Mapping[str, pa.Field] = MappingProxyType({}),
    ) -> Scan:
        """The scan of the base files of splits of one plan, at least one."""
        files = (split.path for split in splits if split.path is not None)
        return cls.of(files, splits[0].read_schema, in_folders, places)

    @property
    def schema(self) -> pa.Schema:
        """The columns of the frame."""
        return pa.schema([*self.stored, *self.places.values()])

    def can_be_told(self, spark: SparkSession, storage: LocalStorage) -> bool:
        """Whether there are so many files that a manifest is worth it, and it would say the same of them."""
        # without a listing, Spark looks for columns in the names of all folders of a path
        is_misread = bool(self.in_folders) and "=" in storage.root
        return len(self.files) > MOST_PATHS and not is_misread and reads_manifests(spark)

    @contextmanager
    def told(self, spark: SparkSession, storage: CachedListingStorage) -> Iterator[Callable[[], DataFrame]]:
        """Prepare to tell Spark, which is then asked for the frame, by any thread: that takes long, and no Python."""
        with manifest(storage, (storage.files[path] for path in self.files)) as folder:
            # of a folder whose name is no partition's, Spark takes files below others by this option alone
            reader = self._reader(spark).option("recursiveFileLookup", str(not self.in_folders))
            yield lambda: self._placed(reader.parquet(folder))

    def listed(self, spark: SparkSession, storage: LocalStorage) -> DataFrame | None:
        """Let Spark list the folders, without files that come meanwhile; None where names do not tell the files.

        Raises:
            CorruptTableError: a file is gone.
        """
        folders = Folders.of(self.files)
        paths = [as_path(storage, folder) for folder in folders.names]
        others = folders.others(storage)
        while (pattern := folders.pattern(others)) is not None:
            with _listing_serially(spark):
                frame = self._placed(self._rooted(spark, storage).option("pathGlobFilter", pattern).parquet(*paths))
            if is_connect(spark):
                # there the folders are listed when the query runs, each time that it does; a worker looks at what is
                # there then, and is not sent what was walked
                anew = LocalStorage(storage.root)
                return frame.unionByName(check_frame(spark, anew, folders, others, self.schema))
            before, others = others, folders.others(storage)
            if others == before:
                return frame
        return None

    def looked_up(self, spark: SparkSession, storage: LocalStorage) -> DataFrame:
        """Let Spark look up the files one by one."""
        paths = [as_path(storage, path) for path in sorted(self.files)]
        with _listing_serially(spark):
            return self._placed(self._rooted(spark, storage).parquet(*paths))

    def _reader(self, spark: SparkSession) -> DataFrameReader:
        return spark.read.schema(spark_schema(self.stored)).options(**_OPTIONS)

    def _rooted(self, spark: SparkSession, storage: LocalStorage) -> DataFrameReader:
        reader = self._reader(spark)
        return reader.option("basePath", f"file://{storage.local_path('')}") if self.in_folders else reader

    def _placed(self, frame: DataFrame) -> DataFrame:
        if not self.places:
            return frame
        return frame.selectExpr("*", *(f"{source} as `{field.name}`" for source, field in self.places.items()))


def scan_frame(spark: SparkSession, storage: CachedListingStorage, scan: Scan) -> DataFrame:
    """The rows of a scan.

    Args:
        spark: The session, classic or Connect.
        storage: The table's files.
        scan: The scan.

    Raises:
        CorruptTableError: a file is gone.
    """
    if scan.can_be_told(spark, storage):
        with scan.told(spark, storage) as asked:
            return asked()
    if len(scan.files) > MOST_PATHS and (listed := scan.listed(spark, storage)) is not None:
        return listed
    return scan.looked_up(spark, storage)


def _listing_serially(spark: SparkSession) -> AbstractContextManager[None]:
    """Let Spark list many paths by itself while a frame is made: a job with a task for each path takes much longer."""
    return setting(spark, "spark.sql.sources.parallelPartitionDiscovery.threshold", 1_000_000)
