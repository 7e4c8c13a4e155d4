"""An option is declared once: its short name is the attribute, the rest stands in the field's metadata."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import attrs

from hoodoo.errors import OptionError
from hoodoo.options.coerce import flag_of, items_of

__all__ = ["convert", "keys_of", "option"]


def option(
    *hudi: str,
    help: str,  # noqa: A002 - the word that option declarations use everywhere
    kind: str = "text",
    default: Any = None,
    choices: tuple[str, ...] = (),
    shown_default: str | None = None,
    minimum: int | None = None,
    secret: bool = False,
    refused: Mapping[str, str] = MappingProxyType({}),
) -> Any:
    """Declare an option.

    Args:
        hudi: The `hoodie.*` keys that mean the same, preferred one first.
        help: One sentence for the documentation.
        kind: `text`, `flag`, `integer`, `number`, `names` (of columns, with commas between them), `plugins`
            (names of plugins, likewise) or `mapping` (a dictionary or JSON).
        default: The value where it is not given; None means "not given".
        choices: The values that are possible; case makes no difference, nor does `_` in place of `-`.
        shown_default: What the documentation says where the default depends on something.
        minimum: The smallest value that an `integer` can have.
        secret: Whether the value must not be shown, in messages or elsewhere.
        refused: Values of Hudi's that are not possible here, and why.
    """
    metadata = {
        "hudi": hudi,
        "help": help,
        "kind": kind,
        "choices": choices,
        "shown_default": shown_default,
        "minimum": minimum,
        "secret": secret,
        "refused": refused,
    }
    return attrs.field(default=default, metadata=metadata, repr=not secret)


def keys_of(field: attrs.Attribute[Any]) -> tuple[str, ...]:
    """Every key that sets a field: the short name, then Hudi's."""
    return (field.name, *field.metadata["hudi"])


def convert(field: attrs.Attribute[Any], key: str, value: Any) -> Any:
    """A given value in the field's type; Spark hands over strings.

    Raises:
        OptionError: the value is none of the field's kind or choices, or too small.
    """
    converted = _CONVERTERS[field.metadata["kind"]](key, value)
    minimum = field.metadata["minimum"]
    if minimum is not None and converted < minimum:
        raise OptionError(f"option '{key}' is {value!r}; it takes a whole number of at least {minimum}")
    choices = field.metadata["choices"]
    if not choices:
        return converted
    plain = str(converted).lower().replace("-", "_")
    for choice in choices:
        if plain == choice.lower().replace("-", "_"):
            return choice
    if plain in field.metadata["refused"]:
        raise OptionError(f"option '{key}' cannot be {value!r}: {field.metadata['refused'][plain]}")
    raise OptionError(f"option '{key}' is {value!r}; it takes {', '.join(choices)}")


def _text(key: str, value: Any) -> str:
    if isinstance(value, (str, int, float)) and not isinstance(value, bool):
        return str(value)
    raise OptionError(f"option '{key}' takes text, got {type(value).__name__}")


def _flag(key: str, value: Any) -> bool:
    try:
        return flag_of(str(value))
    except ValueError:
        raise OptionError(f"option '{key}' is {value!r}; it takes true or false") from None


def _integer(key: str, value: Any) -> int:
    try:
        return int(str(value).strip())
    except ValueError:
        raise OptionError(f"option '{key}' is {value!r}; it takes a whole number") from None


def _number(key: str, value: Any) -> float:
    try:
        return float(str(value).strip())
    except ValueError:
        raise OptionError(f"option '{key}' is {value!r}; it takes a number") from None


def _names(key: str, value: Any, noun: str = "column") -> tuple[str, ...]:
    if isinstance(value, str):
        value = items_of(value)
    if not isinstance(value, (list, tuple)) or not all(isinstance(name, str) for name in value):
        raise OptionError(f"option '{key}' takes {noun} names, as a list or with commas between them")
    names = tuple(name.strip() for name in value if name.strip())
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise OptionError(f"option '{key}' names {noun} '{twice}' twice; name it once")
    return names


def _mapping(key: str, value: Any) -> dict[str, Any]:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except json.JSONDecodeError as error:
            raise OptionError(f"option '{key}' is not valid JSON: {error}") from None
    if not isinstance(value, Mapping):
        raise OptionError(f"option '{key}' takes a dictionary, or JSON of one")
    return dict(value)


_CONVERTERS: Mapping[str, Callable[[str, Any], Any]] = {
    "text": _text,
    "flag": _flag,
    "integer": _integer,
    "number": _number,
    "names": _names,
    "plugins": functools.partial(_names, noun="plugin"),
    "mapping": _mapping,
}
