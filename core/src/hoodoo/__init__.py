"""Apache Hudi tables in pure Python on Spark; the rule that decides which version of a record wins is a plugin."""

from hoodoo.__about__ import __version__

__all__ = ["__version__"]
