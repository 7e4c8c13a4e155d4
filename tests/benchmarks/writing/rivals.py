"""MERGE of 525,000 rows into 5,000,000 with one update and one insert clause, and the same MERGE by Delta and Iceberg.

Delta and Iceberg run in the Spark 3.5 of `tox -e interop`, with jars that Maven downloads. Like hoodoo, they use two
cores. The programs take turns; a rival returns to its first snapshot after each MERGE, and hoodoo gets a new copy of
its table. No key occurs twice in the source, because Delta and Iceberg refuse repeated keys.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import hoodoo
from hoodoo.spark.session import local_session
from tests.benchmarks.baseline import data
from tests.benchmarks.baseline.processor import processor_seconds
from tests.benchmarks.writing import upsert
from tests.benchmarks.writing.statements import CONDITION
from tests.interop.processes.hudi_side import HudiSide, fetched, pyspark

CACHE = Path(".pytest_cache/d/interop").absolute()
DELTA = ("io.delta:delta-spark_2.12:3.3.2", "io.delta:delta-storage:3.3.2", "org.antlr:antlr4-runtime:4.9.3")
ICEBERG = ("org.apache.iceberg:iceberg-spark-runtime-3.5_2.12:1.10.0",)
SETTINGS = {
    "spark.driver.memory": "4g",
    "spark.driver.extraJavaOptions": "",
    "spark.serializer": "org.apache.spark.serializer.JavaSerializer",
    "spark.kryo.registrator": "",
    "spark.sql.shuffle.partitions": "4",
    "spark.default.parallelism": "2",
}
CREATE = "CREATE TABLE {table} USING {format} PARTITIONED BY (part) AS SELECT * FROM parquet.`{base}` ORDER BY part"
MERGE = (
    f"MERGE INTO {{table}} t USING parquet.`{{batch}}` s ON {CONDITION} "
    "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
)

Run = Callable[[], None]


def main() -> None:
    """Run the benchmark and print one line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--batch", type=int, default=525_000)
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    processor_seconds()  # fails now if psutil is missing
    spark = local_session("benchmark", cores="2", **{"spark.driver.memory": "4g"})
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        base = data.base(arguments.rows)
        batch = data.batch(arguments.batch, arguments.rows)
        paths = {"base": data.store_batch(base, root / "base", files=8)}
        whole = spark.read.parquet(data.store_batch(batch, root / "repeated"))
        whole.dropDuplicates(["key"]).write.parquet(str(root / "batch"))
        paths["batch"] = str(root / "batch")
        upsert.create(spark, root / "original", "simple", base, paths["base"])
        del base, batch
        sides = {"delta": delta(root, paths), "iceberg": iceberg(root, paths)}
        try:
            runs = {"hoodoo": of_hoodoo(spark, root, paths["batch"]), **{name: run for name, (_, run) in sides.items()}}
            print(json.dumps({**vars(arguments), **measured(runs, arguments.runs)}))
        finally:
            for side, _ in sides.values():
                side.close()


def of_hoodoo(spark: Any, root: Path, batch: str) -> Callable[[], tuple[Run, Run]]:
    """Return a function that copies the table, and returns two functions: the MERGE, and the removal of the copy."""

    def prepared() -> tuple[Run, Run]:
        copy = root / "copy"
        subprocess.run(["cp", "-al", str(root / "original"), str(copy)], check=True)
        merge = hoodoo.Table(copy).merge(spark.read.parquet(batch), CONDITION)
        merge = merge.whenMatchedUpdateAll().whenNotMatchedInsertAll()
        return lambda: _ignored(merge.execute()), lambda: shutil.rmtree(copy)

    return prepared


def delta(root: Path, paths: dict[str, str]) -> tuple[HudiSide, Callable[[], tuple[Run, Run]]]:
    """Start Delta with its table; return the process, and a function that returns the MERGE and its reversal."""
    extension, catalog = "io.delta.sql.DeltaSparkSessionExtension", "org.apache.spark.sql.delta.catalog.DeltaCatalog"
    settings = {"spark.sql.extensions": extension, "spark.sql.catalog.spark_catalog": catalog}
    side = _side(root / "delta", DELTA, settings)
    side.sql([CREATE.format(table="t", format="delta", **paths)])
    merge, back = MERGE.format(table="t", **paths), "RESTORE TABLE t TO VERSION AS OF 0"
    return side, lambda: (lambda: _ignored(side.sql([merge])), lambda: _ignored(side.sql([back])))


def iceberg(root: Path, paths: dict[str, str]) -> tuple[HudiSide, Callable[[], tuple[Run, Run]]]:
    """Start Iceberg with its table; return the process, and a function that returns the MERGE and its reversal."""
    settings = {
        "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
        "spark.sql.catalog.spark_catalog": "org.apache.iceberg.spark.SparkSessionCatalog",
        "spark.sql.catalog.spark_catalog.type": "hadoop",
        "spark.sql.catalog.spark_catalog.warehouse": str(root / "warehouse"),
        "spark.sql.catalog.ice": "org.apache.iceberg.spark.SparkCatalog",
        "spark.sql.catalog.ice.type": "hadoop",
        "spark.sql.catalog.ice.warehouse": str(root / "warehouse"),
    }
    side = _side(root / "iceberg", ICEBERG, settings)
    side.sql([CREATE.format(table="ice.db.t", format="iceberg", **paths)])
    [first] = side.sql(["SELECT snapshot_id FROM ice.db.t.snapshots"])
    merge = MERGE.format(table="ice.db.t", **paths)
    back = f"CALL ice.system.set_current_snapshot('db.t', {first['snapshot_id']})"
    return side, lambda: (lambda: _ignored(side.sql([merge])), lambda: _ignored(side.sql([back])))


def _side(folder: Path, artifacts: tuple[str, ...], settings: dict[str, str]) -> HudiSide:
    folder.mkdir()
    first, *others = (fetched(artifact, CACHE) for artifact in artifacts)
    jars = ",".join(str(jar) for jar in (first, *others))
    return HudiSide(pyspark(CACHE), first, folder, settings={**SETTINGS, "spark.jars": jars, **settings})


def _ignored(result: object) -> None:
    del result


def measured(contenders: dict[str, Callable[[], tuple[Run, Run]]], runs: int) -> dict[str, Any]:
    """Return the times of the contenders, in turn, and the ratios to the first; the first run is the warm-up."""
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in contenders}
    for run in range(runs + 1):
        for name, prepared in contenders.items():
            work, after = prepared()
            start = time.perf_counter(), processor_seconds()
            work()
            if run:
                times[name].append((time.perf_counter() - start[0], processor_seconds() - start[1]))
            after()
    found: dict[str, Any] = {f"{name}_s": [round(each[0], 2) for each in found] for name, found in times.items()}
    middle = {
        name: [statistics.median(each[place] for each in found) for place in (0, 1)] for name, found in times.items()
    }
    first, *rivals = contenders
    for name in rivals:
        found[f"{name}_ratio"] = round(middle[name][0] / middle[first][0], 2)
        found[f"{name}_processor_ratio"] = round(middle[name][1] / middle[first][1], 2)
    return found


if __name__ == "__main__":
    main()
