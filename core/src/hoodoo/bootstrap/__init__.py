"""Operation bootstrap: existing Parquet or ORC files whose rows become a table."""

from hoodoo.bootstrap.source import BootstrapSource, bootstrap_source
from hoodoo.bootstrap.source_files import SourceFile

__all__ = ["BootstrapSource", "SourceFile", "bootstrap_source"]
