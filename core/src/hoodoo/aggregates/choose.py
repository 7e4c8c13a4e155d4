"""Functions by name, as the option `fields` gives them: `{"tags": {"agg": "listagg", "delimiter": ";"}}`."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import Any

from hoodoo.aggregates import lists, numbers, values
from hoodoo.aggregates.function import ColumnFunction
from hoodoo.errors import AmbiguousPlugin, PluginError, UnknownPlugin
from hoodoo.plugin import PluginClass, default_catalogue
from hoodoo.plugin.catalog.names import normalised
from hoodoo.plugin.option import convert_options, describe_options

__all__ = ["FUNCTIONS", "column_function", "uses_of"]

FAMILY = "aggregate"

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
    """The function of a column, from what `fields` says of it: a built-in one, or a plugin of family `aggregate`.

    Args:
        column: The column.
        given: `agg` names the function, `ignore_retract` lets deletes leave the column alone, and the rest are
            options of the function.
        default: The function where `agg` is not given.

    Raises:
        UnknownPlugin: no built-in function and no installed plugin has the name.
        PluginError: a plugin that has it cannot be used, or has the name of a built-in function.
        OptionError: the function does not take such an option.
    """
    rest = {str(key).lower().replace("-", "_"): value for key, value in given.items()}
    name = normalised(str(rest.pop("agg", default)))
    ignore = str(rest.pop("ignore_retract", False)).lower() == "true"
    if name in FUNCTIONS:
        _check_alone(column, name)
        cls = FUNCTIONS[name]
        options = convert_options(f"function '{name}' of column '{column}'", describe_options(cls), rest)
        return ColumnFunction(column, name, cls(**options), ignore)
    plugin = _plugin(column, name)
    options = convert_options(f"{plugin.info.label} of column '{column}'", plugin.options, rest)
    return ColumnFunction(column, plugin.info.name, plugin.make(options), ignore, plugin.info)


def uses_of(functions: Iterable[ColumnFunction]) -> tuple[tuple[str, str], ...]:
    """What a merger says by `uses` of its functions: the plugins among them."""
    plugins = {function.plugin for function in functions if function.plugin is not None}
    return tuple((info.family, info.name) for info in sorted(plugins))


def _plugin(column: str, name: str) -> PluginClass:
    catalogue = default_catalogue()
    try:
        return catalogue.load(FAMILY, name)
    except UnknownPlugin:
        names = [*FUNCTIONS, *(info.name for info in catalogue.list(FAMILY))]
        near = difflib.get_close_matches(name, names, n=3)
        others = f"did you mean {' or '.join(map(repr, near))}?" if near else f"there are {', '.join(sorted(names))}"
        raise UnknownPlugin(
            f"column '{column}' has no aggregate function '{name}', built in or installed; {others}"
        ) from None
    except PluginError as error:
        raise type(error)(f"column '{column}' cannot be aggregated: {error}", code=error.code) from error


def _check_alone(column: str, name: str) -> None:
    """Refuse a plugin that has the name of a built-in function: which of them is meant, nobody could say."""
    offered = [info for info in default_catalogue().list(FAMILY) if name in info.names]
    if offered:
        plugins = ", ".join(info.label for info in offered)
        raise AmbiguousPlugin(
            f"column '{column}' is aggregated by '{name}', a built-in function and another name of {plugins}; "
            f"uninstall it, or use a version of it that has a name of its own: pip uninstall {offered[0].distribution}"
        )
