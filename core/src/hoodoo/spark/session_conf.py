"""Settings of a session, changed while a frame is made."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["is_connect", "setting"]

_one_at_a_time = threading.RLock()


def is_connect(spark: SparkSession) -> bool:
    """Whether a session is one of Spark Connect."""
    return type(spark).__module__.startswith("pyspark.sql.connect")


@contextmanager
def setting(spark: SparkSession, key: str, value: object) -> Iterator[None]:
    """Give a setting of a classic session another value for a while, for what Spark does when it is told to, not later.

    Over Connect nothing is set: there the server does it when the query runs.
    """
    if is_connect(spark):
        yield
        return
    with _one_at_a_time:
        before = spark.conf.get(key, None)
        spark.conf.set(key, str(value))
        try:
            yield
        finally:
            if before is None:
                spark.conf.unset(key)
            else:
                spark.conf.set(key, before)
