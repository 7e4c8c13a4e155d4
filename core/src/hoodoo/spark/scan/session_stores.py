"""Choice between Spark's own reader and Python workers, by the access of a session to the store of a table.

Stores need jars and settings in the session, and HDFS its permissions. Before Spark plans a scan of a store, one base
file is looked up as Spark would look it up. If the session does not find the file, Python workers read the table.
"""

from __future__ import annotations

import logging
import re
import time
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from attrs import frozen

from hoodoo.format.file_names import BASE_FILE_EXTENSION
from hoodoo.spark.hadoop_options import hadoop_options
from hoodoo.spark.scan.scan_source import ScanSource, local_root
from hoodoo.spark.store_roots import store_roots
from hoodoo.storage import CachedListingStorage, LocalStorage

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["Unread", "scan_source"]

_BOUNDS = {
    "fs.s3a.attempts.maximum": "1",
    "fs.s3a.retry.limit": "1",
    "fs.s3a.connection.establish.timeout": "5s",
    "fs.s3a.connection.timeout": "10s",
    "fs.s3a.connection.request.timeout": "15s",
    "fs.azure.io.retry.max.retries": "0",
    "fs.azure.http.connection.timeout": "5000",
    "fs.azure.http.read.timeout": "5000",
    "ipc.client.connect.max.retries": "1",
    "ipc.client.connect.max.retries.on.timeouts": "1",
    "ipc.client.connect.timeout": "10000",
}
"""Settings that limit the wait to a few seconds if a store does not respond."""

_TRIED_AGAIN_SECONDS = 60.0

_log = logging.getLogger(__name__)


_LONGEST_REASON = 160

_SECRET = re.compile(r'\b(key|secret|token|password|sig)( ?= ?)("[^"]*"?|[^\s"&,;]+)', re.IGNORECASE)
"""Value of a setting in an error: ABFS shows a key that is not Base64."""


@frozen
class Unread:
    """Table whose files Spark's own reader does not read in a session.

    Attributes:
        reason: The reason, without the values of options.
    """

    reason: str


@frozen
class _Failure:
    """Failed attempt to reach a store: its time by `time.monotonic`, and the reason."""

    time: float
    reason: str


_failures: WeakKeyDictionary[SparkSession, dict[tuple[object, ...], _Failure | None]] = WeakKeyDictionary()
"""Results of attempts to reach stores: the failure, or None if the store was reached.

The keys are the session, and then scheme, bucket and options.
"""


def scan_source(spark: SparkSession, storage: CachedListingStorage) -> ScanSource | Unread:
    """Return the location of a table for Spark's own readers, or the reason why the session cannot read its files.

    An attempt to reach a bucket lists the files of the table once more. The result applies to later tables of the
    bucket; a failure applies for a minute only.

    Args:
        spark: The session, classic or Connect.
        storage: The table's files.
    """
    if isinstance(storage.base, LocalStorage):
        return ScanSource(storage, local_root(storage.base))
    roots = store_roots(storage)
    if isinstance(roots, str):
        return Unread(roots)
    options = hadoop_options(storage.options) if storage.uri.startswith("s3") else {}
    reasons = []
    for root in roots:
        source = ScanSource(storage, root, options)
        reason = _why_not_reached(spark, source)
        if reason is None:
            return source
        reasons.append(f"as '{root.partition('://')[0]}:', {reason}")
    return Unread(f"the session does not read {storage.uri}: {'; '.join(reasons)}")


def _why_not_reached(spark: SparkSession, source: ScanSource) -> str | None:
    """Return the reason why the session does not reach a store; None if it reaches the store."""
    known = _failures.setdefault(spark, {})
    scheme, _, place = source.root.partition("://")
    key = (scheme, place.partition("/")[0], *sorted(source.options.items()))
    failure = known.get(key)
    if key in known and (failure is None or time.monotonic() - failure.time < _TRIED_AGAIN_SECONDS):
        return None if failure is None else failure.reason
    # not from the cached listing, which must be later than the timeline
    files = source.storage.base.walk()
    if (file := next((file for file in files if file.path.endswith(BASE_FILE_EXTENSION)), None)) is None:
        return "there is no base file to look up"
    found = _size(spark, source, file.path)
    reason = None
    if isinstance(found, str):
        reason = found
        _log.info("the session does not read %s as '%s': %s", source.storage.uri, source.root, reason)
    elif found != file.size:
        reason = f"the session finds another file of {found} byte{'s' * (found != 1)} instead of {file.size}"
        _log.warning(
            "Python workers read %s: under '%s' %s; correct the settings of this store in the session",
            source.storage.uri,
            source.root,
            reason,
        )
    known[key] = None if reason is None else _Failure(time.monotonic(), reason)
    return reason


def _size(spark: SparkSession, source: ScanSource, path: str) -> int | str:
    """Return the size in bytes of a file as the session finds it, or the reason why it does not find the file."""
    # the first client is new and not kept; tasks use the one that the process keeps for the bucket
    scheme = source.root.partition("://")[0]
    new = {**_BOUNDS, f"fs.{scheme}.impl.disable.cache": "true"}
    size = None
    for extra in (new, {}):
        files = spark.read.format("binaryFile").options(**source.options, **extra)
        try:
            size = next((int(row[0]) for row in files.load(source.path(path)).select("length").collect()), None)
        except Exception as error:  # noqa: BLE001 - errors of the JVM have no common class in all kinds of sessions
            return _reason(error, source)
    return "the session does not find a base file" if size is None else size


def _reason(error: Exception, source: ScanSource) -> str:
    """Return the first line of an error that states a reason, or else the class of the error.

    Values of options are replaced by `***`, except short ones. So are values after the name of a secret, which may be
    settings of the session. A long line is cut.
    """
    lines = [line.strip(": ") for line in str(error).splitlines()]
    reason = next((line for line in lines if line and not line.startswith("An error occurred")), type(error).__name__)
    reason = _SECRET.sub(r"\1\2***", reason)
    for value in source.options.values():
        reason = reason.replace(value, "***") if len(value) > 4 else reason
    return reason if len(reason) <= _LONGEST_REASON else f"{reason[:_LONGEST_REASON]}..."
