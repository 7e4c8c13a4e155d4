"""Registration of the data source `hoodoo`: Spark finds it by the name of this module, `pyspark_` and the format."""

from hoodoo.spark.pyspark_version import DATA_SOURCES

DATA_SOURCES.require()

from hoodoo.spark.scan.datasource import HoodooDataSource as DefaultSource  # noqa: E402 - it imports a newer PySpark

__all__ = ["DefaultSource"]
