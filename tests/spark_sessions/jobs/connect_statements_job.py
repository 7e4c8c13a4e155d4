"""Spark Connect: statements by the builder and as SQL, in turn on one table, and their errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import hoodoo
from hoodoo.errors import HoodooError

COLUMNS = "id int, name string, amount double, ts long, part string"
CONDITION = "t.id = s.id AND t.part = s.part"


def main(spark: SparkSession, folder: str) -> dict[str, Any]:
    """Return the results of statements on a table of each type, and of statements that fail."""
    spark.conf.set("hoodoo.sql.tables", f"{folder}/names.json")
    facts: dict[str, Any] = {"session": type(spark).__module__}
    for kind in ("cow", "mor"):
        facts[kind] = statements(spark, f"{folder}/{kind}", kind)
    facts["errors"] = errors(spark, f"{folder}/mor")
    return facts


def statements(spark: SparkSession, path: str, kind: str) -> dict[str, Any]:
    """Run statements on a new table, in turn by SQL and by the builder, and return their results."""

    def sql(text: str, **parameters: Any) -> list[Any]:
        return [list(row) for row in hoodoo.sql(spark, text, **parameters).collect()]

    def rows() -> list[Any]:
        return sorted(
            list(row) for row in hoodoo.sql(spark, f"SELECT id, name, amount, ts, part FROM {kind}").collect()
        )

    sql(
        f"CREATE TABLE {kind} ({COLUMNS}) USING hudi PARTITIONED BY (part) LOCATION '{path}' "
        f"TBLPROPERTIES (primaryKey = 'id', preCombineField = 'ts', type = '{kind}')"
    )
    inserted = sql(f"INSERT INTO {kind} VALUES (1, 'a', 1.5, 5, 'x'), (2, 'b', 2.5, 5, 'x'), (3, 'c', 3.5, 5, 'y')")
    facts: dict[str, Any] = {"inserted": inserted[0][0]}
    source = spark.createDataFrame([(1, "m", 9.5, 6, "x"), (3, "late", 0.0, 4, "y"), (4, "n", 4.5, 1, "z")], COLUMNS)
    merged = (
        hoodoo.Table(path)
        .merge(source, CONDITION)
        .whenMatchedUpdate(set={"name": "concat(t.name, s.name)", "ts": "s.ts"})
        .whenNotMatchedInsertAll()
        .execute()
    )
    facts["merged"] = [merged.inserted, merged.updated, merged.deleted, merged.overridden]
    facts["after merge"] = rows()
    changes = spark.createDataFrame([(2, "D", 6, "x"), (5, "I", 6, "y")], "id int, op string, ts long, part string")
    facts["sql"] = sql(
        f"MERGE INTO {kind} t USING {{changes}} s ON {CONDITION} WHEN MATCHED AND s.op = :gone THEN DELETE "
        "WHEN NOT MATCHED THEN INSERT (id, name, ts, part) VALUES (s.id, s.op, s.ts, s.part)",
        changes=changes,
        gone="D",
    )[0][:4]
    facts["after sql"] = rows()
    updated = hoodoo.Table(path).update(F.col("amount") > 4, {"amount": F.col("amount") * 2}, spark=spark)
    facts["updated"] = updated.updated
    sql(f"DELETE FROM {kind} WHERE name IN (SELECT name FROM {kind} WHERE id = 5)")
    facts["explained"] = "MERGE INTO" in str(hoodoo.Table(path).explain(1, partition="part=x"))
    hoodoo.enable(spark)
    try:
        spark.sql(f"UPDATE {kind} SET name = upper(name)")
        facts["enabled"] = sorted(list(row) for row in spark.sql(f"SELECT id, name, amount FROM {kind}").collect())
    finally:
        hoodoo.disable(spark)
    return facts


def errors(spark: SparkSession, path: str) -> dict[str, list[Any]]:
    """Return the class and the message of the error of each wrong statement, and whether the table is unchanged."""
    table = hoodoo.Table(path)
    twice = spark.createDataFrame([(1, "m", 9.5, 7, "x"), (1, "n", 9.5, 7, "x")], COLUMNS)
    calls: dict[str, Callable[[], Any]] = {
        "column": lambda: hoodoo.sql(spark, "UPDATE mor SET nothing = 1"),
        "key": lambda: table.update(None, {"id": "7"}, spark=spark),
        "condition": lambda: table.merge(twice, "t.name = s.name").whenMatchedDelete().execute(),
        "function": lambda: hoodoo.sql(spark, "DELETE FROM mor WHERE rand() < 0.5"),
        "twice": lambda: table.merge(twice, CONDITION).whenMatchedUpdateAll().execute(),
        "value": lambda: hoodoo.sql(spark, "UPDATE mor SET amount = raise_error('no value')"),
        "syntax": lambda: hoodoo.sql(spark, "MERGE INTO mor USING mor s ON mor.id = s.id"),
    }
    found = {}
    for name, call in calls.items():
        before = len(hoodoo.Table(path).history())
        try:
            call()
        except HoodooError as error:
            found[name] = [type(error).__name__, str(error), len(hoodoo.Table(path).history()) == before]
    return found
