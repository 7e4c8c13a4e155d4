"""Operation `bootstrap`: it copies the rows of existing Parquet or ORC files into a new table."""

from hoodoo.bootstrap.source import BootstrapSource, bootstrap_source
from hoodoo.bootstrap.source_files import SourceFile

__all__ = ["BootstrapSource", "SourceFile", "bootstrap_source"]
