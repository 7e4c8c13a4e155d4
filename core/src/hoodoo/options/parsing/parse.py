"""Conversion of a user's dictionary to typed options; errors name unknown and refused keys."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import attrs

from hoodoo.caller import warn_caller
from hoodoo.errors import OptionError, UnknownOption
from hoodoo.options.catalog import CATALOG_KEYS
from hoodoo.options.groups import ALL_GROUPS
from hoodoo.options.hudi import Effect, Verdict, preferred_name, verdict_of
from hoodoo.options.hudi.lock_keys import LOCK_KEYS
from hoodoo.options.parsing.account_keys import without_account
from hoodoo.options.parsing.coerce import is_no_flag
from hoodoo.options.parsing.declare import convert, keys_of
from hoodoo.options.parsing.problems import Problems
from hoodoo.options.parsing.unknown_keys import UnknownKeyOptions, changes_no_rows, is_default, misspelt_key, suggestion
from hoodoo.options.storage import StorageOptions

__all__ = [
    "TIMEBASED_PREFIXES",
    "NoEffectWarning",
    "Options",
    "given_for",
    "option_of",
    "own_options",
    "parse",
    "storage_options",
]

T = TypeVar("T")

TIMEBASED_PREFIXES = ("hoodie.keygen.timebased.", "hoodie.deltastreamer.keygen.timebased.")


class NoEffectWarning(UserWarning):
    """Warning about options that have no effect, or whose value is replaced by another one."""


@attrs.frozen
class Options:
    """Parsed options by class: `options[WriteOptions].operation`; `given` is the user's dictionary."""

    _groups: Mapping[type, Any] = attrs.field(repr=False)
    given: Mapping[str, Any] = attrs.field(repr=False)
    _names: frozenset[str] = attrs.field(default=frozenset(), repr=False)

    def __getitem__(self, group: type[T]) -> T:
        found: T = self._groups[group]
        return found

    def contains(self, group: type) -> bool:
        """Return whether the options of a class were parsed."""
        return group in self._groups

    def replaced(self, *values: Any) -> Options:
        """Return the options with these instances of option classes instead of the parsed instances."""
        return attrs.evolve(self, groups={**self._groups, **{type(value): value for value in values}})

    def has(self, name: str) -> bool:
        """Return whether the user gave the option of this short name, by any of its keys."""
        return name in self._names


def parse(
    given: Mapping[str, Any],
    groups: Sequence[type],
    *,
    reject_unknown: bool = True,
    problems: Problems | None = None,
) -> Options:
    """Return one instance per option class with the values of a user's dictionary.

    Keys are compared without regard to case.

    Args:
        given: The user's options: short names and `hoodie.*` keys.
        groups: attrs classes whose fields are declared with `option`.
        reject_unknown: Whether a key that no class has is an error, or a warning if it has no effect on rows. Otherwise
            such a key is ignored, unless `hoodoo.options.hudi` has a verdict of it.
        problems: The collection of errors; by default the first one is raised.

    Raises:
        UnknownOption: A key is neither an option nor a key of Hudi, and is not left out with a warning; the message
            suggests similar names, if any.
        OptionError: A key is not text, a value is invalid or refused, options contradict each other, or two keys of one
            option have different values and Hudi prefers neither.
    """
    problems = problems or Problems()
    parser = _Parser([*groups, UnknownKeyOptions], reject_unknown=reject_unknown)
    unknown: dict[str, Any] = {}
    for key, value in given.items():
        with problems.caught():
            if not isinstance(key, str):
                raise OptionError(f"the option name {key!r} is of type {type(key).__name__}; option names must be text")
            if value is not None and not parser.take(key, without_account(key.lower()), value):
                unknown[key] = value
    for key in unknown:
        with problems.caught():
            if not parser.take_metadata(key, unknown[key]):
                parser.take_unknown(key, unknown[key])
    parsed: dict[type, Any] = {}
    for group in (*groups, UnknownKeyOptions):
        parsed[group] = group()
        with problems.caught():
            parsed[group] = group(**parser.values_of(group))
    parser.warn()
    return Options(parsed, given, parser.names)


def option_of(key: str) -> str | None:
    """Return the short name of the option that a key of Hudi sets; None if it sets none."""
    field = _hudi_fields().get(without_account(key.lower()))
    return None if field is None else field.name


def own_options(given: Mapping[str, Any], group: type[T]) -> T:
    """Return the options of one class; others are ignored.

    Raises:
        OptionError: A value is invalid, or two keys of one option have different values and Hudi prefers neither.
    """
    return parse(given_for(given, group), [group])[group]


