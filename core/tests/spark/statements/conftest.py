"""Tables, sources and joined rows of statements."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

# their modules import PySpark
collect_ignore_glob = [] if find_spec("pyspark") else ["*test_*.py"]


@pytest.fixture
def made_table(spark, tmp_path):
    """Return a function that writes rows `(id, part, v, ts)` to a new table, and returns the table."""
    import hoodoo

    def make(*rows, **options):
        path = tmp_path / "made"
        given = {"table_name": "made", "record_key": "id", "partition_by": "part", "ordering": "ts", **options}
        hoodoo.write(spark.createDataFrame(list(rows), "id int, part string, v int, ts int"), path, given)
        return hoodoo.Table(path)

    return make


@pytest.fixture
def source_of(spark):
    """Return a function that makes a DataFrame of rows, by default with the columns of the table."""

    def make(*rows, schema="id int, part string, v int, ts int"):
        return spark.createDataFrame(list(rows), schema)

    return make


@pytest.fixture
def rows_of(spark):
    """Return a function that reads the rows of a table, and returns them as sorted tuples."""
    import hoodoo

    def read(table):
        return sorted(tuple(row) for row in hoodoo.read(spark, table._storage.uri, meta_columns=False).collect())

    return read
