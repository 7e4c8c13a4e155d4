"""Apache Hudi tables in pure Python on Spark, with plugins that decide which version of a record wins.

`writer` and `read` need PySpark and import it on first use; `Table` does not, and `write` only for Spark's DataFrames.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hoodoo.__about__ import __version__

if TYPE_CHECKING:
    from hoodoo.spark.scan.read import read
    from hoodoo.spark.write.writer import writer
    from hoodoo.table import Table
    from hoodoo.write_rows import write
    from hoodoo.writing.commit import Commit

__all__ = ["Commit", "Table", "__version__", "read", "write", "writer"]

_MODULES = {
    "Commit": "hoodoo.writing.commit",
    "Table": "hoodoo.table",
    "read": "hoodoo.spark.scan.read",
    "write": "hoodoo.write_rows",
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