def given_for(given: Mapping[str, Any], group: type) -> dict[str, Any]:
    """Return the options among `given`, as they are, that set an option of one class."""
    known = {key.lower() for field in attrs.fields(group) for key in keys_of(field)}
    return {
        key: value for key, value in given.items() if isinstance(key, str) and without_account(key.lower()) in known
    }


def storage_options(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the storage options among a user's options that have a value, by short name; other options are ignored.

    Raises:
        OptionError: A value is invalid, or two keys of one option have different values.
    """
    options = own_options(given, StorageOptions)
    return {name: value for name, value in attrs.asdict(options).items() if value is not None}


@functools.cache
def _hudi_fields() -> Mapping[str, attrs.Attribute[Any]]:
    return {key.lower(): field for group in ALL_GROUPS for field in attrs.fields(group) for key in keys_of(field)[1:]}


def _is_of_plugin(name: str) -> bool:
    return (
        name.startswith(TIMEBASED_PREFIXES)
        or LOCK_KEYS.fullmatch(name) is not None
        or CATALOG_KEYS.fullmatch(name) is not None
    )


class _Parser:
    """Parser of a dictionary of options: it collects values and notices, key by key."""

    def __init__(self, groups: Sequence[type], *, reject_unknown: bool) -> None:
        self._fields = {
            key.lower(): (group, field) for group in groups for field in attrs.fields(group) for key in keys_of(field)
        }
        self._reject_unknown = reject_unknown
        self._values: dict[type, dict[str, Any]] = {group: {} for group in groups}
        self._defaults: dict[type, dict[str, Any]] = {group: {} for group in groups}
        self._keys_used: dict[tuple[type, str], str] = {}
        self._timebased: dict[str, Any] = {}
        self._metadata: dict[str, str] = {}
        self._without_effect: list[str] = []
        self._missed: dict[str, tuple[list[str], list[Verdict]]] = {}
        self._subjects: dict[str, list[str]] = {}
        self._notices: list[str] = []

    @property
    def names(self) -> frozenset[str]:
        """Return the short names of the options that are given."""
        return frozenset(name for values in self._values.values() for name in values)

    def take(self, key: str, name: str, value: Any) -> bool:
        """Add a key with a value. Return False for an unknown key that is not ignored.

        The name is the key in lower case, without a storage account.
        """
        if name in self._fields:
            self._take_option(key, name, value)
        elif name.startswith(TIMEBASED_PREFIXES) and "keygen_options" in self._fields:
            rest = name.removeprefix(TIMEBASED_PREFIXES[0]).removeprefix(TIMEBASED_PREFIXES[1])
            self._timebased[TIMEBASED_PREFIXES[0] + rest] = value
        elif self._is_passed_on(name):
            return True
        elif (verdict := verdict_of(name)) is not None:
            self._take_judged(key, value, verdict)
        elif option_of(name) is not None or _is_of_plugin(name):
            # an option of a write in a read, or the reverse
            if self._reject_unknown:
                self._without_effect.append(key)
        else:
            return not self._reject_unknown
        return True

    def _is_passed_on(self, name: str) -> bool:
        """Return whether a lock provider or a catalog provider receives a key."""
        if "catalog_options" in self._fields and CATALOG_KEYS.fullmatch(name):
            return True
        return "lock_options" in self._fields and LOCK_KEYS.fullmatch(name) is not None and verdict_of(name) is None

    def take_unknown(self, key: str, value: Any) -> None:
        """Raise `UnknownOption` for a key that is neither an option nor a key of Hudi, or leave it out with a notice.

        It is left out if it misspells a key without effect or an option whose default is this value, if its name is
        like those of keys that change no row, or if `unknown_keys` is `warn`.
        """
        name = key.lower()
        near = misspelt_key(name, {*self._fields, *_hudi_fields()})
        if near is not None and option_of(near) is None and near not in self._fields:
            self._notices.append(
                f"'{key}' is not a key of Hudi and has no effect; '{near}', which is similar, has none either"
            )
        elif near is not None and self._has_default(near, value):
            self._notices.append(
                f"'{key}' is not a key of Hudi and has no effect; '{near}', which is similar, has this value by default"
            )
        elif changes_no_rows(name, of_read="query_type" in self._fields):
            self._notices.append(
                f"'{key}' is not a key of Hudi and has no effect here or in Hudi{suggestion(name, self._fields)}"
            )
        elif self._values[UnknownKeyOptions].get("unknown_keys") == "warn":
            self._notices.append(f"'{key}' is neither an option nor a key of Hudi, and has no effect")
        else:
            raise UnknownOption(f"there is no option '{key}'{suggestion(name, self._fields)}", option=key)

    def take_metadata(self, key: str, value: Any) -> bool:
        """Add a key with the prefix of commit metadata. Return False for any other key."""
        if "commit_metadata_prefix" not in self._fields:
            return False
        group, field = self._fields["commit_metadata_prefix"]
        prefix = self._values[group].get(field.name, field.default)
        if prefix and key.startswith(prefix):
            self._metadata[key] = str(value)
            return True
        return False

    def values_of(self, group: type) -> dict[str, Any]:
        """Return the values that the user's keys set in a class of options, by field."""
        values = {**self._defaults[group], **self._values[group]}
        if self._timebased and self._fields["keygen_options"][0] is group:
            values["keygen_options"] = {**values.get("keygen_options", {}), **self._timebased}
        if self._metadata and self._fields["commit_metadata"][0] is group:
            values["commit_metadata"] = {**self._metadata, **values.get("commit_metadata", {})}
        return values

    def warn(self) -> None:
        """Emit all notices as warnings.

        One warning lists all keys without effect. If there is advice for a key, one warning lists the keys of its
        subject with the reasons and the advice.
        """
        for subject, (keys, verdicts) in self._missed.items():
            details = self._subjects.pop(subject, [])
            reasons = "; ".join(dict.fromkeys(verdict.reason for verdict in verdicts))
            advice = "; ".join(dict.fromkeys(verdict.advice for verdict in verdicts))
            self._notices.append(f"{subject} ({', '.join(sorted([*keys, *details]))}): {reasons}. Advice: {advice}")
        left = [*self._without_effect, *(key for keys in self._subjects.values() for key in keys)]
        if left:
            what = "this option has" if len(left) == 1 else "these options have"
            self._notices.append(f"{what} no effect: {', '.join(sorted(left))}")
        for notice in self._notices:
            warn_caller(notice, NoEffectWarning)

    def _has_default(self, key: str, value: Any) -> bool:
        """Return whether a value is the default of an option that is not given; False if the key sets no option."""
        if key not in self._fields:
            return False
        group, field = self._fields[key]
        return field.name not in {**self._defaults[group], **self._values[group]} and is_default(field, value)

    def _take_option(self, key: str, name: str, value: Any) -> None:
        group, field = self._fields[name]
        substitute = field.metadata["substitutes"].get(str(value).strip().lower().replace("-", "_"))
        if substitute is not None:
            if substitute.reason:
                self._notices.append(f"'{key}' is {value!r}: {substitute.reason}")
            self._defaults[group].update(substitute.defaults)
            value = substitute.value
        if field.metadata["kind"] == "flag" and "." in name and not field.metadata["exact"] and is_no_flag(value):
            self._notices.append(
                f"'{key}' is {value!r}, neither true nor false: Hudi treats it as false, and so does this job"
            )
            value = False
        converted = convert(field, key, value)
        previous = self._keys_used.setdefault((group, field.name), key)
        values = self._values[group]
        if previous != key and values[field.name] != converted:
            kept = _preferred(previous.lower(), name, field)
            if kept is None:
                both = f": {_shown(values[field.name])} and {_shown(converted)}"
                raise OptionError(
                    f"'{previous}' and '{key}' set the same option to different values"
                    f"{'' if field.metadata['secret'] else both}; give one of them"
                )
            self._notices.append(
                f"'{previous}' and '{key}' set the same option to different values; Hudi uses that of '{kept}', "
                "and so does this job"
            )
            if kept != name:
                return
            self._keys_used[group, field.name] = key
        values[field.name] = converted

    def _take_judged(self, key: str, value: Any, verdict: Verdict) -> None:
        effect = verdict.effect_of(key, value)
        if effect is Effect.NONE:
            self._subjects.setdefault(verdict.subject, []).append(key)
        elif effect is Effect.MISSED:
            keys, verdicts = self._missed.setdefault(verdict.subject, ([], []))
            keys.append(key)
            verdicts.append(verdict)


def _shown(value: Any) -> str:
    """Return a converted value as quoted text, in the form in which a user gives it."""
    text = ",".join(value) if isinstance(value, tuple) else str(value)
    return f"'{text.lower() if isinstance(value, bool) else text}'"


def _preferred(first: str, second: str, field: attrs.Attribute[Any]) -> str | None:
    """Return the key that Hudi prefers of two keys of an option; None if Hudi prefers neither."""
    if preferred_name(first) == second or preferred_name(second) == first:
        return first if preferred_name(second) == first else second
    names = [key.lower() for key in field.metadata["hudi"]]
    if field.metadata["first_key_wins"] and first in names and second in names:
        return min(first, second, key=names.index)
    return None
