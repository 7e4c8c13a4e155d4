"""Parser of filters in Spark's SQL, for the parts of a filter that can exclude files."""

from __future__ import annotations

import importlib
import re
from collections.abc import Mapping
from datetime import date
from typing import Any

import pyarrow as pa

from hoodoo.reading.indexed import FLIPPED, Column, FunctionCall, Literal, Node

__all__ = ["spark_filter"]

_COMPARISONS = {
    "EQ": "equal",
    "NEQ": "not_equal",
    "LT": "less",
    "LTE": "less_equal",
    "GT": "greater",
    "GTE": "greater_equal",
}
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
# the meaning of quotes and escapes depends on settings of the session; comments are not part of the filter
_UNSURE = ("\\", '"', "--", "/*")
_SKIP_NULLS = 1


def spark_filter(text: str, schema: pa.Schema, *, case_sensitive: bool) -> Node | None:
    """Return the structure of a filter; None if its form is not supported. Spark reports errors in the text.

    A part of the structure is None if the form of the part is not supported, if Spark would convert the column, or if
    the meaning depends on the session.

    Args:
        text: The filter in Spark's SQL.
        schema: The columns of the DataFrame.
        case_sensitive: Whether names of columns that differ by case are different.
    """
    if any(part in text for part in _UNSURE):
        return None
    # imported here, because tasks and an import of hoodoo do not need the parser
    sqlglot = importlib.import_module("sqlglot")
    try:
        tree = sqlglot.parse_one(text, dialect="spark")
    except sqlglot.errors.SqlglotError:
        return None
    fields: dict[str, list[pa.Field]] = {}
    for field in schema:
        fields.setdefault(field.name if case_sensitive else field.name.lower(), []).append(field)
    return _Reader({name: found[0] for name, found in fields.items() if len(found) == 1}, case_sensitive).node(tree)


class _Reader:
    def __init__(self, fields: Mapping[str, pa.Field], case_sensitive: bool) -> None:
        self._fields = fields
        self._case_sensitive = case_sensitive

    def node(self, tree: Any) -> Node | None:
        kind = type(tree).__name__
        if kind == "Paren":
            return self.node(tree.this)
        if kind in ("And", "Or"):
            return FunctionCall(f"{kind.lower()}_kleene", (self.node(tree.this), self.node(tree.expression)))
        if kind == "Not":
            return FunctionCall("invert", (self.node(tree.this),))
        if kind == "Boolean":
            return Literal(pa.scalar(bool(tree.this)))
        if kind == "Column":
            return self._column(tree)
        if kind in _COMPARISONS:
            return self._comparison(_COMPARISONS[kind], tree.this, tree.expression)
        if kind == "Between":
            low = self._comparison("greater_equal", tree.this, tree.args["low"])
            return FunctionCall("and_kleene", (low, self._comparison("less_equal", tree.this, tree.args["high"])))
        if kind == "Is" and type(tree.expression).__name__ == "Null":
            return FunctionCall("is_null", (self._column(tree.this),))
        if kind == "In":
            return self._membership(tree)
        if kind == "Like":
            return self._prefix(tree)
        return None

    def _field(self, tree: Any) -> pa.Field | None:
        if type(tree).__name__ != "Column" or len(tree.parts) != 1:
            return None
        return self._fields.get(tree.name if self._case_sensitive else tree.name.lower())

    def _column(self, tree: Any) -> Column | None:
        field = self._field(tree)
        return None if field is None else Column(field.name)

    def _comparison(self, function: str, left: Any, right: Any) -> Node | None:
        field, other = self._field(left), right
        if field is None:
            field, other, function = self._field(right), left, FLIPPED[function]
        if field is None or self._field(other) is not None:
            return None
        return FunctionCall(function, (Column(field.name), _literal(other, field.type)))

    def _membership(self, tree: Any) -> Node | None:
        field = self._field(tree.this)
        if field is None or tree.args.get("query") or tree.args.get("unnest") or not tree.expressions:
            return None
        found = [_literal(one, field.type) for one in tree.expressions if type(one).__name__ != "Null"]
        values = [one.value.as_py() for one in found if one is not None]
        if len(values) < len(found):
            return None
        set_ = pa.scalar(values, pa.list_(field.type))
        return FunctionCall(
            "is_in", (Column(field.name),), {"value_set": set_, "null_matching_behavior": pa.scalar(_SKIP_NULLS)}
        )

    def _prefix(self, tree: Any) -> Node | None:
        field, pattern = self._field(tree.this), tree.expression
        if field is None or not pa.types.is_string(field.type) or not getattr(pattern, "is_string", False):
            return None
        prefix, sign, rest = pattern.this.partition("%")
        if not sign or rest or "_" in prefix:
            return None
        options = {"pattern": pa.scalar(prefix), "ignore_case": pa.scalar(False)}
        return FunctionCall("starts_with", (Column(field.name),), options)


def _literal(tree: Any, type_: pa.DataType) -> Literal | None:
    """Return a constant that Spark compares with a column of a type without converting the column; None otherwise."""
    kind = type(tree).__name__
    if kind == "Neg" and pa.types.is_integer(type_):
        found = _literal(tree.this, type_)
        return None if found is None else Literal(pa.scalar(-found.value.as_py(), type_))
    if kind == "Boolean" and pa.types.is_boolean(type_):
        return Literal(pa.scalar(bool(tree.this)))
    if kind != "Literal":
        return None
    if tree.is_string:
        if pa.types.is_string(type_):
            return Literal(pa.scalar(tree.this, type_))
        return _day(tree.this) if pa.types.is_date32(type_) else None
    is_small = tree.this.isdecimal() and tree.this.isascii() and int(tree.this).bit_length() < _bits(type_)
    return Literal(pa.scalar(int(tree.this), type_)) if is_small else None


def _bits(type_: pa.DataType) -> int:
    """Return the number of bits of the values of an integer type; 0 for other types."""
    return int(type_.bit_width) if pa.types.is_integer(type_) else 0


def _day(text: str) -> Literal | None:
    if not _DAY.fullmatch(text):
        return None
    try:
        return Literal(pa.scalar(date.fromisoformat(text)))
    except ValueError:
        return None
