"""Spark looks for data sources in top-level modules of this name's shape; see `hoodoo.spark.scan.datasource`."""

from hoodoo.spark.scan.datasource import HoodooDataSource as DefaultSource

__all__ = ["DefaultSource"]
