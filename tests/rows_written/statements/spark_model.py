"""Model of statements: Spark joins plain DataFrames, evaluates clauses, and ranks the rows of a key by a window."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F

from .generated import COLUMNS, Clause, Kind, Row, Statement, table_of

__all__ = ["Outcome", "executed"]


@dataclass(frozen=True)
class Outcome:
    """Rows of a table after a statement, and the numbers of its result.

    Attributes:
        rows: The rows, with the values of `COLUMNS`.
        counts: The numbers of inserted, updated, deleted and overridden rows, by these names; None if the statement
            fails, and the rows are those before it.
        failure: The reason of the failure, or "" without one.
        deletes: By key, the ordering values of deletes that the logs of the table keep.
    """

    rows: Sequence[Row]
    counts: dict[str, int] | None
    failure: str = ""
    deletes: Mapping[Row, int] = field(default_factory=dict)


def executed(spark: SparkSession, kind: Kind, before: Outcome, statement: Statement) -> Outcome:
    """Return the outcome of a statement on a table that has the rows of the outcome `before`."""
    stored = before.rows
    table = spark.createDataFrame(table_of(stored, tuple(COLUMNS))).withColumn("in_table", F.lit(True)).alias("t")
    given = spark.createDataFrame(table_of(statement.source, statement.columns or ("id",)))
    source = given.withColumn("in_source", F.lit(True))
    if statement.form == "insert":
        new = source.alias("s").join(table, F.expr("t.id = s.id"), "left_anti").select(*COLUMNS)
        rows = [tuple(row) for row in new.collect()]
        return Outcome([*stored, *rows], _counts(inserted=len(rows)), deletes=before.deletes)
    joined = table.join(source.alias("s"), F.expr(statement.on), "full")
    versions = _versions(kind, joined, statement)
    ranked = versions.withColumns(_ranks(kind, versions)).collect()
    return _outcome(kind, before, [row.asDict() for row in ranked])


def _versions(kind: Kind, joined: DataFrame, statement: Statement) -> DataFrame:
    """Return the rows to which a clause applies: their keys, their new values, and those of the stored row."""
    here = {
        "matched": "in_table AND in_source",
        "not matched": "in_table IS NULL",
        "not matched by source": "in_source IS NULL",
    }
    cases = " ".join(
        f"WHEN {here[clause.when]} AND ({clause.condition or 'true'}) THEN {number}"
        for number, clause in enumerate(statement.clauses)
    )
    numbered = joined.withColumn("clause", F.expr(f"CASE {cases} END")).where("clause IS NOT NULL")
    new = {}
    for name, type_ in COLUMNS.items():
        each = " ".join(
            f"WHEN {number} THEN cast({_value(kind, clause, name, statement)} AS {type_})"
            for number, clause in enumerate(statement.clauses)
        )
        new[name] = f"CASE clause {each} END"
    if statement.override_ordering and kind.is_ordered:
        new["ts"] = f"if(in_table, greatest({new['ts']}, t.ts), {new['ts']})"
    deletes = [str(number) for number, clause in enumerate(statement.clauses) if clause.action == "delete"]
    # a stored row keeps its key, although its columns may be assigned
    keys = {name: f"if(in_table, t.{name}, {new[name]})" for name in kind.key}
    return numbered.select(
        F.expr("coalesce(in_table, false)").alias("is_stored"),
        F.expr(f"clause IN ({', '.join(deletes)})" if deletes else "false").alias("is_delete"),
        *(F.expr(f"t.{name}").alias(f"old_{name}") for name in COLUMNS),
        *(F.expr(text).alias(f"new_{name}") for name, text in new.items()),
        *(F.expr(text).alias(f"key_{name}") for name, text in keys.items()),
    )


def _value(kind: Kind, clause: Clause, name: str, statement: Statement) -> str:
    """Return the expression of a column in the versions of a clause."""
    if clause.action == "delete":
        has_time = name == "ts" and clause.when == "matched" and "ts" in statement.columns and kind.is_ordered
        return "coalesce(s.ts, t.ts)" if has_time else f"t.{name}"
    if clause.values is not None:
        return clause.values.get(name, f"t.{name}" if clause.action == "update" else "NULL")
    is_compared = name == "id" or f"t.{name}" in statement.on.split(" AND t.amount")[0].split(" AND t.ts")[0]
    return f"t.{name}" if clause.action == "update" and is_compared else f"s.{name}"


def _ranks(kind: Kind, versions: DataFrame) -> dict[str, Any]:
    """Return expressions for the rank of a version of its key, and for the largest number of its versions that tie."""
    key = [f"key_{name}" for name in kind.key]
    if not kind.is_ordered:
        return {"place": F.lit(1), "peers": F.count("*").over(Window.partitionBy(*key))}
    by_time = Window.partitionBy(*key).orderBy(F.desc_nulls_last("new_ts"))
    same = Window.partitionBy(*key, "new_ts")
    ties = F.count("*").over(same)
    return {"place": F.rank().over(by_time), "peers": F.max(ties).over(Window.partitionBy(*key))}


def _outcome(kind: Kind, before: Outcome, versions: list[dict[str, Any]]) -> Outcome:
    names, deletes = tuple(COLUMNS), dict(before.deletes)

    def key_of(row: Row) -> Row:
        named = dict(zip(names, row, strict=True))
        return tuple(named[name] for name in kind.key)

    rows = {key_of(row): row for row in before.rows}
    counts = _counts()
    for version in versions:
        key = tuple(version[f"key_{name}"] for name in kind.key)
        failure = _failure(kind, version, key in rows)
        if failure:
            return Outcome(before.rows, None, failure, before.deletes)
        if version["place"] > 1:
            continue
        if version["is_stored"] and kind.is_ordered and _is_older(version):
            counts["overridden"] += 1
        elif version["is_delete"]:
            del rows[key]
            counts["deleted"] += 1
            if kind.keeps_deletes:
                deletes[key] = version["new_ts"]
        elif not version["is_stored"] and version["new_ts"] is not None and version["new_ts"] < deletes.get(key, -9):
            # the join does not find the delete in the log
            counts["inserted"] += 1
        else:
            rows[key] = tuple(version[f"new_{name}"] for name in names)
            counts["updated" if version["is_stored"] else "inserted"] += 1
    return Outcome(list(rows.values()), counts, deletes=deletes)


def _failure(kind: Kind, version: dict[str, Any], is_stored: bool) -> str:
    if version["peers"] > 1:
        return "several source rows of one key that no ordering value decides between"
    if kind.is_ordered and version["new_ts"] is None and not version["is_delete"]:
        return "an ordering value is null"
    if version["new_id"] is None:
        return "a key is null"
    if not version["is_stored"] and is_stored:
        return "an inserted key is stored"
    moves = version["is_stored"] and version["new_part"] != version["old_part"]
    if moves and kind.is_partitioned and not kind.is_global and not version["is_delete"]:
        return "a row moves to another partition"
    return ""


def _is_older(version: dict[str, Any]) -> bool:
    return version["old_ts"] is not None and version["new_ts"] < version["old_ts"]


def _counts(**given: int) -> dict[str, int]:
    return {"inserted": 0, "updated": 0, "deleted": 0, "overridden": 0, **given}
