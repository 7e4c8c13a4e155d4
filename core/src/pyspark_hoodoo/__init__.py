"""Registration of the data source `hoodoo`: Spark finds it by the name of this module, `pyspark_` and the format."""

from hoodoo.spark.scan.datasource import HoodooDataSource as DefaultSource

__all__ = ["DefaultSource"]
