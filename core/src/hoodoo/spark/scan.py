"""Base files as Spark's own Parquet reader reads them: told by their paths, many of them by their folders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from types import MappingProxyType
from typing import TYPE_CHECKING

import pyarrow as pa
from attrs import frozen

from hoodoo.spark.base_files import MOST_PATHS, Folders, as_path
from hoodoo.spark.schema import spark_schema
from hoodoo.spark.settings import is_connect, setting
from hoodoo.spark.workers import check_frame
from hoodoo.storage import LocalStorage

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, DataFrameReader, SparkSession

__all__ = ["Listing", "Scan", "scan_frame"]

_OPTIONS = {
    # rows as `Split.read` gives them, whatever the session says: nothing is left out and no date is moved
    "ignoreMissingFiles": "false",
    "ignoreCorruptFiles": "false",
    "datetimeRebaseMode": "CORRECTED",
    "int96RebaseMode": "CORRECTED",
    "parquet.page.verify-checksum.enabled": "true",
}


@frozen
class Listing:
    """What Spark found in the folders of a scan.

    Attributes:
        frame: The rows of the files, and of others that came while Spark listed.
        others: The files beside them that were there before, which the frame leaves out.
    """

    frame: DataFrame
    others: frozenset[str]


@frozen
class Scan:
    """What Spark is to read.

    Attributes:
        folders: The files.
        stored: The columns, those that folders say behind the others.
        in_folders: Partition columns whose values Spark takes from folders named `column=value`, which lets it pass
            over the files of other partitions.
        places: Columns behind them that say where a row stands, by Spark's expressions for them.
    """

    folders: Folders
    stored: pa.Schema
    in_folders: tuple[pa.Field, ...]
    places: Mapping[str, pa.Field]

    @classmethod
    def of(
        cls,
        folders: Folders,
        columns: pa.Schema,
        in_folders: Sequence[pa.Field] = (),
        places: Mapping[str, pa.Field] = MappingProxyType({}),
    ) -> Scan:
        """The scan of some columns of files."""
        names = {field.name for field in in_folders}
        stored = pa.schema([*(field for field in columns if field.name not in names), *in_folders])
        return cls(folders, stored, tuple(in_folders), places)

    @property
    def schema(self) -> pa.Schema:
        """The columns of the frame."""
        return pa.schema([*self.stored, *self.places.values()])

    @property
    def has_many_files(self) -> bool:
        """Whether Spark is told the folders rather than the files."""
        return len(self.folders) > MOST_PATHS

    def listed(self, spark: SparkSession, storage: LocalStorage, others: frozenset[str]) -> Listing | None:
        """Let Spark list the folders; None where names do not tell the files from these others beside them."""
        pattern = self.folders.pattern(others)
        if pattern is None:
            return None
        paths = [as_path(storage, folder) for folder in self.folders.names]
        with _listing_serially(spark):
            reader = self._reader(spark, storage).option("pathGlobFilter", pattern)
            return Listing(self._placed(reader.parquet(*paths)), others)

    def looked_up(self, spark: SparkSession, storage: LocalStorage) -> DataFrame:
        """Let Spark look up the files one by one."""
        paths = [as_path(storage, path) for path in self.folders.paths]
        with _listing_serially(spark):
            return self._placed(self._reader(spark, storage).parquet(*paths))

    def _reader(self, spark: SparkSession, storage: LocalStorage) -> DataFrameReader:
        reader = spark.read.schema(spark_schema(self.stored)).options(**_OPTIONS)
        return reader.option("basePath", f"file://{storage.local_path('')}") if self.in_folders else reader

    def _placed(self, frame: DataFrame) -> DataFrame:
        if not self.places:
            return frame
        return frame.selectExpr("*", *(f"{source} as `{field.name}`" for source, field in self.places.items()))


def scan_frame(spark: SparkSession, storage: LocalStorage, scan: Scan, listing: Listing | None = None) -> DataFrame:
    """The rows of a scan, and no others that came while Spark listed.

    Args:
        spark: The session, classic or Connect.
        storage: The table's files.
        scan: The scan.
        listing: Its listing, where that was made before.

    Raises:
        CorruptTableError: a file is gone.
    """
    if listing is None and scan.has_many_files:
        listing = scan.listed(spark, storage, scan.folders.others(storage))
    while listing is not None:
        if is_connect(spark):
            # there the folders are listed when the query runs, each time that it does
            return listing.frame.unionByName(check_frame(spark, storage, scan.folders, listing.others, scan.schema))
        others = scan.folders.others(storage)
        if others == listing.others:
            return listing.frame
        listing = scan.listed(spark, storage, others)
    return scan.looked_up(spark, storage)


def _listing_serially(spark: SparkSession) -> AbstractContextManager[None]:
    """Let Spark list many paths by itself while a frame is made: a job with a task for each path takes much longer."""
    return setting(spark, "spark.sql.sources.parallelPartitionDiscovery.threshold", 1_000_000)
