"""Conversion of a user's dictionary to typed options; unknown and unsupported keys are rejected by name."""

from __future__ import annotations

import difflib
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import attrs

from hoodoo.errors import OptionError, UnknownOption
from hoodoo.options.declare import convert, keys_of
from hoodoo.options.hudi_keys import IGNORED_KEYS, LOCK_KEYS, RESTRICTED_KEYS

__all__ = ["TIMEBASED_PREFIXES", "NoEffectWarning", "Options", "parse"]

T = TypeVar("T")

TIMEBASED_PREFIXES = ("hoodie.keygen.timebased.", "hoodie.deltastreamer.keygen.timebased.")


class NoEffectWarning(UserWarning):
    """Warning about options that have no effect."""


@attrs.frozen
class Options:
    """Parsed options by class: `options[WriteOptions].operation`; `given` is the user's dictionary."""

    _groups: Mapping[type, Any] = attrs.field(repr=False)
    given: Mapping[str, Any] = attrs.field(repr=False)

    def __getitem__(self, group: type[T]) -> T:
        found: T = self._groups[group]
        return found


def parse(given: Mapping[str, Any], groups: Sequence[type], *, reject_unknown: bool = True) -> Options:
    """Return one instance per option class with the values of a user's dictionary.

    Keys are compared without regard to case.

    Args:
        given: The user's options: short names and `hoodie.*` keys.
        groups: attrs classes whose fields are declared with `option`.
        reject_unknown: Whether a key that no class has is an error.

    Raises:
        UnknownOption: A key is not an option; the message suggests similar names.
        OptionError: A value is invalid, two keys of one option have different values, or a key is not supported.
    """
    fields = {
        key.lower(): (group, field) for group in groups for field in attrs.fields(group) for key in keys_of(field)
    }
    values: dict[type, dict[str, Any]] = {group: {} for group in groups}
    keys_used: dict[tuple[type, str], str] = {}
    timebased: dict[str, Any] = {}
    without_effect = []
    for key, value in given.items():
        if not isinstance(key, str):
            raise OptionError(f"option {key!r} is of type {type(key).__name__}; option names must be text")
        name = key.lower()
        if value is None:
            continue
        if name in fields:
            group, field = fields[name]
            converted = convert(field, key, value)
            previous = keys_used.setdefault((group, field.name), key)
            if previous != key and values[group][field.name] != converted:
                both = f": {values[group][field.name]!r} and {converted!r}"
                raise OptionError(
                    f"'{previous}' and '{key}' set the same option to different values"
                    f"{'' if field.metadata['secret'] else both}"
                )
            values[group][field.name] = converted
        elif name.startswith(TIMEBASED_PREFIXES) and "keygen_options" in fields:
            timebased[
                TIMEBASED_PREFIXES[0] + name.removeprefix(TIMEBASED_PREFIXES[0]).removeprefix(TIMEBASED_PREFIXES[1])
            ] = value
        elif name in RESTRICTED_KEYS:
            if str(value).lower() in RESTRICTED_KEYS[name].ignored:
                without_effect.append(key)
            elif str(value).lower() not in map(str.lower, RESTRICTED_KEYS[name].values):
                raise OptionError(f"option '{key}' cannot be {value!r}: {RESTRICTED_KEYS[name].reason}")
        elif "lock_options" in fields and LOCK_KEYS.fullmatch(name):
            continue
        elif any(pattern.fullmatch(name) for pattern in IGNORED_KEYS):
            without_effect.append(key)
        elif reject_unknown:
            raise UnknownOption(f"there is no option '{key}'{_suggestion(name, fields)}", option=key)
    if timebased:
        group, field = fields["keygen_options"]
        values[group][field.name] = {**values[group].get(field.name, {}), **timebased}
    if without_effect:
        warnings.warn(
            f"these options have no effect: {', '.join(sorted(without_effect))}", NoEffectWarning, stacklevel=4
        )
    return Options({group: group(**values[group]) for group in groups}, given)


def _suggestion(name: str, fields: Mapping[str, Any]) -> str:
    near = difflib.get_close_matches(name, fields, n=3, cutoff=0.6)
    return f"; did you mean {' or '.join(repr(match) for match in near)}?" if near else "; see docs/options.md"
