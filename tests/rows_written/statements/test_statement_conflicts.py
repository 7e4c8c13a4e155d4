"""Statements during which other writers commit."""

from __future__ import annotations

import pytest

import hoodoo
from hoodoo.errors import CommitConflict
from hoodoo.spark.statements.clause_rows import ClauseRows
from hoodoo.spark.statements.execution import Execution
from tests.rows_written.statements.merge_model import COLUMNS, stored_rows


def test_a_commit_during_a_statement_is_a_conflict(spark, create, monkeypatch):
    path = create([(1, "p1", 10, "U", 5)])
    from hoodoo.spark.statements.statement_batch import StatementBatch

    at = StatementBatch.at

    def interrupted(self, timeline):
        rows = at(self, timeline)
        monkeypatch.setattr(StatementBatch, "at", at)
        hoodoo.write(spark.createDataFrame([(1, "p1", 50, "U", 6)], COLUMNS), path, {})
        return rows

    monkeypatch.setattr(StatementBatch, "at", interrupted)
    with pytest.raises(CommitConflict):
        hoodoo.Table(path).update("id = 1", {"amount": "amount + 1"}, spark=spark)
    assert stored_rows(spark, path) == {1: (1, "p1", 50, "U", 6)}
    hoodoo.Table(path).update("id = 1", {"amount": "amount + 1"}, spark=spark)
    assert stored_rows(spark, path) == {1: (1, "p1", 51, "U", 6)}


def test_rows_are_made_again_if_another_writer_commits_before_the_statement_begins(spark, create, monkeypatch):
    path = create([(1, "p1", 10, "U", 5)])
    made, rows, run = [], ClauseRows.rows, Execution.run
    monkeypatch.setattr(ClauseRows, "rows", lambda *given: made.append(1) or rows(*given))
    hoodoo.Table(path).update("id = 1", {"amount": "amount + 1"}, spark=spark)
    assert len(made) == 1

    def interrupted(*given):
        hoodoo.write(spark.createDataFrame([(1, "p1", 50, "U", 6)], COLUMNS), path, {})
        return run(*given)

    monkeypatch.setattr(Execution, "run", interrupted)
    hoodoo.Table(path).update("id = 1", {"amount": "amount + 1"}, spark=spark)
    assert len(made) == 3
    assert stored_rows(spark, path) == {1: (1, "p1", 51, "U", 6)}
