"""Jobs of Apache Hudi: one job per line of standard input, one answer per line of standard output, both JSON.

The program runs in an environment of its own, whose PySpark is the one that Hudi's bundle was built for, and imports
nothing of this project. Arguments: the bundle's jar, a folder for Spark's own files, and further settings of the
session as JSON.

    {"job": "write", "path": ..., "rows": "file.parquet", "options": {...}, "mode": "append"}
    {"job": "write", "path": ..., "rows": null, ...}    writes a DataFrame without columns
    {"job": "read", "path": ..., "options": {...}, "to": "folder of parquet files"}
    {"job": "filter", "path": ..., "options": {...}, "filters": [...], "column": ...}    answers {"found": [...]}
    {"job": "query", "statement": ..., "to": "folder of parquet files"}
    {"job": "sql", "statements": [...], "settings": {...}}    answers {"rows": [...]} of the last statement

An answer is {"error": "..."} where Hudi raised, and {} or the rows where it did not.
"""

import json
import os
import re
import sys

from pyspark.sql import SparkSession


def session(jar, folder, more):
    """Return a session with Hudi's catalogue and SQL; it is small, because all tables are small."""
    settings = {
        "spark.master": "local[2]",
        "spark.driver.memory": "3g",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.extraJavaOptions": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1",
        "spark.jars": jar,
        "spark.local.dir": folder,
        "spark.serializer": "org.apache.spark.serializer.KryoSerializer",
        "spark.kryo.registrator": "org.apache.spark.HoodieSparkKryoRegistrar",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.hudi.catalog.HoodieCatalog",
        "spark.sql.extensions": "org.apache.spark.sql.hudi.HoodieSparkSessionExtension",
        "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "1",
        "spark.sql.warehouse.dir": f"{folder}/warehouse",
        "spark.default.parallelism": "1",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        **more,
    }
    builder = SparkSession.builder.appName("hudi")
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def write(spark, path, rows, options, mode):
    df = spark.createDataFrame([], "struct<>") if rows is None else spark.read.parquet(rows)
    df.write.format("hudi").options(**options).mode(mode).save(path)
    return {}


def read(spark, path, options, to):
    spark.read.format("hudi").options(**options).load(path).coalesce(1).write.parquet(to)
    return {}


def filter_(spark, path, options, filters, column):
    """Answer with the values of a column in the rows of each filter, and the number of files that Spark scanned."""
    rows = spark.read.format("hudi").options(**options).load(path)
    found = []
    for condition in filters:
        kept = rows.where(condition).select(column)
        values = [row[0] for row in kept.collect()]
        scans = kept._jdf.queryExecution().executedPlan().collectLeaves()
        counts = [scans.apply(at).metrics().get("numFiles") for at in range(scans.size())]
        files = sum(count.get().value() for count in counts if count.isDefined())
        found.append({"values": values, "files": files})
    return {"found": found}


def query(spark, statement, to):
    spark.sql(statement).coalesce(1).write.parquet(to)
    return {}


def sql(spark, statements, settings):
    rows = []
    for name, value in settings.items():
        spark.conf.set(name, value)
    try:
        for statement in statements:
            rows = [row.asDict() for row in spark.sql(statement).collect()]
    finally:
        for name in settings:
            spark.conf.unset(name)
    return {"rows": rows}


def causes(error):
    """Return the messages of an error and its causes, without stack frames; at most 4,000 characters."""
    lines = [line for line in str(error).splitlines() if not re.match(r"\s+(at |\.\.\. )", line)]
    return "\n".join(lines)[:4000]


def main(jar, folder, settings):
    # Spark and the JVM print to standard output too; the answers are printed to the previous standard output.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    spark = session(jar, folder, json.loads(settings))
    jobs = {"write": write, "read": read, "filter": filter_, "query": query, "sql": sql}
    print(json.dumps({"spark": spark.version}), file=answers, flush=True)
    for line in sys.stdin:
        job = json.loads(line)
        try:
            answer = jobs[job.pop("job")](spark, **job)
        except Exception as error:  # noqa: BLE001 - whatever Hudi raises is the answer
            answer = {"error": causes(error)}
        print(json.dumps(answer, default=str), file=answers, flush=True)
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
