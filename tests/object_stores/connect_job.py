"""Spark Connect with Hadoop's S3A: read a table in an S3 store and print its rows and the plan as JSON."""

from __future__ import annotations

import contextlib
import io
import json
import sys

from pyspark.sql import SparkSession

import hoodoo
from hoodoo.spark.scan import parquet_scan
from hoodoo.spark.session import prepare_environment


def main(path: str, options: dict[str, str], most_paths: int) -> dict[str, object]:
    """Return the rows of the table and the plan of the read."""
    prepare_environment()
    parquet_scan.MOST_PATHS = most_paths
    spark = SparkSession.builder.remote("local[2]").getOrCreate()
    rows = hoodoo.read(spark, path, **options).select("id", "city", "v")
    with contextlib.redirect_stdout(io.StringIO()) as plan:
        rows.explain(True)
    facts = {"rows": sorted(map(list, rows.collect())), "plan": plan.getvalue(), "session": type(spark).__module__}
    spark.stop()
    return facts


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], json.loads(sys.argv[2]), int(sys.argv[3]))))
