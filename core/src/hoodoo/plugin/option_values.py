"""Conversion of user values, often strings from Spark options, to the types of a plugin's options."""

from __future__ import annotations

import json
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any

from hoodoo.options.parsing.coerce import flag_of, items_of

__all__ = ["convert", "is_supported", "type_name"]

_SCALARS = (bool, int, float, str, type(None))
_LISTS = (tuple, list)


def is_supported(annotation: Any) -> bool:
    """Return whether user values can be converted to this type."""
    origin, arguments = _parts(annotation)
    if annotation is Any or annotation in _SCALARS or origin is typing.Literal:
        return True
    if origin is typing.Union:
        return all(is_supported(argument) for argument in arguments)
    if origin is tuple:
        return not arguments or (len(arguments) == 2 and arguments[1] is Ellipsis and is_supported(arguments[0]))
    if origin is list:
        return all(is_supported(argument) for argument in arguments)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return not arguments or (arguments[0] is str and is_supported(arguments[1]))
    return False


def convert(annotation: Any, value: Any) -> Any:
    """Convert a value to the annotated type, which must be supported (`is_supported`).

    Raises:
        ValueError: The value cannot be converted to that type; the message states the reason, if known.
    """
    origin, arguments = _parts(annotation)
    if annotation is Any:
        return value
    if origin is typing.Union:
        return _convert_union(arguments, value)
    if origin is typing.Literal:
        return _convert_literal(arguments, value)
    if origin in _LISTS:
        items = items_of(value) if isinstance(value, str) else value
        if not isinstance(items, _LISTS):
            raise ValueError
        element = arguments[0] if arguments else Any
        return origin(convert(element, item) for item in items)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        try:
            mapping = json.loads(value) if isinstance(value, str) else value
        except RecursionError:
            raise ValueError from None
        if not isinstance(mapping, Mapping):
            raise ValueError
        element = arguments[1] if arguments else Any
        return {convert(str, key): convert(element, item) for key, item in mapping.items()}
    return _convert_scalar(annotation, value)


def type_name(annotation: Any) -> str:
    """Return the name of a type for messages."""
    if isinstance(annotation, type) and not typing.get_args(annotation):
        return annotation.__name__
    return str(annotation).replace("typing.", "").replace("collections.abc.", "").replace("NoneType", "None")


def _parts(annotation: Any) -> tuple[Any, tuple[Any, ...]]:
    """Return the origin and the arguments of a type, such as `dict` and `(str, int)` for `dict[str, int]`."""
    origin = typing.get_origin(annotation)
    if origin in (typing.Union, types.UnionType):
        return typing.Union, typing.get_args(annotation)
    if origin is None:
        return annotation, ()
    return origin, typing.get_args(annotation)


def _convert_literal(choices: tuple[Any, ...], value: Any) -> Any:
    for choice in choices:
        if (type(choice) is type(value) and choice == value) or (isinstance(value, str) and str(choice) == value):
            return choice
    raise ValueError


def _convert_union(arguments: tuple[Any, ...], value: Any) -> Any:
    if value is None and type(None) in arguments:
        return None
    # text can be converted to several types: the type of the value itself is tried first
    for argument in sorted(arguments, key=lambda a: _parts(a)[0] is not type(value)):
        if argument is type(None):
            continue
        try:
            return convert(argument, value)
        except ValueError:
            continue
    raise ValueError


def _convert_scalar(kind: type, value: Any) -> Any:
    if kind is bool:
        if isinstance(value, bool):
            return value
        if isinstance(value, str):
            return _quietly(flag_of, value)
        raise ValueError
    if isinstance(value, bool) or kind is type(None):
        raise ValueError
    if kind is str and isinstance(value, str):
        return value
    if kind is int and isinstance(value, (int, str)):
        return _quietly(int, value)
    if kind is float and isinstance(value, (int, float, str)):
        return _quietly(float, value)
    raise ValueError


def _quietly(kind: Callable[[Any], Any], value: Any) -> Any:
    try:
        return kind(value)
    except (ValueError, OverflowError):
        # the error's text would repeat the value, which the message already contains
        raise ValueError from None
