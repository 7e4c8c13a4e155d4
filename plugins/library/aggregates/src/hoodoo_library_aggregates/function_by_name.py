"""Functions by name, from the option `fields`: `{"tags": {"agg": "listagg", "delimiter": ";"}}`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from hoodoo.errors import PluginError, UnknownPlugin
from hoodoo.plugin import PluginClass, default_catalogue
from hoodoo.plugin.helpers.column_function import ColumnFunction
from hoodoo.plugin.installed.suggestions import all_missing
from hoodoo.plugin.option import convert_options

__all__ = ["column_function", "column_functions", "uses_of"]


def column_function(column: str, given: Mapping[str, Any], default: str) -> ColumnFunction:
    """Return the function of a column by its settings in `fields`.

    Args:
        column: The column whose values the function merges.
        given: `agg` is the name of the function, with `_` or `-`; with `ignore_retract` deletes leave the column
            unchanged; all other keys are options of the function.
        default: The name of the function if `agg` is not given.

    Raises:
        UnknownPlugin: No installed function has the name.
        PluginError: The function cannot be used: its name is ambiguous, it is broken, or an allow-list excludes it.
        OptionError: An option of the function is unknown, invalid or missing.
    """
    rest = {str(key).lower().replace("-", "_"): value for key, value in given.items()}
    plugin = _plugin(column, str(rest.pop("agg", default)))
    ignore_retract = str(rest.pop("ignore_retract", False)).lower() == "true"
    options = convert_options(f"{plugin.info.label} of column '{column}'", plugin.options, rest)
    return ColumnFunction(column, plugin.info, plugin.make(options), ignore_retract)


def column_functions(settings: Mapping[str, Mapping[str, Any]], default: str) -> dict[str, ColumnFunction]:
    """Return the functions of columns by their settings in `fields`.

    Raises:
        UnknownPlugin: Functions are not installed; one error for all of them.
        PluginError: As `column_function`.
        OptionError: As `column_function`.
    """
    found, missing = {}, []
    for column, given in settings.items():
        try:
            found[column] = column_function(column, given, default)
        except UnknownPlugin as error:
            missing.append(error)
    if missing:
        raise all_missing(missing)
    return found


def uses_of(functions: Iterable[ColumnFunction]) -> tuple[tuple[str, str], ...]:
    """Return the functions as sorted pairs of family and name, each once, for the attribute `uses` of a merger."""
    return tuple((info.family, info.name) for info in sorted({function.plugin for function in functions}))


def _plugin(column: str, name: str) -> PluginClass:
    try:
        return default_catalogue().load("aggregate", name)
    except UnknownPlugin as error:
        text = f"column '{column}' cannot be aggregated: {error}"
        raise UnknownPlugin(text, plugin=error.plugin, requirement=error.requirement) from error
    except PluginError as error:
        raise type(error)(f"column '{column}' cannot be aggregated: {error}", code=error.code) from error
