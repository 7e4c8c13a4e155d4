"""Members that a plugin declares in addition to its options, for `hoodoo plugins show`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Any

import attrs

from hoodoo.errors import OptionError
from hoodoo.plugin import BaseMerger, BasePayload, PluginClass
from hoodoo.plugin.base import MergerMembers, PayloadMembers
from hoodoo.plugin.faults import PluginCalls
from hoodoo.plugin.installed.families import family_of
from hoodoo.record import Law

__all__ = ["declared_members", "implemented_methods", "member_lines"]

_VECTORISED: Mapping[type, type] = {MergerMembers: BaseMerger, PayloadMembers: BasePayload}
"""The base class of the vectorised form, which has all members, by the base class that both forms of a rule share."""

_SHOWN_OTHERWISE = {"laws"}
_BY_OPTIONS = "depends on the options"


def declared_members(plugin: PluginClass) -> dict[str, Any]:
    """Return the class attributes of a plugin that differ from those of its base class, by name, as values for JSON.

    Options and laws are left out.
    A property is evaluated with the default options. Its value is `depends on the options` if an option is required.

    Raises:
        PluginFault: A property of the plugin, or the creation of an instance, raised an exception.
    """
    base, found = _base(plugin), {}
    options = {option.name for option in plugin.options}
    for name in _members(base):
        if callable(getattr(base, name)) or name in options or name in _SHOWN_OTHERWISE:
            continue
        value = _value(plugin, name)
        if value != getattr(base, name):
            found[name] = _plain(value)
    return found


def implemented_methods(plugin: PluginClass) -> list[str]:
    """Return the names of the methods that a plugin implements although its family does not require them."""
    base, required = _base(plugin), family_of(plugin.info.family).methods
    return [
        name
        for name in _members(base)
        if callable(default := getattr(base, name))
        and name not in required
        and getattr(plugin.cls, name, default) is not default
    ]


def member_lines(members: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the label and the text of each line that shows declared members.

    Each part of a structured value is a line; only the first one has the label, and the others have "".
    """
    for name, value in members.items():
        if isinstance(value, Mapping) and value:
            for number, (part, content) in enumerate(value.items()):
                yield ("" if number else name), f"{part}: {_text(content)}"
        else:
            yield name, _text(value)


def _base(plugin: PluginClass) -> type:
    """Return the base class with all members that a plugin may have."""
    base = family_of(plugin.info.family).base or object
    return _VECTORISED.get(base, base)


def _members(base: type) -> list[str]:
    """Return the names of the public members of a base class in the order of their definition, its bases first."""
    classes = reversed(base.__mro__[:-1])
    return list(dict.fromkeys(name for cls in classes for name in vars(cls) if not name.startswith("_")))


def _value(plugin: PluginClass, name: str) -> Any:
    value = getattr(plugin.declared(_base(plugin)), name)
    if not isinstance(value, property) and not hasattr(type(value), "__get__"):
        return value
    try:
        instance = plugin.make({})
    except OptionError:  # an option is required
        return _BY_OPTIONS
    return PluginCalls(plugin.info.label, instance).run(name, lambda: getattr(instance, name))


def _plain(value: Any) -> Any:
    """Return a declared value in the types of JSON."""
    if attrs.has(type(value)):
        contents = ((each, getattr(value, each.name)) for each in attrs.fields(type(value)))
        return {
            each.name: _plain(content)
            for each, content in contents
            if content not in (None, (), {}) and content != each.default
        }
    if isinstance(value, Enum):
        return value.name.lower() if isinstance(value, Law) else value.value
    if isinstance(value, Mapping):
        return {str(key): _plain(content) for key, content in value.items()}
    if isinstance(value, (frozenset, set)):
        return sorted(map(_plain, value))
    return [_plain(item) for item in value] if isinstance(value, (list, tuple)) else value


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return f"({', '.join(f'{key}: {_text(content)}' for key, content in value.items())})"
    if isinstance(value, list):
        return ", ".join(":".join(item) if _is_pair(item) else _text(item) for item in value) or "none"
    return str(value)


def _is_pair(item: Any) -> bool:
    return isinstance(item, list) and len(item) == 2 and all(isinstance(part, str) for part in item)
