"""Choice of the reader: whether the session's Hadoop configuration reaches the store of a table.

Object stores need jars and settings in the session. Before Spark plans a scan of an object store, one base file is
looked up as Spark would look it up: an unsuitable session is found here, and Python workers read the table instead.
"""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from hoodoo.format.file_names import BASE_FILE_EXTENSION
from hoodoo.spark.hadoop_options import hadoop_options
from hoodoo.spark.scan.scan_source import ScanSource, local_root
from hoodoo.storage import CachedListingStorage, LocalStorage

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["scan_source"]

_SCHEMES = {"s3": ("s3", "s3a"), "s3a": ("s3a", "s3"), "s3n": ("s3a", "s3"), "gs": ("gs",)}
"""The schemes under which sessions may access a store, by the scheme of the table, in the order of attempts."""

_BOUNDS = {
    "fs.s3a.attempts.maximum": "1",
    "fs.s3a.retry.limit": "1",
    "fs.s3a.connection.establish.timeout": "5s",
    "fs.s3a.connection.timeout": "10s",
    "fs.s3a.connection.request.timeout": "15s",
}
"""Settings that limit the wait for a store that does not respond to seconds."""

_TRIED_AGAIN_SECONDS = 60.0

_log = logging.getLogger(__name__)


_failures: WeakKeyDictionary[SparkSession, dict[tuple[object, ...], float | None]] = WeakKeyDictionary()
"""Time of the failed attempt to reach a store, or None if it was reached.

The keys are the session, and then scheme, bucket and options.
"""


def scan_source(spark: SparkSession, storage: CachedListingStorage) -> ScanSource | None:
    """Return the location of a table for Spark's own readers; None if the session cannot read its files.

    For the first table of a bucket, the files are listed once more.

    Args:
        spark: The session, classic or Connect.
        storage: The table's files.
    """
    if isinstance(storage.base, LocalStorage):
        return ScanSource(storage, local_root(storage.base))
    scheme, _, place = storage.uri.partition("://")
    options = {} if scheme == "gs" else hadoop_options(storage.options)
    for name in _SCHEMES.get(scheme, ()):
        source = ScanSource(storage, f"{name}://{place}", options)
        if _is_reached(spark, source):
            return source
    return None


def _is_reached(spark: SparkSession, source: ScanSource) -> bool:
    known = _failures.setdefault(spark, {})
    scheme, _, place = source.root.partition("://")
    key = (scheme, place.partition("/")[0], *sorted(source.options.items()))
    failed = known.get(key, 0.0)
    if failed is None:
        return True
    if key in known and time.monotonic() - failed < _TRIED_AGAIN_SECONDS:
        return False
    # not from the cached listing, which must be later than the timeline
    files = source.storage.base.walk()
    if (file := next((file for file in files if file.path.endswith(BASE_FILE_EXTENSION)), None)) is None:
        return False
    size = _size(spark, source, file.path)
    known[key] = None if size == file.size else time.monotonic()
    if size is not None and size != file.size:
        _log.warning(
            "Python workers read %s: under '%s' the session finds another file of %d bytes instead of %d",
            source.storage.uri,
            source.root,
            size,
            file.size,
        )
    return size == file.size


def _size(spark: SparkSession, source: ScanSource, path: str) -> int | None:
    """Return the size of a file that the session finds; None if it finds none."""
    # the first client is new and not kept; tasks use the one that the process keeps for the bucket
    scheme = source.root.partition("://")[0]
    new = {**_BOUNDS, f"fs.{scheme}.impl.disable.cache": "true"}
    size = None
    for extra in (new, {}):
        files = spark.read.format("binaryFile").options(**source.options, **extra)
        try:
            size = next((int(row[0]) for row in files.load(source.path(path)).select("length").collect()), None)
        except Exception as error:  # noqa: BLE001 - errors of the JVM have no common class in all kinds of sessions
            _log.info(
                "the session does not read %s as '%s': %s", source.storage.uri, source.root, _reason(error, source)
            )
            return None
    return size


def _reason(error: Exception, source: ScanSource) -> str:
    """Return the first line of an error that states a reason, without the values of options."""
    lines = [line.strip(": ") for line in str(error).splitlines()]
    reason = next((line for line in lines if line and not line.startswith("An error occurred")), type(error).__name__)
    for value in source.options.values():
        reason = reason.replace(value, "***") if len(value) > 4 else reason
    return reason
