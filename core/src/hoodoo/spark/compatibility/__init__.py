"""Functions whose implementation depends on the release of PySpark."""
