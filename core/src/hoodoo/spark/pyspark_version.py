"""Check of the installed PySpark before a module that needs a newer one is imported."""

from __future__ import annotations

from packaging.version import Version

from hoodoo.errors import OptionError, UnsupportedVersion

__all__ = ["MINIMUM_PYSPARK", "require_pyspark"]

MINIMUM_PYSPARK = "4.1"
"""The oldest PySpark with Arrow functions (`arrow_udf`) and Python data sources that hoodoo uses."""


def require_pyspark() -> None:
    """Return if PySpark is installed in a version that hoodoo supports.

    Raises:
        OptionError: PySpark is not installed.
        UnsupportedVersion: The installed PySpark is too old.
    """
    try:
        import pyspark
    except ModuleNotFoundError as error:
        if error.name != "pyspark":
            raise
        raise OptionError('PySpark is not installed: run `pip install "hoodoo-core[spark]"`') from error
    if Version(pyspark.__version__) < Version(MINIMUM_PYSPARK):
        raise UnsupportedVersion(
            f"hoodoo needs PySpark {MINIMUM_PYSPARK} or later, and {pyspark.__version__} is installed; "
            "hoodoo.Table(path) reads tables without PySpark"
        )
