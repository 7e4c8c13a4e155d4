"""Spark looks for data sources in top-level modules of this name's shape; see `hoodoo.spark.datasource`."""

from hoodoo.spark.datasource import HoodooDataSource as DefaultSource

__all__ = ["DefaultSource"]
