"""Generated histories of statements: after each, the table has the rows that Spark computes on plain DataFrames.

`HOODOO_STATEMENT_HISTORIES` is the number of histories and `HOODOO_FIRST_STATEMENTS` the first seed.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from pyspark.sql import SparkSession

import hoodoo
from hoodoo.errors import HoodooError

from .bits import bits
from .expressions import session_with
from .generated import COLUMNS, Clause, History, Row, Statement, histories, table_of
from .spark_model import Outcome, executed

HISTORIES = int(os.environ.get("HOODOO_STATEMENT_HISTORIES", "4"))
FIRST = int(os.environ.get("HOODOO_FIRST_STATEMENTS", "0"))
SHARES = 4
"""Tests over which the histories are divided, so that processes share them; each has a seed of its own."""


@pytest.mark.scaled
@pytest.mark.parametrize("share", range(SHARES))
def test_a_history_of_statements_has_the_rows_of_spark(spark, tmp_path, share):
    folders = iter(range(1_000_000))

    @seed(FIRST + share)
    @settings(
        max_examples=max(1, HISTORIES // SHARES),
        deadline=None,
        database=None,
        # a smaller history takes longer to find than to understand the printed one
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
        print_blob=False,
    )
    @given(history=histories())
    def check(history: History) -> None:
        with session_with(spark, spark_sql_shuffle_partitions="1", spark_sql_adaptive_enabled="false"):
            follow(spark, tmp_path / str(next(folders)), history)

    check()


def follow(spark: SparkSession, path: Path, history: History) -> None:
    """Execute the statements of a history on a table, and compare it with the model after each."""
    frame = spark.createDataFrame(table_of(history.first, tuple(COLUMNS)))
    hoodoo.write(frame, path, dict(history.kind.options))
    outcome = Outcome(history.first, {})
    for number, statement in enumerate(history.statements):
        what = f"statement {number} of {history.kind.options} on {outcome.rows}: {statement}"
        outcome = executed(spark, history.kind, outcome, statement)
        before = len(hoodoo.Table(path).timeline.commits)
        if outcome.counts is None:
            try:
                execute(spark, path, statement)
            except HoodooError:
                assert len(hoodoo.Table(path).timeline.commits) == before, what
            else:
                raise AssertionError(f"no failure, although {outcome.failure}: {what}")
        else:
            try:
                found = execute(spark, path, statement)
            except HoodooError as error:
                raise AssertionError(f"failed: {what}") from error
            assert found == outcome.counts, f"{found} instead of {outcome.counts}: {what}"
        read = hoodoo.read(spark, path, meta_columns=False).select(*COLUMNS).collect()
        _same("read", (tuple(row) for row in read), outcome.rows, what)
        stored = hoodoo.Table(path).to_arrow(list(COLUMNS)).to_pylist()
        _same("to_arrow", (tuple(row.values()) for row in stored), outcome.rows, what)


def execute(spark: SparkSession, path: Path, statement: Statement) -> dict[str, int]:
    """Execute a statement, and return the numbers of rows in its result."""
    names = ("inserted", "updated", "deleted", "overridden")
    if statement.is_text:
        source = {"source": _source(spark, statement)} if statement.columns else {}
        row = hoodoo.sql(spark, _text(path, statement), **source).collect()[0]
        return {name: row[name] or 0 for name in names}
    table = hoodoo.Table(path)
    if statement.form in ("update", "delete"):
        [clause] = statement.clauses
        if statement.form == "update":
            result = table.update(clause.condition, dict(clause.values or {}), spark=spark)
        else:
            result = table.delete(clause.condition, spark=spark)
    else:
        options = {"override_ordering": True} if statement.override_ordering else {}
        builder = table.merge(_source(spark, statement), statement.on, **options)
        for clause in statement.clauses:
            _add(builder, clause)
        result = builder.execute()
    return {name: getattr(result, name) for name in names}


def _add(builder, clause: Clause) -> None:
    name = "when" + "".join(word.capitalize() for word in clause.when.split()) + clause.action.capitalize()
    if clause.action == "delete":
        getattr(builder, name)(clause.condition)
    elif clause.values is None:
        getattr(builder, f"{name}All")(clause.condition)
    else:
        getattr(builder, name)(clause.condition, dict(clause.values))


def _text(path: Path, statement: Statement) -> str:
    table = f"hudi.`{path}` AS t"
    if statement.form == "insert":
        columns = ", ".join(COLUMNS)
        return (
            f"INSERT INTO hudi.`{path}` ({columns}) SELECT {columns} FROM {{source}} s "
            f"WHERE s.id NOT IN (SELECT id FROM hudi.`{path}`)"
        )
    if statement.form in ("update", "delete"):
        [clause] = statement.clauses
        where = "" if clause.condition is None else f" WHERE {clause.condition}"
        begin = f"UPDATE {table} SET {_assigned(clause)}" if statement.form == "update" else f"DELETE FROM {table}"
        return begin + where
    clauses = " ".join(
        f"WHEN {clause.when.upper()}{f' AND {clause.condition}' if clause.condition else ''} THEN {_action(clause)}"
        for clause in statement.clauses
    )
    return f"MERGE INTO {table} USING {{source}} AS s ON {statement.on} {clauses}"


def _action(clause: Clause) -> str:
    if clause.action == "delete":
        return "DELETE"
    if clause.values is None:
        return "UPDATE SET *" if clause.action == "update" else "INSERT *"
    if clause.action == "update":
        return f"UPDATE SET {_assigned(clause)}"
    return f"INSERT ({', '.join(clause.values)}) VALUES ({', '.join(clause.values.values())})"


def _assigned(clause: Clause) -> str:
    return ", ".join(f"{name} = {value}" for name, value in (clause.values or {}).items())


def _source(spark: SparkSession, statement: Statement):
    return spark.createDataFrame(table_of(statement.source, statement.columns))


def _same(reader: str, found: Iterable[Row], expected: Iterable[Row], what: str) -> None:
    got, wanted = (Counter(repr(bits(row)) for row in rows) for rows in (found, expected))
    assert got == wanted, f"{reader}: unexpected {list(got - wanted)}, missing {list(wanted - got)}: {what}"
