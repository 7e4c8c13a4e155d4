"""Checks of `hoodoo doctor --session`, in a session: a row through a Python worker, the data source, file systems."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from typing import Any

from hoodoo.cli.doctor.check_result import Check, Status
from hoodoo.errors import HoodooError, OptionError
from hoodoo.spark.pyspark_version import DATA_SOURCES
from hoodoo.spark.session import local_session

__all__ = ["check_session"]

_STORES = (
    ("S3", ("s3", "s3a"), "hadoop-aws in the release of Spark's Hadoop"),
    ("GCS", ("gs",), "gcs-connector"),
    ("Azure", ("abfss", "abfs"), "hadoop-azure in the release of Spark's Hadoop"),
)
"""Stores whose base files Spark's own reader can read: name, schemes in the order of their trial, and jar."""

_NO_FILE_SYSTEM = re.compile("ClassNotFoundException|No FileSystem for scheme")


def check_session() -> Iterator[Check]:
    """Start a local session, and yield the checks that need one. An error is yielded as a problem."""
    started = time.monotonic()
    try:
        session = local_session("hoodoo doctor", cores=1)
    except (HoodooError, RuntimeError, OSError) as error:
        yield Check("session", Status.PROBLEM, _first_line(error), "see the findings above")
        return
    try:
        rows = session.range(1).mapInArrow(lambda batches: batches, "id long").collect()
        seconds = time.monotonic() - started
        found = f"Spark {session.version} ran {len(rows)} row through Python, {seconds:.1f} s after the start"
        yield Check("session", Status.OK if len(rows) == 1 else Status.PROBLEM, found)
        if DATA_SOURCES.is_available():
            yield _check_format(session)
        yield from _check_base_files(session)
    except Exception as error:  # noqa: BLE001 - the trial reports Spark and Python errors of all kinds
        yield Check("session", Status.PROBLEM, _first_line(error), "see the findings above")
    finally:
        session.stop()


def _check_format(session: Any) -> Check:
    try:
        session.read.format("hoodoo").load()
    except Exception as error:  # noqa: BLE001 - the type differs between Spark and Spark Connect; the message decides
        # the data source itself rejects a load without a path, after Spark has found it
        if OptionError.__name__ in str(error):
            return Check('format("hoodoo")', Status.OK, "Spark found it in the session")
        return Check('format("hoodoo")', Status.PROBLEM, _first_line(error), "see the findings above")
    found = "Spark found another data source with this name"
    return Check('format("hoodoo")', Status.PROBLEM, found, "uninstall the other pyspark_* module that provides it")


def _check_base_files(session: Any) -> Iterator[Check]:
    """Yield checks that name the reader of base files in each store: Spark, or Python workers. No store is accessed."""
    for store, schemes, jar in _STORES:
        subject = f"base files in {store}"
        reasons = {scheme: _why_no_file_system(session, scheme) for scheme in schemes}
        found = [scheme for scheme, reason in reasons.items() if reason is None]
        if found:
            text = f"Spark's own reader reads them: the session has a file system for '{found[0]}:'"
            yield Check(subject, Status.OK, f"{text}. Access to the bucket is not tested here")
            continue
        text = "; ".join(f"'{scheme}:', {reason}" for scheme, reason in reasons.items())
        advice = f"for tables in {store}, add {jar} to spark.jars.packages: filters then skip row groups"
        yield Check(subject, Status.OK, f"Python workers read them: the session has no file system for {text}", advice)
    yield Check("other base files", Status.OK, "Spark's own reader reads local files and HDFS")


def _why_no_file_system(session: Any, scheme: str) -> str | None:
    """Return the reason why a session has no file system for a scheme; None if it has one."""
    try:
        # without a bucket, a file system refuses the location before it connects
        session.read.format("binaryFile").load(f"{scheme}:///hoodoo-doctor")
    except Exception as error:  # noqa: BLE001 - errors of the JVM have no common class
        lines = [line.strip(": ") for line in str(error).splitlines() if _NO_FILE_SYSTEM.search(line)]
        return lines[0].rpartition("Exception: ")[2] if lines else None
    return None


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
