"""The release of PySpark that a test needs."""

from __future__ import annotations

from importlib.util import find_spec

__all__ = ["lacking_pyspark"]


def lacking_pyspark(since: str) -> str | None:
    """Return the reason to skip a test if the installed PySpark is older than a release.

    Return None if it is not older, or if PySpark is not installed.
    """
    if find_spec("pyspark") is None:
        return None
    from hoodoo.spark.pyspark_version import Feature

    feature = Feature("the test", since)
    return None if feature.is_available() else feature.refusal()
