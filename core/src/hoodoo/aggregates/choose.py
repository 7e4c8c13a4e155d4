"""Functions by name, as the option `fields` gives them: `{"tags": {"agg": "listagg", "delimiter": ";"}}`."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

from hoodoo.aggregates import lists, numbers, values
from hoodoo.aggregates.function import ColumnFunction
from hoodoo.errors import OptionError
from hoodoo.plugin.options import convert_options, describe_options

__all__ = ["FUNCTIONS", "column_function"]

FUNCTIONS: Mapping[str, type] = {
    "bool-and": values.BoolAnd,
    "bool-or": values.BoolOr,
    "collect": lists.Collect,
    "count": numbers.Count,
    "first-non-null-value": values.FirstNonNullValue,
    "first-value": values.FirstValue,
    "last-non-null-value": values.LastNonNullValue,
    "last-value": values.LastValue,
    "listagg": lists.ListAgg,
    "max": numbers.Max,
    "merge-map": lists.MergeMap,
    "min": numbers.Min,
    "product": numbers.Product,
    "sum": numbers.Sum,
}
"""The built-in functions; `_` in a name is the same as `-`."""


def column_function(column: str, given: Mapping[str, Any], default: str) -> ColumnFunction:
    """The function of a column, from what `fields` says of it.

    Args:
        column: The column.
        given: `agg` names the function, `ignore_retract` lets deletes leave the column alone, and the rest are
            options of the function.
        default: The function where `agg` is not given.

    Raises:
        OptionError: there is no such function, or it does not take such an option.
    """
    rest = {str(key).lower().replace("-", "_"): value for key, value in given.items()}
    name = str(rest.pop("agg", default)).lower().replace("_", "-")
    if name not in FUNCTIONS:
        near = difflib.get_close_matches(name, FUNCTIONS, n=3) or sorted(FUNCTIONS)
        raise OptionError(f"column '{column}' has no aggregate function '{name}'; there is {', '.join(near)}")
    ignore = rest.pop("ignore_retract", False)
    cls = FUNCTIONS[name]
    options = convert_options(f"function '{name}' of column '{column}'", describe_options(cls), rest)
    return ColumnFunction(column, name, cls(**options), str(ignore).lower() == "true")
