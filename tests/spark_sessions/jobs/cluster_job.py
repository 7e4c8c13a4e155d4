"""Upserts on executors in separate processes: one loses an executor, one loses every executor, and one loses none.

Prints the instants of the commits, the base files and the error of each table as JSON.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pyspark
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import hoodoo
from hoodoo.spark.session import prepare_environment

SETTINGS = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    # executors start often and run for a short time
    "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    # the shuffle files of a lost executor are lost too, and its stage is tried again: once, then the job fails
    "spark.stage.maxConsecutiveAttempts": 2,
    "spark.shuffle.io.maxRetries": 1,
    "spark.shuffle.io.retryWait": "100ms",
}


def main(tables: dict[str, dict[str, Any]], shots: Path) -> dict[str, Any]:
    """Return the facts about each table; `tables` has the options of each by its path."""
    prepare_environment()
    builder = SparkSession.builder.master("local-cluster[2,1,1024]")
    for key, value in SETTINGS.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    application = spark.sparkContext.applicationId
    try:
        return {path: exercise(spark, path, options, shots) for path, options in tables.items()}
    finally:
        spark.stop()
        # workers of a local cluster keep the logs of their executors below Spark's own folder
        shutil.rmtree(Path(pyspark.__file__).parent / "work" / application, ignore_errors=True)


def exercise(spark: SparkSession, path: str, options: dict[str, Any], shots: Path) -> dict[str, Any]:
    """Create a table, and run three upserts: one loses an executor, one loses every executor, and one loses none."""
    options = options | {"merger_options": {"shots": str(shots), "table": path}}
    facts: dict[str, Any] = {"created": hoodoo.write(rows(spark, 0, 400, 1), path, options).instant}
    load(shots, 1)
    facts["lost_one"] = hoodoo.write(rows(spark, 200, 600, 2), path, options).instant
    facts["begun"] = fired(shots)
    load(shots, 20)
    try:
        hoodoo.write(rows(spark, 0, 600, 3), path, options)
    except (PySparkException, Py4JJavaError) as error:
        facts["error"] = str(error)
    facts["left"] = sorted(str(file.relative_to(path)) for file in Path(path).rglob("*.parquet"))
    fired(shots)
    facts["next"] = hoodoo.write(rows(spark, 0, 100, 4), path, options).instant
    return facts


def rows(spark: SparkSession, first: int, end: int, value: int) -> DataFrame:
    """Return rows with keys from `first` to `end` - 1, in three partitions of the table."""
    number = F.col("id")
    return spark.range(first, end, 1, 3).select(
        F.concat(F.lit("k"), number).alias("key"),
        F.concat(F.lit("p"), number % 3).alias("part"),
        F.lit(value).alias("v"),
    )


def load(shots: Path, count: int) -> None:
    """Let the merger kill its executor `count` times."""
    for number in range(count):
        (shots / f"{number}.shot").touch()


def fired(shots: Path) -> list[str]:
    """Return the base files that existed when the merger killed executors, and remove all shots."""
    files = [file for shot in sorted(shots.glob("*.fired")) for file in shot.read_text().splitlines()]
    for shot in shots.iterdir():
        shot.unlink()
    return files


if __name__ == "__main__":
    print(json.dumps(main(json.loads(sys.argv[1]), Path(sys.argv[2]))))
