"""A user's dictionary into typed options: every key is honoured, has no effect, or is refused by name."""

from __future__ import annotations

import difflib
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import attrs

from hoodoo.errors import OptionError, UnknownOption
from hoodoo.options.declare import convert, keys_of
from hoodoo.options.hudi_keys import FOR_LOCKS, NO_EFFECT, ONLY

__all__ = ["TIMEBASED_PREFIXES", "NoEffectWarning", "Options", "parse"]

T = TypeVar("T")

TIMEBASED_PREFIXES = ("hoodie.keygen.timebased.", "hoodie.deltastreamer.keygen.timebased.")


class NoEffectWarning(UserWarning):
    """Options were given that have no effect here."""


@attrs.frozen
class Options:
    """What was given, by group: `options[WriteOptions].operation`; `given` is the user's own dictionary."""

    _groups: Mapping[type, Any] = attrs.field(repr=False)
    given: Mapping[str, Any] = attrs.field(repr=False)

    def __getitem__(self, group: type[T]) -> T:
        found: T = self._groups[group]
        return found


def parse(given: Mapping[str, Any], groups: Sequence[type], *, only_these: bool = True) -> Options:
    """One instance per group, holding what was given; keys are compared without regard to case.

    Args:
        given: The user's options, short names and `hoodie.*` keys mixed.
        groups: attrs classes declared with `option`.
        only_these: Whether a key outside the groups is an error.

    Raises:
        UnknownOption: a key that no option has; the nearest names are in the message.
        OptionError: a value that cannot be, two keys for one option that disagree, or a key that is refused.
    """
    fields = {
        key.lower(): (group, field) for group in groups for field in attrs.fields(group) for key in keys_of(field)
    }
    values: dict[type, dict[str, Any]] = {group: {} for group in groups}
    said: dict[tuple[type, str], str] = {}
    timebased: dict[str, Any] = {}
    without_effect = []
    for key, value in given.items():
        if not isinstance(key, str):
            raise OptionError(f"option {key!r} is of type {type(key).__name__}; the names of options are text")
        name = key.lower()
        if value is None:
            continue
        if name in fields:
            group, field = fields[name]
            converted = convert(field, key, value)
            previous = said.setdefault((group, field.name), key)
            if previous != key and values[group][field.name] != converted:
                both = f": {values[group][field.name]!r} and {converted!r}"
                raise OptionError(
                    f"'{previous}' and '{key}' are one option and disagree{'' if field.metadata['secret'] else both}"
                )
            values[group][field.name] = converted
        elif name.startswith(TIMEBASED_PREFIXES) and "keygen_options" in fields:
            timebased[
                TIMEBASED_PREFIXES[0] + name.removeprefix(TIMEBASED_PREFIXES[0]).removeprefix(TIMEBASED_PREFIXES[1])
            ] = value
        elif name in ONLY:
            if str(value).lower() in ONLY[name].ignored:
                without_effect.append(key)
            elif str(value).lower() not in map(str.lower, ONLY[name].values):
                raise OptionError(f"option '{key}' cannot be {value!r}: {ONLY[name].reason}")
        elif "lock_options" in fields and FOR_LOCKS.fullmatch(name):
            continue
        elif any(pattern.fullmatch(name) for pattern in NO_EFFECT):
            without_effect.append(key)
        elif only_these:
            raise UnknownOption(f"there is no option '{key}'{_near(name, fields)}")
    if timebased:
        group, field = fields["keygen_options"]
        values[group][field.name] = {**values[group].get(field.name, {}), **timebased}
    if without_effect:
        warnings.warn(
            f"these options have no effect: {', '.join(sorted(without_effect))}", NoEffectWarning, stacklevel=4
        )
    return Options({group: group(**values[group]) for group in groups}, given)


def _near(name: str, fields: Mapping[str, Any]) -> str:
    near = difflib.get_close_matches(name, fields, n=3, cutoff=0.6)
    return (
        f"; did you mean {' or '.join(repr(match) for match in near)}?" if near else "; see `docs/options.md` for all"
    )
