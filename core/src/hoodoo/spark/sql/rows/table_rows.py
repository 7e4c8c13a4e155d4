"""Rows of a Hudi table that a query names, with time travel, options and table functions."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hoodoo.errors import OptionError
from hoodoo.spark.scan.read import read
from hoodoo.spark.sql.plain_sql import plain_sql, text_literal
from hoodoo.spark.sql.tables.named_table import NamedTable
from hoodoo.spark.sql.tables.names import named, parts_of, resolve
from hoodoo.sql_parsing.cursor import Cursor
from hoodoo.sql_parsing.parameters import with_literals
from hoodoo.sql_parsing.references import TableReference
from hoodoo.sql_text.fragment import Fragment
from hoodoo.sql_text.tokens import Kind
from hoodoo.timeline import format_instant, parse_instant

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["FUNCTIONS", "rows_of", "table_of_name", "text_of"]

Args = Mapping[str, Any] | list[Any]

_REFUSED = {
    "hudi_query_timeline": "use CALL show_commits(table => ...)",
    "hudi_filesystem_view": "use CALL show_fsview_all(table => ...)",
    "hudi_metadata": "`hoodoo table indexes` and `hoodoo table validate` show the metadata table",
}

FUNCTIONS = ("hudi_query", "hudi_table_changes", *_REFUSED)
"""Names of Hudi's table functions."""


def rows_of(spark: SparkSession, reference: TableReference, args: Args) -> DataFrame | None:
    """Return the rows of a table, lazily; None if it is neither a Hudi table nor a table function of Hudi.

    Args:
        spark: The session.
        reference: The reference to the table in the query.
        args: The values of markers `:name`, by name, or a list of the values of markers `?`.

    Raises:
        StatementError: A table function is not supported, has wrong arguments or names no Hudi table, or the time of a
            time travel is invalid.
        HoodooError: As in `hoodoo.read`.
    """
    if reference.arguments is not None:
        return _of_function(spark, reference, args)
    target = resolve(spark, reference.name.parts)
    if target is None:
        return None
    options = {**target.given(spark).read, **reference.options}
    if reference.time is not None:
        options["as_of"] = _time(spark, target, reference.time, args)
    return read(spark, target.path, **options)


def table_of_name(spark: SparkSession, name: Any, options: Mapping[str, Any]) -> DataFrame | None:
    """Return the rows of a table by its name, for `spark.table`; None if it is not a Hudi table.

    Args:
        spark: The session.
        name: The name, with or without its database.
        options: Options of the read, which take precedence over those of session and table.
    """
    parts = parts_of(name) if isinstance(name, str) else None
    target = None if parts is None else resolve(spark, parts)
    if target is None:
        return None
    lower = {key.lower() for key in options}
    given = {key: value for key, value in target.given(spark).read.items() if key.lower() not in lower}
    return read(spark, target.path, **{**given, **options})


def _of_function(spark: SparkSession, reference: TableReference, args: Args) -> DataFrame | None:
    function = reference.name.parts[-1].lower()
    if function in _REFUSED:
        raise reference.at.error(f"{function} is not supported; {_REFUSED[function]}", code="refused")
    if function == "hudi_query":
        target, values = _arguments(spark, reference, args, "hudi_query(table, 'snapshot' or 'read_optimized')", 2, 2)
        return read(spark, target.path, **{**target.given(spark).read, "query_type": values[0]})
    if function == "hudi_table_changes":
        form = "hudi_table_changes(table, 'latest_state' or 'cdc', begin [, end])"
        target, values = _arguments(spark, reference, args, form, 3, 4)
        options: dict[str, Any] = {"query_type": "incremental", "incremental_format": values[0], "begin": values[1]}
        if len(values) > 2:
            options["end"] = values[2]
        if values[0] == "cdc":
            options["meta_columns"] = False
        given = {key: value for key, value in target.given(spark).read.items() if "quer" not in key}
        return read(spark, target.path, **{**given, **options})
    return None


def _arguments(
    spark: SparkSession, reference: TableReference, args: Args, form: str, least: int, most: int
) -> tuple[NamedTable, list[str]]:
    """Return the table and the other arguments of a table function."""
    given = reference.arguments or ()
    if not least <= len(given) <= most:
        raise reference.at.error(f"{reference.name} has {len(given)} argument{'s' * (len(given) != 1)}; write {form}")
    texts = [text_of(argument, args) for argument in given]
    return named(spark, texts[0], given[0]), texts[1:]


def text_of(argument: Fragment, args: Args) -> str:
    """Return the text of an argument: a string, a number, a name, or a parameter.

    Raises:
        StatementError: The argument is another expression, or the parameter has no value.
    """
    cursor = Cursor.of(argument.sql)
    token = cursor.next()
    if token.kind in (Kind.STRING, Kind.NUMBER) and cursor.at_end:
        return token.value
    if token.is_symbol(":") and cursor.peek().is_name and isinstance(args, Mapping):
        name = cursor.next().value
        if name not in args:
            raise argument.error(f"the value of parameter '{name}' is missing; pass it with the statement")
        if cursor.at_end:
            return str(args[name])
    cursor.index = 0
    if token.is_name:
        cursor.name("a name")
        if cursor.at_end:
            return argument.sql
    raise argument.error("a string, a number, a name or a parameter is expected here")


def _time(spark: SparkSession, target: NamedTable, time: Fragment, args: Args) -> str:
    """Return the value of the option `as_of` for the time of a time travel.

    This is the value of a string, a number or a parameter, or the instant of another expression of Spark.
    """
    if time.start == time.end:
        raise time.error("a time is expected here: a string, or an expression without columns", code="syntax")
    tokens = Cursor.of(time.sql).tokens
    if len(tokens) == 2 and tokens[0].kind in (Kind.STRING, Kind.NUMBER):
        return _as_instant(spark, target, tokens[0].value)
    if len(tokens) == 3 and tokens[0].is_symbol(":") and isinstance(args, Mapping):
        value = args.get(tokens[1].value)
        if isinstance(value, str | int):
            return str(value)
    from pyspark.errors import PySparkException

    named_args = args if isinstance(args, Mapping) else {}
    expression = with_literals(time, named_args)
    try:
        query = f"SELECT unix_micros(CAST(({expression}) AS TIMESTAMP)) AS micros"
        [row] = plain_sql(spark, query).collect()
    except PySparkException as error:
        raise time.error("the time cannot be evaluated; give a string, a timestamp or a date") from error
    if row["micros"] is None:
        raise time.error("the time is null; give an instant")
    return _instant(spark, target, row["micros"])


def _as_instant(spark: SparkSession, target: NamedTable, text: str) -> str:
    """Return the instant of a text that only Spark parses as a time, such as one with a time zone.

    Return other texts unchanged.
    """
    try:
        parse_instant(text, "as_of")
    except OptionError:
        query = f"SELECT unix_micros(TRY_CAST({text_literal(text)} AS TIMESTAMP)) AS micros"
        [row] = plain_sql(spark, query).collect()
        if row["micros"] is not None:
            return _instant(spark, target, row["micros"])
    return text


def _instant(spark: SparkSession, target: NamedTable, micros: int) -> str:
    moment = dt.datetime(1970, 1, 1, tzinfo=dt.UTC) + dt.timedelta(microseconds=micros)
    return format_instant(moment, target.table(spark).timeline.zone)
