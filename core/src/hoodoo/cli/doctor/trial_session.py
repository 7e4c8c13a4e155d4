"""Trial of `hoodoo doctor --session`: a session that sends one row through a Python worker."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from hoodoo.cli.doctor.check_result import Check, Status
from hoodoo.errors import HoodooError, OptionError
from hoodoo.spark.pyspark_version import DATA_SOURCES
from hoodoo.spark.session import local_session

__all__ = ["check_session"]


def check_session() -> Iterator[Check]:
    """Start a local session, and yield the checks of its use. Errors become problems."""
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


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
