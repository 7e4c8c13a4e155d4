"""Checks of clauses and expressions without a table."""

from __future__ import annotations

import pytest

from hoodoo.errors import StatementError
from hoodoo.statements.clauses import Clause, check_clauses, check_condition, check_expression

DELETE, INSERT = Clause("matched", "delete"), Clause("not matched", "insert", None, None)


@pytest.mark.parametrize(
    ("clause", "text"),
    [
        (DELETE, "WHEN MATCHED THEN DELETE"),
        (INSERT, "WHEN NOT MATCHED THEN INSERT *"),
        (
            Clause("not matched by source", "update", "t.v > 1", {"v": "1"}),
            "WHEN NOT MATCHED BY SOURCE AND t.v > 1 THEN UPDATE SET v = 1",
        ),
    ],
)
def test_a_clause_has_its_text_in_sql(clause, text):
    assert clause.text == text


def test_clauses_of_one_kind_need_conditions_but_the_last():
    some = Clause("matched", "update", "s.v > 1", None)
    check_clauses([some, DELETE, INSERT, Clause("not matched by source", "delete")])
    with pytest.raises(
        StatementError, match=r"'WHEN MATCHED AND s.v > 1 THEN UPDATE SET \*' never applies, because 'WHEN M"
    ):
        check_clauses([DELETE, INSERT, some])
    with pytest.raises(StatementError, match="never applies"):
        check_clauses([INSERT, DELETE, INSERT])


def test_a_merge_needs_a_clause():
    with pytest.raises(StatementError, match="has no clause; add at least one, such as whenMatchedUpdateAll"):
        check_clauses([])


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("rand()", 1),
        ("1 + RandN ( 3 )", 5),
        ("filter(s.xs, x -> x > uuid())", 23),
        ("v in (select monotonically_increasing_id() from w)", 14),
        ("input_file_name() || 'a'", 1),
    ],
)
def test_functions_of_changing_values_are_refused_at_their_place(text, column):
    with pytest.raises(StatementError, match="may return another value when a task is repeated") as refused:
        check_expression(text)
    assert (refused.value.line, refused.value.column) == (1, column)


@pytest.mark.parametrize("text", ["rand + 1", "t.rand = s.uuid", "'rand()'", "`rand`", "1 -- rand()", "over + 1"])
def test_columns_and_strings_of_their_names_are_not(text):
    check_expression(text)


def test_each_expression_of_a_clause_is_checked():
    for clause in (
        Clause("matched", "delete", "rand() > 1"),
        Clause("matched", "update", None, {"a": "1", "b": "rand()"}),
        Clause("not matched", "insert", None, {"a": "sum(x) over (partition by y)"}),
    ):
        with pytest.raises(StatementError, match=r"line 1, column"):
            check_clauses([clause])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the expression is empty"),
        (" -- only a comment", "the expression is empty"),
        ("1; drop table t", "an expression cannot have a semicolon"),
        ("sum(v) OVER (ORDER BY id)", "a window function needs other rows"),
        ("'open", "is not closed"),
        ({"a": 1}, "is not an expression"),
        ([1], "is not an expression"),
    ],
)
def test_other_expressions_are_refused(text, message):
    with pytest.raises(StatementError, match=message):
        check_expression(text)


@pytest.mark.parametrize("value", [5, 1.5, None, "a > 1", "';'", object()])
def test_plain_values_texts_and_other_objects_are_expressions(value):
    check_expression(value)


@pytest.mark.parametrize("value", [True, False, 1, ["a > 1"], {"a": 1}])
def test_a_condition_is_a_text_or_a_column(value):
    with pytest.raises(StatementError, match=r"the condition is of type .* must be a text in Spark's SQL or a Column"):
        check_condition(value)


def test_a_condition_is_checked_as_an_expression():
    check_condition("a > 1")
    check_condition(None)
    with pytest.raises(StatementError, match="is empty"):
        check_condition("")
