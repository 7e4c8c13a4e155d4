"""Completion of plugins that do not derive from a base class, with the defaults of that class.

A plugin class must have the methods of its family; other members are optional. A completed plugin has all of them.
"""

from __future__ import annotations

import types
from typing import TypeVar

__all__ = ["completed", "declarations", "defines"]

T = TypeVar("T")


def completed(plugin: object, base: type[T]) -> T:
    """Return an instance of the base class that delegates to the plugin.

    A plugin that is an instance of the base class is returned unchanged.

    Args:
        plugin: An instance of a plugin class.
        base: A base class of plugins, such as `hoodoo.plugin.base.BaseMerger`.
    """
    if isinstance(plugin, base):
        return plugin
    adapter = base.__new__(base)
    for name in dir(base):
        if not name.startswith("_") and hasattr(plugin, name):
            setattr(adapter, name, getattr(plugin, name))
    adapter.adapts = lambda method: (plugin, method)  # type: ignore[attr-defined]  # for `hoodoo.plugin.faults`
    return adapter


def declarations(cls: type, base: type[T]) -> type[T]:
    """Return the class with the members of the base that it lacks; the class itself if it is a subclass."""
    return cls if issubclass(cls, base) else types.new_class(cls.__name__, (cls, base))


def defines(plugin: object, base: type, name: str) -> bool:
    """Return whether a `completed` plugin has its own member of this name rather than the default of the base class."""
    return name in getattr(plugin, "__dict__", ()) or getattr(type(plugin), name) is not getattr(base, name)
