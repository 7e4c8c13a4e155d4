"""Declaration of options as attrs fields: the field name is the short name, and its metadata has the rest."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import attrs
from attrs import frozen

from hoodoo.errors import OptionError
from hoodoo.options.parsing.coerce import flag_of, items_of

__all__ = ["SubstituteValue", "convert", "keys_of", "option"]


@frozen
class SubstituteValue:
    """Value that replaces one that Hudi permits and hoodoo does not support.

    Attributes:
        value: The value that hoodoo uses instead.
        reason: The notice about the replacement: its reason, and the difference for the user; "" for no notice.
        defaults: Values of other options of the class, by field, that apply if these options are not given.
    """

    value: Any
    reason: str = ""
    defaults: Mapping[str, Any] = MappingProxyType({})


def option(
    *hudi: str,
    help: str,  # noqa: A002 - the usual keyword for this in option declarations
    kind: str = "text",
    default: Any = None,
    choices: tuple[str, ...] = (),
    shown_default: str | None = None,
    minimum: int | None = None,
    secret: bool = False,
    unsupported: Mapping[str, str] = MappingProxyType({}),
    substitutes: Mapping[str, SubstituteValue] = MappingProxyType({}),
    first_key_wins: bool = False,
    exact: bool = False,
) -> Any:
    """Declare an option as a field of an attrs class.

    Args:
        hudi: The other keys that set the option, such as `hoodie.*` keys, the preferred key first.
        help: The description for the documentation.
        kind: `text`, `flag`, `integer`, `number`, `names` (comma-separated columns), `plugins` (comma-separated plugin
            names) or `mapping` (a dictionary or JSON).
        default: The value if the option is not given; None means "not given".
        choices: The permitted values, compared without regard to case and with `-` equal to `_`.
        shown_default: The default in the documentation, for a default that depends on something else.
        minimum: The smallest permitted value of an `integer`.
        secret: Whether messages and representations must not show the value.
        unsupported: Values that Hudi permits and hoodoo does not support, each with the reason; in lower case with `_`.
        substitutes: Values of Hudi that another value replaces, with a notice; in lower case with `_`.
        first_key_wins: Whether the first of two keys of Hudi takes precedence if they have different values, as in
            Hudi.
        exact: Whether each text for a `flag` that is neither true nor false is an error. Otherwise a text that a key of
            Hudi sets, and that is not a likely misspelling, is false, as in Hudi.
    """
    metadata = {
        "hudi": hudi,
        "help": help,
        "kind": kind,
        "choices": choices,
        "shown_default": shown_default,
        "minimum": minimum,
        "secret": secret,
        "unsupported": unsupported,
        "substitutes": substitutes,
        "first_key_wins": first_key_wins,
        "exact": exact,
    }
    return attrs.field(default=default, metadata=metadata, repr=not secret)


def keys_of(field: attrs.Attribute[Any]) -> tuple[str, ...]:
    """Return all keys that set a field: the short name, then Hudi's keys."""
    return (field.name, *field.metadata["hudi"])


def convert(field: attrs.Attribute[Any], key: str, value: Any) -> Any:
    """Return an option's value in the type of its field; Spark passes strings.

    Raises:
        OptionError: The value is not of the field's kind, is too small, is not one of the choices, or has a name twice.
    """
    converted = _CONVERTERS[field.metadata["kind"]](key, value)
    minimum = field.metadata["minimum"]
    if minimum is not None and converted < minimum:
        raise OptionError(f"option '{key}' is {value!r}; expected a whole number of at least {minimum}")
    choices = field.metadata["choices"]
    if not choices:
        return converted
    plain = str(converted).strip().lower().replace("-", "_")
    for choice in choices:
        if plain == choice.lower().replace("-", "_"):
            return choice
    if plain in field.metadata["unsupported"]:
        raise OptionError(f"option '{key}' cannot be {value!r}: {field.metadata['unsupported'][plain]}")
    raise OptionError(f"option '{key}' is {value!r}; expected one of: {', '.join(choices)}")


def _text(key: str, value: Any) -> str:
    if isinstance(value, (str, int, float)) and not isinstance(value, bool):
        return str(value)
    raise OptionError(f"option '{key}' is of type {type(value).__name__}; expected text")


def _flag(key: str, value: Any) -> bool:
    try:
        return flag_of(str(value))
    except ValueError:
        raise OptionError(f"option '{key}' is {value!r}; expected true or false") from None


def _integer(key: str, value: Any) -> int:
    try:
        return int(str(value).strip())
    except ValueError:
        raise OptionError(f"option '{key}' is {value!r}; expected a whole number") from None


def _number(key: str, value: Any) -> float:
    try:
        return float(str(value).strip())
    except ValueError:
        raise OptionError(f"option '{key}' is {value!r}; expected a number") from None


def _names(key: str, value: Any, noun: str = "column") -> tuple[str, ...]:
    if isinstance(value, str):
        value = items_of(value)
    if not isinstance(value, (list, tuple)) or not all(isinstance(name, str) for name in value):
        raise OptionError(
            f"option '{key}' is {value!r}, which is not a list of {noun} names; give a list of strings, "
            "or one string with commas"
        )
    names = tuple(name.strip() for name in value if name.strip())
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise OptionError(f"option '{key}' lists {noun} '{twice}' twice; list it once")
    return names


def _mapping(key: str, value: Any) -> dict[str, Any]:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except json.JSONDecodeError as error:
            raise OptionError(
                f"option '{key}' is not valid JSON: {error}; give a dictionary or a JSON object"
            ) from None
        except RecursionError:
            raise OptionError(f"option '{key}' is JSON that is nested too deeply; give a flat JSON object") from None
    if not isinstance(value, Mapping):
        raise OptionError(f"option '{key}' is of type {type(value).__name__}; expected a dictionary or a JSON object")
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
