"""Analysis of expressions, and the place of Spark's errors."""

from __future__ import annotations

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import functions as F

from hoodoo.errors import StatementError
from hoodoo.spark.statements import expressions
from hoodoo.spark.statements.expressions import Given, condition, explained, values


def value(frame, *given):
    [made] = values(frame, [Given(*given)])
    return made


@pytest.fixture(scope="module")
def frame(spark):
    """Return joined rows with a column `v` on both sides."""
    table = spark.createDataFrame([(1, 2, [1, 2])], "id int, v int, xs array<int>").alias("t")
    return table.join(spark.createDataFrame([(1, 3)], "key int, v int").alias("s"), F.expr("t.id = s.key"))


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("t.v + s.v", 5),
        ("size(filter(xs, x -> x > t.id))", 1),
        (7, 7),
        (None, None),
        ("'a' || id", "a1"),
        ("(select max(id) from range(4))", 3),
    ],
)
def test_texts_and_plain_values_are_columns(frame, given, expected):
    assert frame.select(value(frame, given)).collect()[0][0] == expected


def test_columns_stay_as_they_are(frame):
    made = F.col("t.v") * 2
    assert value(frame, made) is made


def test_conditions_are_boolean(frame):
    assert frame.where(condition(frame, "t.v < s.v")).count() == 1
    assert frame.where(condition(frame, F.col("t.v") > 5)).count() == 0
    assert frame.where(condition(frame, "id in (select r.id from range(3) r where r.id = t.id)")).count() == 1
    for given in ("t.v", F.col("t.v")):
        with pytest.raises(StatementError, match="the condition is not a boolean"):
            condition(frame, given)


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("t.id +\n  missing", 2, 3, "name `missing` cannot be resolved"),
        ("id + v", 1, 6, "Reference `v` is ambiguous"),
        ("id +", 1, 5, "Syntax error at or near end of input"),
        ("id, key", 1, 3, "Syntax error at or near ','"),
        ("1 + made(id)", 1, 5, "Cannot resolve routine `made`|Cannot resolve function `made`"),
        ("id + array(1)", 1, 1, "Cannot resolve"),
        ("sum(id)", 1, 1, "an aggregate or window function needs other rows"),
        ("explode(xs)", 1, 1, "returns several rows"),
        ("*", 1, 1, "Invalid usage of '\\*'"),
    ],
)
def test_an_error_of_spark_is_shown_at_its_place(frame, text, line, column, message):
    with pytest.raises(StatementError, match=message) as refused:
        value(frame, text)
    assert (refused.value.line, refused.value.column) == (line, column)
    assert "SQLSTATE" not in str(refused.value)
    assert "__hoodoo" not in str(refused.value)


def test_the_place_is_that_of_the_text_as_it_was_written(frame):
    written = "id + `t`.id\n + upper(id) + nothing"
    with pytest.raises(StatementError, match="nothing") as refused:
        value(frame, "`t`.id + `t`.id\n + upper(`t`.id) + nothing", written, "`t`.")
    assert (refused.value.line, refused.value.column) == (2, 16)
    assert "\n   + upper(id) + nothing\n" in str(refused.value)


@pytest.mark.parametrize("made", [F.rand, F.monotonically_increasing_id, F.spark_partition_id, F.input_file_name])
def test_columns_of_changing_values_are_refused(frame, made):
    with pytest.raises(StatementError, match="may return another value when a task is repeated"):
        value(frame, F.coalesce(made().cast("string"), F.lit("")))


def test_functions_of_the_user_are_judged_by_their_declaration(frame, spark):
    spark.udf.register("made_same", F.udf(lambda v: v + 1, "int"))
    spark.udf.register("made_random", F.udf(lambda v: v + 1, "int").asNondeterministic())
    value(frame, "made_same(id)")
    with pytest.raises(StatementError, match="may return another value"):
        value(frame, "1 + made_random(id)")


@pytest.mark.parametrize("text", ["sum(id)", "row_number() over (order by id)"])
def test_columns_that_need_other_rows_are_refused(frame, text):
    with pytest.raises(StatementError, match="an aggregate or window function needs other rows"):
        value(frame, F.expr(text))


def test_errors_of_analysis_become_errors_of_the_statement(frame):
    assert explained(lambda: 5) == 5
    with pytest.raises(StatementError, match="cannot be resolved") as refused:
        explained(lambda: frame.select("nothing").schema)
    assert isinstance(refused.value.__cause__, AnalysisException)
    assert refused.value.line is None
    with pytest.raises(ValueError, match="other"):
        explained(lambda: (_ for _ in ()).throw(ValueError("other")))


def test_many_expressions_are_analysed_at_once(frame, monkeypatch):
    given = [Given(f"t.v + {number}") for number in range(9)] + [Given("t.v < s.v", is_condition=True)]
    analyses, analyse = [], expressions._analyse
    monkeypatch.setattr(expressions, "_analyse", lambda *both: analyses.append(1) or analyse(*both))
    assert list(frame.select(*values(frame, given)).collect()[0]) == [*range(2, 11), True]
    assert len(analyses) == 1


@pytest.mark.parametrize(
    ("wrong", "place"),
    [
        (Given("t.v +\n missing"), "line 2, column 2"),
        (Given("id +"), "line 1, column 5"),
        (Given("`s`.v + `s`.nothing", "v + nothing", "`s`."), "line 1, column 5"),
        (Given("sum(t.v)"), "an aggregate or window function"),
        (Given("t.v", is_condition=True), "the condition is not a boolean"),
    ],
)
def test_the_wrong_one_of_many_expressions_is_named(frame, wrong, place):
    with pytest.raises(StatementError, match=place):
        values(frame, [Given("t.v"), Given("(select max(id) from range(4))"), wrong, Given("s.v")])
