"""Store assignment equals that of Spark's own INSERT into a Parquet table: the allowed types, values and errors."""

from __future__ import annotations

import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import functions as F
from pyspark.sql.types import _parse_datatype_string

from hoodoo.spark.compatibility.value_errors import value_error
from hoodoo.spark.session_conf import setting
from hoodoo.spark.statements.store_assignment import assigned, is_assignable

VALUES = {
    "boolean": ["true"],
    "tinyint": ["1Y", "-128Y"],
    "smallint": ["1S", "300S"],
    "int": ["1", "70000"],
    "bigint": ["1L", "3000000000L", "-9223372036854775808L"],
    "float": ["cast(1.5 as float)", "cast('NaN' as float)", "cast(3e38 as float)"],
    "double": ["2.5D", "-0.0D", "1e300D", "double('Infinity')", "2147483647.5D"],
    "decimal(5,2)": ["1.25BD", "-999.99BD"],
    "decimal(20,4)": ["cast(1.2355 as decimal(20,4))", "cast(1e15 as decimal(20,4))"],
    "string": ["'1'", "'x'"],
    "binary": ["X'4142'"],
    "date": ["DATE'2026-03-01'"],
    "timestamp": ["TIMESTAMP'2026-03-01 12:30:00'"],
    "timestamp_ntz": ["TIMESTAMP_NTZ'2026-03-01 12:30:00'"],
    "array<int>": ["array(1, null)"],
    "array<bigint>": ["array(1L, 3000000000L)", "array(null, 2L)"],
    "array<string>": ["array('a')"],
    "map<string,bigint>": ["map('a', 3000000000L)", "map('a', 1L, 'b', null)"],
    "map<string,int>": ["map('a', 1)"],
    "struct<a:bigint,b:string>": ["named_struct('a', 5000000000L, 'b', 'x')", "named_struct('a', 1L, 'b', null)"],
    "struct<a:int,b:string>": ["named_struct('a', 1, 'b', 'x')"],
    "array<struct<a:double,b:decimal(10,3)>>": ["array(named_struct('a', 1e30D, 'b', 1.2345BD), null)"],
    "array<struct<a:int,b:decimal(4,2)>>": ["array(named_struct('a', 1, 'b', 1.25BD))"],
}  # fmt: skip
"""SQL expressions of values, by their type."""


@pytest.fixture(scope="module")
def inserts(spark, tmp_path_factory):
    """Yield the names of Parquet tables by the type of their column `v`, into which tests insert values."""
    folder = tmp_path_factory.mktemp("inserts")
    for number, type_ in enumerate(VALUES):
        spark.sql(f"CREATE TABLE insert_{number} (n int, v {type_}) USING parquet LOCATION '{folder}/{number}'")
    yield {type_: f"insert_{number}" for number, type_ in enumerate(VALUES)}
    for number in range(len(VALUES)):
        spark.sql(f"DROP TABLE insert_{number}")


@pytest.mark.nightly
@pytest.mark.parametrize("ansi", [True, False])
@pytest.mark.parametrize("given", VALUES)
def test_a_value_is_assigned_as_spark_inserts_it(given, ansi, spark, inserts):
    source = _parse_datatype_string(given)
    with setting(spark, "spark.sql.ansi.enabled", ansi):
        for wanted, table in inserts.items():
            target = _parse_datatype_string(wanted)
            expected = [_inserted(spark, table, "null", given)]
            if expected != ["refused"]:
                # Spark refuses types, not values
                expected = [*(_inserted(spark, table, value, given) for value in VALUES[given]), *expected]
            # INSERT refuses structs with other names of fields, as we do
            assert is_assignable(source, target) == ("refused" not in expected), (given, wanted, expected)
            if "refused" not in expected:
                own = [_assigned(spark, value, source, target) for value in [*VALUES[given], "null"]]
                assert own == expected, (given, wanted)


def _inserted(spark, table, value, given):
    try:
        spark.sql(f"INSERT OVERWRITE {table} SELECT 1 AS n, cast({value} as {given}) AS v")
    except (PySparkException, Py4JJavaError) as error:
        return "refused" if "INCOMPATIBLE_DATA_FOR_TABLE" in str(error) else "fails"
    text = _text(spark.table(table).select("v"))
    # Spark stores null for a number that no decimal can represent, such as NaN
    return "fails" if text[0].startswith("decimal") and "None" in text[1] and value != "null" else text


def _assigned(spark, value, source, target):
    frame = spark.sql(f"SELECT cast({value} as {source.simpleString()}) AS v")
    try:
        return _text(frame.select(assigned("v", source, target, "made").alias("v")))
    except (PySparkException, Py4JJavaError) as error:
        return "fails" if value_error(error) is not None else "another error"


def _text(frame):
    kind = frame.schema["v"].dataType.simpleString()
    return kind, str(frame.select(F.struct("v")).collect())


def test_the_error_of_a_number_names_its_column_and_types(spark):
    frame = spark.sql("SELECT 3000000000L AS v")
    given, wanted = (_parse_datatype_string(name) for name in ("bigint", "int"))
    with pytest.raises((PySparkException, Py4JJavaError)) as raised:
        frame.select(assigned("v", given, wanted, "amount")).collect()
    assert "type bigint does not fit into column 'amount' of type int: 3000000000" in (value_error(raised.value) or "")


@pytest.mark.parametrize("ansi", [True, False])
def test_names_of_nested_fields_may_have_any_characters(ansi, spark):
    given = _parse_datatype_string("struct<`a b`:bigint,`it's`:array<map<bigint,double>>>")
    wanted = _parse_datatype_string("struct<`A b`:int,`it's`:array<map<int,float>>>")
    value = "named_struct('a b', 1L, 'it\\'s', array(map(2L, 2.5D), null))"
    frame = spark.sql(f"SELECT {value} AS `v``w` UNION ALL SELECT null")
    with setting(spark, "spark.sql.ansi.enabled", ansi):
        made = frame.select(assigned("v`w", given, wanted, "it's").alias("v"))
        assert made.schema["v"].dataType.simpleString() == wanted.simpleString()
        first, second = (row.v for row in made.collect())
    assert (first["A b"], first["it's"], second) == (1, [{2: 2.5}, None], None)


@pytest.mark.parametrize(
    ("given", "wanted", "expected"),
    [
        ("void", "int", True),
        ("void", "array<int>", True),
        ("string", "int", False),
        ("int", "boolean", False),
        ("struct<A:int>", "struct<a:bigint>", True),
        ("struct<a:int>", "struct<b:int>", False),
        ("struct<a:int,b:int>", "struct<a:int>", False),
        ("array<int>", "string", False),
        ("map<int,int>", "map<string,string>", True),
    ],
)
@pytest.mark.usefixtures("spark")
def test_types_are_assignable(given, wanted, expected):
    # Spark parses the names of types
    assert is_assignable(*(_parse_datatype_string(name) for name in (given, wanted))) is expected
