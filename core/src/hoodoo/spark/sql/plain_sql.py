"""Spark's own `sql`, also in an enabled session."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["ORIGINAL", "plain_sql", "quoted_name", "text_literal"]

ORIGINAL = "_hoodoo_original"
"""Name of the attribute that holds Spark's method, in each method by which `hoodoo.enable` replaces one."""


def plain_sql(
    spark: SparkSession, text: str, args: Mapping[str, Any] | list[Any] | None = None, **frames: Any
) -> DataFrame:
    """Return the result of a statement that Spark parses and executes.

    Args:
        spark: The session.
        text: The statement.
        args: The values of markers `:name`, or of markers `?`.
        frames: The values of markers `{name}`.
    """
    method: Any = type(spark).sql
    method = getattr(method, ORIGINAL, method)
    given = dict(args) if isinstance(args, Mapping) else args
    found: DataFrame = method(spark, text, **({"args": given} if given else {}), **frames)
    return found


def quoted_name(*parts: str) -> str:
    """Return the quoted name of a table or column for a statement; its parts may contain any characters."""
    return ".".join("`" + part.replace("`", "``") + "`" for part in parts)


def text_literal(value: str) -> str:
    """Return a string literal for parts of Spark's grammar that accept only a literal, such as LOCATION.

    Characters that end a string, escape others or start a variable are written as code points.
    """
    return "'" + "".join(c if c.isalnum() or c in _SAFE else _escaped(c) for c in value) + "'"


_SAFE = " /:.,_-=+@~()[]<>#&;!?*^|"


def _escaped(character: str) -> str:
    code = ord(character)
    return f"\\u{code:04X}" if code < 0x10000 else character
