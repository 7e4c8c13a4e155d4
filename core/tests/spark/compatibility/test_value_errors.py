"""Errors of Spark about values."""

from __future__ import annotations

import pytest
from pyspark.sql import functions as F

from hoodoo.spark.compatibility.value_errors import sentence_in, value_error
from hoodoo.spark.session_conf import setting

ABORTED = (
    "An error occurred while calling o1.collectToPython.\n: org.apache.spark.SparkException: Job aborted due to stage "
    "failure: Lost task 0.0 in stage 3.0 (TID 8) (host executor driver): "
)


@pytest.mark.parametrize(
    ("expression", "word"),
    [
        ("id div (id - id)", "DIVIDE_BY_ZERO"),
        ("cast(concat('x', id) as int)", "CAST_INVALID_INPUT"),
        ("cast(id * 3000000000 as int)", "CAST_OVERFLOW"),
        ("element_at(array(1), cast(id + 1 as int))", "INVALID_ARRAY_INDEX"),
        ("raise_error(concat('no value ', id))", "no value 1"),
        ("from_json(concat('a', id), 'a INT', map('mode', 'FAILFAST')).a", "MALFORMED_RECORD_IN_PARSING"),
    ],
)
def test_an_expression_without_a_value_is_found(spark, expression, word):
    frame = spark.range(1, 2)
    with setting(spark, "spark.sql.ansi.enabled", True), pytest.raises(Exception) as raised:
        frame.select(F.expr(expression)).collect()
    assert word in (value_error(raised.value) or "")


def test_other_errors_are_not_about_values(spark, tmp_path):
    with pytest.raises(Exception) as raised:
        spark.read.parquet(str(tmp_path / "nothing")).collect()
    assert value_error(raised.value) is None
    assert value_error(ValueError("x")) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("java.lang.RuntimeException: 7 does not fit\n\tat org.apache.spark.X", "7 does not fit"),
        ("org.apache.spark.SparkArithmeticException: [DIVIDE_BY_ZERO] Division by zero.\n\tat x", "[DIVIDE_BY_ZERO]"),
        ("java.io.IOException: No space left on device\n\tat x", None),
        ("java.io.IOException: closed\nCaused by: java.lang.RuntimeException: no disk", None),
        ("org.apache.spark.api.python.PythonException: Traceback", None),
    ],
)
def test_the_text_of_a_failed_job_has_the_class_and_the_sentence(text, expected):
    found = sentence_in(ABORTED + text)
    assert found is None if expected is None else found.startswith(expected)
