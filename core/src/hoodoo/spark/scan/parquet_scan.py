"""Scans of base files by Spark's Parquet reader.

Spark reads the list of the files from a manifest, lists their folders, or looks the files up one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from types import MappingProxyType
from typing import TYPE_CHECKING

import pyarrow as pa
from attrs import frozen

from hoodoo.reading import Split
from hoodoo.reading.indexed import IndexedStorage
from hoodoo.spark.scan.file_listing import Folders
from hoodoo.spark.scan.file_manifest import manifest, reads_manifests
from hoodoo.spark.scan.scan_source import ScanSource
from hoodoo.spark.session_conf import is_connect, setting
from hoodoo.spark.spark_types import spark_schema
from hoodoo.spark.workers.worker_frame import check_frame

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, DataFrameReader, SparkSession

__all__ = ["Scan", "scan_frame"]

MOST_PATHS = 32
"""The maximum number of paths that Spark lists on the driver by default; for more paths it starts a job."""

_OPTIONS = {
    # read the rows of `Split.read` regardless of the session's settings: skip no file and rebase no date
    "ignoreMissingFiles": "false",
    "ignoreCorruptFiles": "false",
    "datetimeRebaseMode": "CORRECTED",
    "int96RebaseMode": "CORRECTED",
    "parquet.page.verify-checksum.enabled": "true",
}


@frozen
class Scan:
    """Files and columns for Spark to read.

    Attributes:
        files: The table-relative paths of the files.
        stored: The columns; those of `in_folders` are last.
        in_folders: The partition columns whose values Spark takes from folders named `column=value`, so that it skips
            the files of other partitions.
        places: Additional columns with the file and the position of a row, by the Spark expressions for them.
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
        """Return a scan that reads columns of files; those of `in_folders` are the last ones."""
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
        """Return the scan of the base files of one or more splits of one plan."""
        files = (split.path for split in splits if split.path is not None)
        return cls.of(files, splits[0].read_schema, in_folders, places)

    @property
    def schema(self) -> pa.Schema:
        """Return the columns of the DataFrame."""
        return pa.schema([*self.stored, *self.places.values()])

    def can_use_manifest(self, spark: SparkSession, source: ScanSource) -> bool:
        """Return whether the session can read a manifest, and a manifest saves time and results in the same rows."""
        # without a listing, Spark derives columns from the names of all folders of a path
        is_misread = bool(self.in_folders) and "=" in source.root
        # in an object store the lookup of a file takes a request or more
        is_worth = len(self.files) > MOST_PATHS or not source.is_local
        return is_worth and not is_misread and reads_manifests(spark)

    @contextmanager
    def with_manifest(self, spark: SparkSession, source: ScanSource) -> Iterator[Callable[[], DataFrame]]:
        """Write a manifest, and yield a function that creates the DataFrame, also in another thread."""
        with manifest(source.root, (source.storage.files[path] for path in self.files)) as folder:
            # without partition folders Spark reads files of nested folders only with this option
            reader = self._reader(spark, source).option("recursiveFileLookup", str(not self.in_folders))
            yield lambda: self._with_places(reader.parquet(folder))

    def with_listing(self, spark: SparkSession, source: ScanSource) -> DataFrame | None:
        """Return a DataFrame for which Spark lists the folders; None if a name pattern cannot select the files.

        Files that are added during the listing are excluded. Over Connect, they are an error when the query runs.

        Raises:
            CorruptTableError: A file is missing.
        """
        # without the cached listing of the driver, because files are compared with the current ones
        folders, current = Folders.of(self.files), source.storage.base
        paths = [source.path(folder) for folder in folders.names]
        others = folders.others(current)
        while (pattern := folders.pattern(others)) is not None:
            with _listing_serially(spark):
                frame = self._with_places(
                    self._reader_with_base_path(spark, source).option("pathGlobFilter", pattern).parquet(*paths)
                )
            if is_connect(spark):
                # over Connect the server lists the folders in each run of the query, so a worker compares their files
                # in each run
                return frame.unionByName(check_frame(spark, current, folders, others, self.schema))
            before, others = others, folders.others(current)
            if others == before:
                return frame
        return None

    def with_lookup(self, spark: SparkSession, source: ScanSource) -> DataFrame:
        """Return a DataFrame for which Spark looks up the files one by one.

        Raises:
            CorruptTableError: The metadata table names a file that does not exist.
        """
        if isinstance(source.storage, IndexedStorage):
            source.storage.check_exist(self.files)
        paths = [source.path(path) for path in sorted(self.files)]
        with _listing_serially(spark):
            return self._with_places(self._reader_with_base_path(spark, source).parquet(*paths))

    def _reader(self, spark: SparkSession, source: ScanSource) -> DataFrameReader:
        return spark.read.schema(spark_schema(self.stored)).options(**_OPTIONS, **source.options)

    def _reader_with_base_path(self, spark: SparkSession, source: ScanSource) -> DataFrameReader:
        reader = self._reader(spark, source)
        return reader.option("basePath", source.root) if self.in_folders else reader

    def _with_places(self, frame: DataFrame) -> DataFrame:
        if not self.places:
            return frame
        return frame.selectExpr("*", *(f"{source} as `{field.name}`" for source, field in self.places.items()))


def scan_frame(spark: SparkSession, source: ScanSource, scan: Scan) -> DataFrame:
    """Return the rows of a scan.

    Args:
        spark: The session, classic or Connect.
        source: The table's location.
        scan: The files and the columns to read.

    Raises:
        CorruptTableError: A file is missing in a listed folder, or the metadata table names a file that does not exist.
            For other missing files, Spark raises an error of its own.
    """
    if scan.can_use_manifest(spark, source):
        with scan.with_manifest(spark, source) as create:
            return create()
    if len(scan.files) > MOST_PATHS and (frame := scan.with_listing(spark, source)) is not None:
        return frame
    return scan.with_lookup(spark, source)


def _listing_serially(spark: SparkSession) -> AbstractContextManager[None]:
    """Return a context in which Spark lists paths on the driver: a job with one task per path takes much longer."""
    return setting(spark, "spark.sql.sources.parallelPartitionDiscovery.threshold", 1_000_000)
