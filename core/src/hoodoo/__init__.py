"""Apache Hudi tables in pure Python on Spark, with plugins that decide which version of a record wins.

`read`, `sql`, `enable`, `disable` and `foreach_batch` need PySpark, which is imported on first use. `write` and
`writer` need PySpark only for Spark's DataFrames, and `Table` only for its statements (MERGE, UPDATE, DELETE) and for a
compaction by Spark. `check` does not need PySpark.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from hoodoo.__about__ import __version__

if sys.version_info < (3, 11):  # noqa: UP036 - pip refuses an older one, and a module path does not
    from hoodoo.errors import UnsupportedVersion

    raise UnsupportedVersion(
        f"hoodoo needs Python 3.11 or later, and this is Python {sys.version_info[0]}.{sys.version_info[1]}"
    )

if TYPE_CHECKING:
    from hoodoo.job_check import JobCheck, check
    from hoodoo.spark.enabled.session_patch import disable, enable
    from hoodoo.spark.foreach_batch import foreach_batch
    from hoodoo.spark.scan.read import read
    from hoodoo.spark.sql.run import sql
    from hoodoo.table import Table
    from hoodoo.write_rows import write, writer
    from hoodoo.writing.commit import Commit

__all__ = [
    "Commit",
    "JobCheck",
    "Table",
    "__version__",
    "check",
    "disable",
    "enable",
    "foreach_batch",
    "read",
    "sql",
    "write",
    "writer",
]

_MODULES = {
    "Commit": "hoodoo.writing.commit",
    "JobCheck": "hoodoo.job_check",
    "check": "hoodoo.job_check",
    "Table": "hoodoo.table",
    "disable": "hoodoo.spark.enabled.session_patch",
    "enable": "hoodoo.spark.enabled.session_patch",
    "foreach_batch": "hoodoo.spark.foreach_batch",
    "read": "hoodoo.spark.scan.read",
    "sql": "hoodoo.spark.sql.run",
    "write": "hoodoo.write_rows",
    "writer": "hoodoo.write_rows",
}


def __getattr__(name: str) -> Any:
    """Return a public object of the package, which is imported from its module on first use.

    Raises:
        AttributeError: The package has no public object of this name.
        OptionError: The object needs PySpark, which is not installed.
        UnsupportedVersion: The object needs PySpark, and the installed PySpark is not supported.
    """
    if name not in _MODULES:
        raise AttributeError(f"module 'hoodoo' has no attribute '{name}'")
    import importlib

    if _MODULES[name].startswith("hoodoo.spark."):
        from hoodoo.spark.pyspark_version import require_pyspark

        require_pyspark()
    value = getattr(importlib.import_module(_MODULES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
