"""Names of tables in a session with a Hive metastore, which Spark embeds. Prints JSON. Run it twice with one folder."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

import hoodoo
from hoodoo.spark.session import prepare_environment


def main(folder: str) -> dict[str, Any]:
    """Create tables, or, if the metastore has them, read and change them."""
    prepare_environment()
    is_new = not Path(folder, "metastore").exists()
    settings = {
        "spark.hadoop.javax.jdo.option.ConnectionURL": f"jdbc:derby:;databaseName={folder}/metastore;create=true",
        "spark.driver.extraJavaOptions": f"-Dderby.system.home={folder}",
        "spark.sql.warehouse.dir": f"{folder}/warehouse",
        "spark.sql.session.timeZone": "UTC",
    }
    builder = SparkSession.builder.master("local[2]").enableHiveSupport()
    for key, value in settings.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    hoodoo.enable(spark)
    return created(spark) if is_new else read_again(spark)


def created(spark: SparkSession) -> dict[str, Any]:
    """Create a database with a table of hoodoo and one of Hive, and return what they contain."""
    spark.sql("CREATE DATABASE sales")
    spark.sql(
        "CREATE TABLE sales.orders (id INT, amount DECIMAL(10, 2) COMMENT 'euros', day STRING) USING hudi "
        "PARTITIONED BY (day) COMMENT 'all orders' "
        "TBLPROPERTIES (primaryKey = 'id', 'hoodie.clean.automatic' = 'false')"
    )
    spark.sql("INSERT INTO sales.orders VALUES (1, 1.5, 'mon'), (2, 2.5, 'tue')")
    spark.sql("CREATE TABLE sales.plain (id INT) STORED AS PARQUET")
    spark.sql("INSERT INTO sales.plain SELECT id FROM sales.orders")
    spark.sql("ALTER TABLE sales.orders ADD COLUMNS (note STRING, n INT)")
    return {"rows": values(spark, "sales.orders"), "plain": spark.table("sales.plain").count()}


def read_again(spark: SparkSession) -> dict[str, Any]:
    """Read and change the tables that an earlier session created, and return the facts that the test checks."""
    facts: dict[str, Any] = {"rows": values(spark, "sales.orders"), "plain": spark.table("sales.plain").count()}
    properties = spark.sql("SHOW TBLPROPERTIES sales.orders ('hoodie.clean.automatic')").collect()
    facts["properties"] = [list(row) for row in properties]
    spark.sql("USE sales")
    spark.sql(
        "MERGE INTO orders o USING (SELECT 2 AS id, 'tue' AS day UNION ALL SELECT 3, 'wed') s "
        "ON o.id = s.id AND o.day = s.day WHEN MATCHED THEN UPDATE SET note = 'seen' "
        "WHEN NOT MATCHED THEN INSERT (id, day) VALUES (s.id, s.day)"
    )
    spark.sql("ALTER TABLE orders ALTER COLUMN n TYPE bigint")
    facts["merged"] = values(spark, "orders")
    described = {each.name: [each.dataType, each.description] for each in spark.catalog.listColumns("orders")}
    facts["columns"] = described
    [row] = spark.sql("SHOW TABLE EXTENDED LIKE 'orders'").collect()
    facts["comment"] = "Comment: all orders\n" in row.information
    spark.sql("ALTER TABLE orders RENAME TO renamed")
    facts["renamed"] = values(spark, "sales.renamed")
    spark.sql("DROP TABLE renamed")
    facts["left"] = sorted(row.tableName for row in spark.sql("SHOW TABLES IN sales").collect())
    return facts


def values(spark: SparkSession, name: str) -> list[list[Any]]:
    """Return ids, partitions and notes of a table."""
    return sorted([row.id, row.day, row.note] for row in spark.table(name).collect())


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1])))
