"""Spark Connect: the lines of a job for Hudi after `hoodoo.enable`, a stream included."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

import hoodoo

OPTIONS = {
    "hoodie.table.name": "t",
    "hoodie.datasource.write.recordkey.field": "id",
    "hoodie.datasource.write.operation": "insert",
}


def main(spark: SparkSession, folder: str) -> dict[str, Any]:
    """Run the lines of the job, and return the rows that they read and wrote, and other facts."""
    plain = vars(type(spark))["read"]
    hoodoo.enable(spark)
    rows = spark.createDataFrame([("a", "x", 1), ("b", "y", 2)], "id string, part string, v int")
    path, files = f"{folder}/table", f"{folder}/files"
    rows.write.format("hudi").options(**OPTIONS).partitionBy("part").mode("append").save(path)
    rows.write.format("json").save(files)
    facts: dict[str, Any] = {
        "read": values(spark, path),
        "files": sorted(row.id for row in spark.read.format("json").load(files).collect()),
        "fields": hoodoo.Table(path).properties["hoodie.table.partition.fields"],
    }
    spark.sql(f"CREATE TEMPORARY VIEW named USING hudi OPTIONS (path '{path}')")
    facts["named"] = [
        sorted(row.id for row in frame.collect()) for frame in (spark.table("named"), spark.read.table("named"))
    ]
    stream = spark.readStream.schema(rows.schema).json(files)
    for checkpoint in ("one", "one", "two"):
        writer = stream.writeStream.format("hudi").options(**OPTIONS, checkpointLocation=f"{folder}/{checkpoint}")
        writer.trigger(availableNow=True).start(f"{folder}/stream").awaitTermination()
        if checkpoint == "one":
            # as if the driver had died before it recorded the end of the batch
            for file in Path(folder, "one/commits").iterdir():
                file.unlink()
    facts["stream"] = values(spark, f"{folder}/stream")
    # Spark reads integers of 64 bits itself; workers read those of 16 bits
    for kind in ("v long", "v short"):
        source, copy = f"{folder}/parquet {kind}", f"{folder}/copy {kind}"
        spark.createDataFrame([("a", 1), ("b", 2)], f"id string, {kind}").write.parquet(source)
        bootstrap = {"hoodie.bootstrap.base.path": source, "hoodie.bootstrap.mode.selector": "FULL_RECORD"}
        given = {**OPTIONS, **bootstrap, "hoodie.datasource.write.operation": "bootstrap"}
        spark.createDataFrame([], "struct<>").write.format("hudi").options(**given).mode("overwrite").save(copy)
        facts[f"copied {kind}"] = values(spark, copy)
    hoodoo.disable(spark)
    facts["restored"] = vars(type(spark))["read"] is plain
    try:
        spark.read.format("hudi").load(path).collect()
    except PySparkException as error:
        facts["disabled"] = type(error).__name__
    return facts


def values(spark: SparkSession, path: str) -> list[list[Any]]:
    """Return the ids and values of a table."""
    return sorted([row.id, row.v] for row in spark.read.format("hudi").load(path).collect())
