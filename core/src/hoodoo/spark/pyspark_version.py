"""Release of the installed PySpark: the check that it is supported, and the features that need a later release."""

from __future__ import annotations

import re
import sys
from importlib.util import find_spec

from attrs import frozen

from hoodoo.errors import OptionError, UnsupportedVersion

__all__ = [
    "ARROW_FUNCTIONS",
    "DATA_SOURCES",
    "MINIMUM_PYSPARK",
    "SESSION_CALLS",
    "WIDER_NUMBERS",
    "Feature",
    "require_pyspark",
]

MINIMUM_PYSPARK = "3.5"
"""The oldest PySpark that hoodoo supports.

It introduced job tags, row indexes of Parquet files, and Python workers of micro-batches over Spark Connect.
"""


@frozen
class Feature:
    """Feature of hoodoo, or part of PySpark that hoodoo uses, which earlier releases of PySpark do not have.

    Attributes:
        name: The name in messages.
        since: The first release of PySpark that has it.
        instead: The advice for users of earlier releases; empty if there is none.
    """

    name: str
    since: str
    instead: str = ""

    def is_available(self) -> bool:
        """Return whether the installed PySpark has the feature."""
        import pyspark

        return release(pyspark.__version__) >= release(self.since)

    def refusal(self) -> str:
        """Return the message of the error for a feature that is not available."""
        import pyspark

        needed = f"{self.name} needs PySpark {self.since} or later, and {pyspark.__version__} is installed"
        return f"{needed}; {self.instead}" if self.instead else needed

    def require(self) -> None:
        """Raise unless the installed PySpark has the feature.

        Raises:
            UnsupportedVersion: The installed PySpark does not have the feature, or its version has no release number.
        """
        if not self.is_available():
            raise UnsupportedVersion(self.refusal())


DATA_SOURCES = Feature(
    "the Python data source `hoodoo`",
    "4.0",
    "call hoodoo.enable(spark) first, or use hoodoo.read(spark, path) and hoodoo.write(df, path, options)",
)
SESSION_CALLS = Feature("a DataFrame of an Arrow table or a hint with columns", "4.0")
WIDER_NUMBERS = Feature("a column of wider numbers than those in a Parquet file", "4.0")
WITHOUT_DISTUTILS = Feature("a Python without distutils", "4.0")
ARROW_FUNCTIONS = Feature("an Arrow function (arrow_udf) or DataFrame.repartitionById", "4.1")


def release(version: str) -> tuple[int, int]:
    """Return the major and minor number of a version, without additions of vendors as in `3.5.1-amzn-0`.

    Raises:
        UnsupportedVersion: The version does not begin with two numbers.
    """
    found = re.match(r"(\d+)\.(\d+)", version)
    if found is None:
        raise UnsupportedVersion(
            f"the installed PySpark has version {version!r}, which has no release number; install a release of PySpark"
        )
    return int(found[1]), int(found[2])


def require_pyspark() -> None:
    """Raise unless PySpark is installed in a version that hoodoo supports.

    Raises:
        OptionError: PySpark is not installed.
        UnsupportedVersion: The installed PySpark is too old, does not run on this Python, or has a version without a
            release number.
    """
    try:
        import pyspark
    except ModuleNotFoundError as error:
        if error.name != "pyspark":
            raise
        raise OptionError('PySpark is not installed: run `pip install "hoodoo-core[spark]"`') from error
    if release(pyspark.__version__) < release(MINIMUM_PYSPARK):
        raise UnsupportedVersion(
            f"hoodoo needs PySpark {MINIMUM_PYSPARK} or later, and {pyspark.__version__} is installed; "
            "install a later release, or read tables without PySpark by hoodoo.Table(path)"
        )
    if not WITHOUT_DISTUTILS.is_available() and find_spec("distutils") is None:
        python = ".".join(map(str, sys.version_info[:2]))
        raise UnsupportedVersion(
            f"PySpark {pyspark.__version__} imports distutils, which Python {python} does not have; use Python 3.11, "
            f"use PySpark {WITHOUT_DISTUTILS.since} or later, or install setuptools"
        )
