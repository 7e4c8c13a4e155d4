"""The clauses that the methods of the builder add."""

from __future__ import annotations

import pytest

from hoodoo.errors import StatementError
from hoodoo.statements.clauses import Clause
from hoodoo.statements.merge_builder import MergeBuilder
from hoodoo.storage import LocalStorage


@pytest.fixture
def builder(tmp_path):
    return MergeBuilder(LocalStorage(str(tmp_path)), None, "t.id = s.id")


def test_each_method_adds_its_clause_and_returns_the_builder(builder):
    made = (
        builder.whenMatchedUpdate("a", {"v": "1"})
        .whenMatchedUpdate(set={"v": 2})
        .whenMatchedUpdateAll("b")
        .whenMatchedDelete("c")
        .whenNotMatchedInsert("d", {"v": "3"})
        .whenNotMatchedInsertAll()
        .whenNotMatchedBySourceUpdate("e", {"v": "4"})
        .whenNotMatchedBySourceDelete()
    )
    assert made is builder
    assert builder.clauses == [
        Clause("matched", "update", "a", {"v": "1"}),
        Clause("matched", "update", None, {"v": 2}),
        Clause("matched", "update", "b", None),
        Clause("matched", "delete", "c", {}),
        Clause("not matched", "insert", "d", {"v": "3"}),
        Clause("not matched", "insert", None, None),
        Clause("not matched by source", "update", "e", {"v": "4"}),
        Clause("not matched by source", "delete", None, {}),
    ]


def test_columns_of_the_source_are_added_only_if_the_user_says_so(builder):
    assert builder.evolves is False
    assert builder.with_schema_evolution().evolves is True
    other = MergeBuilder(builder.storage, None, "t.id = s.id")
    assert other.withSchemaEvolution() is other
    assert other.evolves is True


@pytest.mark.parametrize("values", [None, {}])
def test_a_clause_without_columns_is_refused(builder, values):
    for method in (builder.whenMatchedUpdate, builder.whenNotMatchedBySourceUpdate):
        with pytest.raises(StatementError, match="'set' has no column"):
            method("a", values)
    with pytest.raises(StatementError, match="'values' has no column"):
        builder.whenNotMatchedInsert("a", values)
    assert builder.clauses == []


@pytest.mark.parametrize("values", ["v = 1", ["v"], 5])
def test_other_values_than_a_dictionary_are_refused(builder, values):
    with pytest.raises(StatementError, match="give a dictionary such as"):
        builder.whenMatchedUpdate(set=values)


def test_builders_do_not_share_clauses(builder):
    builder.whenMatchedDelete()
    assert MergeBuilder(builder.storage, None, "t.id = s.id").clauses == []
