"""Options of a plugin: attrs fields, declared with `option` and set from the values that a user gives."""

from __future__ import annotations

import difflib
import typing
from collections.abc import Callable, Mapping
from typing import Any

import attrs
from attrs import frozen

from hoodoo.errors import OptionError, UnknownOption
from hoodoo.plugin.option_values import convert, is_supported, type_name

__all__ = ["OptionInfo", "convert_options", "declared_fields", "describe_options", "option"]


def option(
    *,
    default: Any = attrs.NOTHING,
    key: str | None = None,
    more_keys: tuple[str, ...] = (),
    help: str = "",  # noqa: A002 - the word that option declarations use everywhere
    validator: Callable[[Any, attrs.Attribute[Any], Any], None] | None = None,
    secret: bool = False,
) -> Any:
    """Declare one option of a plugin; the name of the field is the name of the option.

    The annotation defines the accepted values: bool, int, float, str, Literal, `tuple[str, ...]`, `list[...]`,
    `dict[str, ...]`, unions of them, or Any. A string is converted, because Spark options are strings: for tuples and
    lists it is comma-separated, for dictionaries it is JSON.

    Args:
        default: The value if the user gives none. Without a default the option is required.
        key: Another name for the option, usually Hudi's (`hoodie....`).
        more_keys: Further names of the option, such as its name in an earlier release of Hudi.
        help: One sentence, shown by `hoodoo plugins show`.
        validator: As in `attrs.field`; a ValueError that it raises becomes an `OptionError`, another exception a
            `PluginFault`, and a `HoodooError` remains unchanged.
        secret: Whether the value must not be shown, in messages or by `repr`.
    """
    metadata = {"key": key, "more_keys": more_keys, "help": help, "secret": secret}
    return attrs.field(default=default, validator=validator, repr=not secret, metadata=metadata)


@frozen
class OptionInfo:
    """Option that a plugin class declares.

    `default` is None if `required` is true, or if the class computes the default from the other options.
    """

    name: str
    key: str | None
    type: str
    required: bool
    default: Any
    help: str
    annotation: Any
    secret: bool = False
    more_keys: tuple[str, ...] = ()

    @property
    def keys(self) -> tuple[str, ...]:
        """Return all names that set the option."""
        return (self.name, *self.hudi_keys)

    @property
    def hudi_keys(self) -> tuple[str, ...]:
        """Return all names of the option except `name`; they also occur in table properties."""
        return self.more_keys if self.key is None else (self.key, *self.more_keys)


def declared_fields(cls: type) -> list[str]:
    """Return the names of the fields that a class without the decorator of attrs declares with `option`."""
    field = type(attrs.field())
    return [
        name for parent in reversed(cls.__mro__) for name, value in vars(parent).items() if isinstance(value, field)
    ]


def describe_options(cls: type) -> tuple[OptionInfo, ...]:
    """Return the options that a plugin class declares; an empty tuple if it is not an attrs class.

    Raises:
        TypeError: An annotation cannot be resolved, or has a type to which user values cannot be converted.
    """
    if not attrs.has(cls):
        return ()
    try:
        annotations = typing.get_type_hints(cls)
    except NameError as error:
        raise TypeError(f"the type of an option cannot be resolved: {error}; import it in the module") from error
    options = []
    for field in attrs.fields(cls):
        if not field.init:
            continue
        annotation = annotations.get(field.name, Any)
        if not is_supported(annotation):
            raise TypeError(
                f"option '{field.name}' has type {type_name(annotation)}, which options cannot have; use bool, int, "
                "float, str, Literal, tuple[..., ...], list, dict, a union of these, or Any"
            )
        options.append(
            OptionInfo(
                name=field.alias or field.name,
                key=field.metadata.get("key"),
                type=type_name(annotation),
                required=field.default is attrs.NOTHING,
                default=_default(field.default),
                help=field.metadata.get("help", ""),
                annotation=annotation,
                secret=field.metadata.get("secret", False),
                more_keys=field.metadata.get("more_keys", ()),
            )
        )
    return tuple(options)


def convert_options(label: str, options: tuple[OptionInfo, ...], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return given values by option name, converted to the options' types; names are not case-sensitive.

    Raises:
        UnknownOption: The plugin has no such option.
        OptionError: A value cannot be converted to the type of its option, an option has two different values, or a
            required one is missing.
    """
    by_key = {key.lower(): info for info in options for key in info.keys}
    values: dict[str, Any] = {}
    for key, value in given.items():
        info = by_key.get(str(key).lower())
        if info is None:
            raise UnknownOption(f"{label} has no option '{key}'{_near(key, by_key)}")
        try:
            converted = convert(info.annotation, value)
        except ValueError as error:
            got = f"got {type(value).__name__}" if info.secret else f"got {value!r}{_reason(error)}"
            raise OptionError(f"option '{key}' of {label} takes {info.type}, {got}") from None
        if values.setdefault(info.name, converted) != converted:
            both = "" if info.secret else f", as {values[info.name]!r} and {value!r}"
            raise OptionError(f"option '{info.name}' of {label} is given twice{both}; give one value")
    for info in options:
        if info.required and info.name not in values:
            raise OptionError(
                f"{label} needs option '{info.name}'{': ' + info.help.removesuffix('.') if info.help else ''}"
            )
    return values


def _near(key: str, by_key: Mapping[str, OptionInfo]) -> str:
    if not by_key:
        return "; it has no options"
    near = [by_key[match].name for match in difflib.get_close_matches(key.lower(), by_key, n=3, cutoff=0.5)]
    if near:
        return f"; did you mean {' or '.join(repr(name) for name in dict.fromkeys(near))}?"
    return f"; it has {', '.join(sorted({info.name for info in by_key.values()}))}"


def _reason(error: ValueError) -> str:
    return f" ({error})" if str(error) else ""


def _default(default: Any) -> Any:
    if default is attrs.NOTHING:
        return None
    if isinstance(default, attrs.Factory):  # type: ignore[arg-type]
        return None if default.takes_self else default.factory()
    return default
