"""Settings of a session: temporary changes, and the settings that hoodoo reads."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["ENABLED_KEY", "is_case_sensitive", "is_connect", "is_enabled", "setting"]

ENABLED_KEY = "spark.hoodoo.enabled"
"""Key of the setting that only sessions enabled by `hoodoo.enable` have."""

_lock = threading.RLock()


def is_connect(spark: SparkSession) -> bool:
    """Return whether a session uses Spark Connect."""
    return type(spark).__module__.startswith("pyspark.sql.connect")


def is_enabled(spark: SparkSession) -> bool:
    """Return whether `hoodoo.enable` is in effect for a session. A copy of an enabled session is enabled, too."""
    return spark.conf.get(ENABLED_KEY, None) is not None


def is_case_sensitive(spark: SparkSession) -> bool:
    """Return whether column names that differ by case are different in a session."""
    return str(spark.conf.get("spark.sql.caseSensitive", "false")).lower() == "true"


@contextmanager
def setting(spark: SparkSession, key: str, value: object) -> Iterator[None]:
    """Change a setting of a classic session in a `with` block, for work that Spark does when it creates a DataFrame.

    A Connect session is not changed: the server does this work when the query runs.
    """
    if is_connect(spark):
        yield
        return
    with _lock:
        before = spark.conf.get(key, None)
        spark.conf.set(key, str(value))
        try:
            yield
        finally:
            if before is None:
                spark.conf.unset(key)
            else:
                spark.conf.set(key, before)
