"""Apache Hudi tables in pure Python on Spark, with plugins that decide which version of a record wins.

`write`, `writer` and `read` need PySpark and import it on first use; `Table` and `check` do not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hoodoo.__about__ import __version__

if TYPE_CHECKING:
    from hoodoo.job_check import JobCheck, check
    from hoodoo.spark.scan.read import read
    from hoodoo.spark.write.writer import write, writer
    from hoodoo.table import Table
    from hoodoo.writing.commit import Commit

__all__ = ["Commit", "JobCheck", "Table", "__version__", "check", "read", "write", "writer"]

_MODULES = {
    "Commit": "hoodoo.writing.commit",
    "JobCheck": "hoodoo.job_check",
    "check": "hoodoo.job_check",
    "Table": "hoodoo.table",
    "read": "hoodoo.spark.scan.read",
    "write": "hoodoo.spark.write.writer",
    "writer": "hoodoo.spark.write.writer",
}


def __getattr__(name: str) -> Any:
    """Import a public name from its module on first use."""
    if name not in _MODULES:
        raise AttributeError(f"module 'hoodoo' has no attribute '{name}'")
    import importlib

    value = getattr(importlib.import_module(_MODULES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
