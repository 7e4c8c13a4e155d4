"""Expressions over the columns of two versions, written as lists, such as `["gt", "s.ts", 0]`.

The prefix `s.` refers to a column of the source, which is the incoming version, and `t.` to one of the target, the
stored version. Other texts, numbers, true, false and null are literals; `["lit", "s.x"]` is a literal that looks like a
column. Nulls behave as in SQL, and NaN as in Spark: it equals itself and is greater than any other number.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from attrs import frozen
from numpy.typing import NDArray

from hoodoo.errors import DataError, OptionError
from hoodoo.record.records import Records
from hoodoo.schema.columns import column_at, has_column

__all__ = [
    "Call",
    "Column",
    "Expression",
    "Literal",
    "Sides",
    "columns_of",
    "holds",
    "parse_expression",
    "value_of",
    "values_at",
]

Sides = Mapping[str, Records]
"""The versions of n keys, by side: `s` or `t`."""

SIDES = ("s", "t")


@frozen
class Column:
    """A column of one side; a dotted path refers to a field of a struct."""

    side: str
    name: str


@frozen
class Literal:
    """Value that is the same for every row."""

    value: Any


@frozen
class Call:
    """A function applied to other expressions."""

    function: str
    arguments: tuple[Expression, ...]


Expression = Column | Literal | Call


def parse_expression(given: Any) -> Expression:
    """Return the expression that a list, a text, a number, true, false or null represents.

    Raises:
        ValueError: The value is not a valid expression.
    """
    if isinstance(given, str):
        side, dot, name = given.partition(".")
        return Column(side, name) if dot and name and side in SIDES else Literal(given)
    if given is None or isinstance(given, (bool, int, float)):
        return Literal(given)
    if not isinstance(given, (list, tuple)) or not given or not isinstance(given[0], str):
        raise ValueError(f'{given!r} is not an expression; use a literal, "s.column", "t.column" or ["function", ...]')
    name, *arguments = given
    if name == "lit" and len(arguments) == 1 and not isinstance(arguments[0], (list, tuple, dict)):
        return Literal(arguments[0])
    if name not in _FUNCTIONS:
        raise ValueError(f"there is no function '{name}'; the functions are {', '.join([*_FUNCTIONS, 'lit'])}")
    if name == "in":
        if len(arguments) != 2 or not isinstance(arguments[1], (list, tuple)) or not arguments[1]:
            raise ValueError(f'"in" takes an expression and a list of at least one literal, got {list(given)!r}')
        arguments = [arguments[0], *arguments[1]]
    fewest, most, _ = _FUNCTIONS[name]
    if not fewest <= len(arguments) <= (most or len(arguments)):
        taken = "1 argument" if fewest == most == 1 else f"{fewest}{'' if most else ' or more'} arguments"
        raise ValueError(f'"{name}" takes {taken}, got {len(arguments)}')
    return Call(name, tuple(map(parse_expression, arguments)))


def columns_of(expression: Expression) -> frozenset[Column]:
    """Return the columns that the expression refers to."""
    if isinstance(expression, Call):
        return frozenset[Column]().union(*map(columns_of, expression.arguments))
    return frozenset([expression] if isinstance(expression, Column) else [])


def holds(condition: Expression, sides: Sides, where: str) -> NDArray[np.bool_]:
    """Return a mask of the keys for which the condition is true; null is treated as false.

    Args:
        condition: An expression whose values are booleans or null.
        sides: The versions of n keys.
        where: The name of the condition in messages.

    Raises:
        OptionError: The condition refers to a missing column, or does not match the types of its columns.
        DataError: The condition cannot be computed for a value.
    """
    values = _values(condition, sides, where, lambda found: _condition(found))
    mask: NDArray[np.bool_] = pc.fill_null(values, fill_value=False).to_numpy(zero_copy_only=False)
    return mask


def value_of(expression: Expression, sides: Sides, type_: pa.DataType, where: str) -> pa.Array:
    """Return n values of an expression, in the type of their target column.

    Args:
        expression: An expression over columns of `sides`.
        sides: The versions of n keys.
        type_: The type of the target column.
        where: The name of the value in messages.

    Raises:
        OptionError: The expression refers to a missing column, or does not match the types of its columns.
        DataError: The expression cannot be computed, or cannot be converted to the type, for a value.
    """
    return _values(expression, sides, where, lambda found: found if found.type == type_ else found.cast(type_))


def values_at(records: Records, path: str) -> pa.Array | None:
    """Return the values at a dotted path, including changes of earlier merges; None if there is no such column."""
    if has_column(records.schema, path):
        return records.column(path)
    root = path.partition(".")[0]
    if not has_column(records.schema, root):
        return None
    return column_at(pa.table({root: records.column(root)}), path)


Values = Any
"""An array, or one scalar for all rows."""


def _values(expression: Expression, sides: Sides, where: str, last: Callable[[Values], Values]) -> pa.Array:
    length = len(next(iter(sides.values())))
    try:
        found = last(_evaluated(expression, sides))
    except (pa.ArrowNotImplementedError, TypeError) as error:
        raise OptionError(f"{where} does not fit the types of its columns: {error}; correct the expression") from error
    except pa.ArrowInvalid as error:
        if length and columns_of(expression):
            raise DataError(f"{where} cannot be computed for some rows: {error}; correct the values") from error
        raise OptionError(f"{where} does not fit the types of its columns: {error}; correct the expression") from error
    except LookupError as error:
        raise OptionError(
            f"{where} names column '{error.args[0]}', which does not exist; correct the name, or write a text as "
            f'["lit", "{error.args[0]}"]'
        ) from error
    return pa.repeat(found, length) if isinstance(found, pa.Scalar) else found


def _evaluated(expression: Expression, sides: Sides) -> Values:
    if isinstance(expression, Literal):
        return pa.scalar(expression.value)
    if isinstance(expression, Column):
        values = values_at(sides[expression.side], expression.name)
        if values is None:
            raise LookupError(f"{expression.side}.{expression.name}")
        return values
    _, _, function = _FUNCTIONS[expression.function]
    return function(*(_evaluated(argument, sides) for argument in expression.arguments))


def _condition(values: Values) -> Values:
    if pa.types.is_null(values.type):
        return values.cast(pa.bool_())
    if not pa.types.is_boolean(values.type):
        raise TypeError(f"a condition must be boolean, not {values.type}")
    return values


def _fitted(one: Values, other: Values) -> tuple[Values, Values]:
    """Return both operands; a null, and a text literal next to a column, get the type of the other operand.

    Dates and times can therefore be written as texts.
    """
    return _as(one, other), _as(other, one)


def _as(value: Values, other: Values) -> Values:
    if pa.types.is_null(value.type):
        return value.cast(other.type)
    if isinstance(value, pa.Scalar) and pa.types.is_string(value.type) and isinstance(other, pa.Array):
        return value.cast(other.type)
    return value


def _compared(name: str, of_nan: Callable[[Values, Values, Values], Values]) -> Callable[[Values, Values], Values]:
    def compare(one: Values, other: Values) -> Values:
        one, other = _fitted(one, other)
        result = pc.call_function(name, [one, other])
        if not pa.types.is_floating(one.type) and not pa.types.is_floating(other.type):
            return result
        return of_nan(result, _is_nan(one), _is_nan(other))

    return compare


def _is_nan(values: Values) -> Values:
    return pc.is_nan(values) if pa.types.is_floating(values.type) else pa.scalar(False)


def _computed(name: str) -> Callable[[Values, Values], Values]:
    return lambda one, other: pc.call_function(name, [*_fitted(one, other)])


def _all(*conditions: Values) -> Values:
    return reduce(pc.and_kleene, map(_condition, conditions))


def _any(*conditions: Values) -> Values:
    return reduce(pc.or_kleene, map(_condition, conditions))


def _is_in(value: Values, *items: Values) -> Values:
    equal = _FUNCTIONS["eq"][2]
    return _any(*(equal(value, item) for item in items))


_FUNCTIONS: Mapping[str, tuple[int, int | None, Callable[..., Values]]] = {
    "eq": (2, 2, _compared("equal", lambda found, one, other: pc.or_(found, pc.and_(one, other)))),
    "ne": (2, 2, _compared("not_equal", lambda found, one, other: pc.and_not(found, pc.and_(one, other)))),
    "lt": (2, 2, _compared("less", lambda found, one, other: pc.or_(found, pc.and_not(other, one)))),
    "le": (2, 2, _compared("less_equal", lambda found, one, other: pc.or_(found, other))),
    "gt": (2, 2, _compared("greater", lambda found, one, other: pc.or_(found, pc.and_not(one, other)))),
    "ge": (2, 2, _compared("greater_equal", lambda found, one, other: pc.or_(found, one))),
    "and": (2, None, _all),
    "or": (2, None, _any),
    "not": (1, 1, lambda condition: pc.invert(_condition(condition))),
    "is_null": (1, 1, pc.is_null),
    "is_not_null": (1, 1, pc.is_valid),
    "in": (2, None, _is_in),
    "plus": (2, 2, _computed("add_checked")),
    "minus": (2, 2, _computed("subtract_checked")),
    "mul": (2, 2, _computed("multiply_checked")),
}
"""Functions by name: minimum and maximum number of arguments (None: unlimited), and the implementation."""
