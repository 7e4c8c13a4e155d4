"""Faults of plugins. A message names the plugin; its second line has the place in the plugin's code and record keys."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Collection, Iterator
from typing import Any, TypeAlias

import pyarrow as pa
from attrs import frozen

from hoodoo.errors import HoodooError, PluginFault
from hoodoo.schema.columns import examples_of

__all__ = ["PluginCalls", "keys_text", "packages_of", "place_of"]

_CORE = "hoodoo"

Keys: TypeAlias = pa.Array | Callable[[], str] | None
"""The record keys of a call, or a function that describes its rows; None if neither is known."""


Advice: TypeAlias = Callable[[Exception], str]
"""A function that returns advice for an exception of a plugin."""


@frozen
class PluginCalls:
    """Calls of a plugin's methods; an exception of the plugin becomes a fault.

    Attributes:
        label: Plugin, distribution and version, for messages.
        plugin: The instance of the plugin, or an adapter of it. An adapter has a method `adapts`, which returns the
            plugin and the name of its method for the name of a method of the adapter.
    """

    label: str
    plugin: object

    def run(self, method: str, call: Callable[[], Any], keys: Keys = None, advice: Advice | None = None) -> Any:
        """Return the result of a call.

        Args:
            method: The name of the method that is called.
            call: A function without arguments that calls it.
            keys: The record keys of the rows, or a function that describes the rows; None if neither is known.
            advice: A function that returns a text to append to the message of an exception; "" for none.

        Raises:
            PluginFault: The plugin raised a `PluginFault`, or an exception that is not a `HoodooError`.
            HoodooError: The plugin raised this error, which remains unchanged.
        """
        try:
            return call()
        except PluginFault as fault:
            if fault.summary.startswith(self.label):  # an adapter raised it
                raise
            place = fault.place or self._raised_at(fault, method)
            raise PluginFault(
                f"{self.label}: {fault.summary}", place=place, keys=fault.keys or keys_text(keys)
            ) from fault
        except HoodooError:
            raise
        except Exception as error:
            text = f"{self.label} raised {type(error).__name__}: {error}{advice(error) if advice else ''}"
            raise PluginFault(text, place=self._raised_at(error, method), keys=keys_text(keys)) from error

    def fault(self, method: str, problem: str, keys: Keys = None) -> PluginFault:
        """Return the fault of a method with a wrong result; `place` is the definition of the method in the plugin."""
        return PluginFault(f"{self.label} {problem}", place=self._defined_at(method), keys=keys_text(keys))

    def _raised_at(self, error: BaseException, method: str) -> str:
        return place_of(error, packages_of(self.plugin)) or self._defined_at(method)

    def _defined_at(self, method: str) -> str:
        author, name = _authored(self.plugin, method)
        function = inspect.unwrap(getattr(type(author), name, None) or getattr(author, name, None) or (lambda: None))
        code = getattr(function, "__code__", None)
        if code is None or _package(getattr(function, "__module__", None) or _CORE) == _CORE:
            return ""
        return _place(code.co_filename, code.co_firstlineno, name)


def packages_of(plugin: object) -> frozenset[str]:
    """Return the top-level packages of a plugin's classes, without the core; for an adapter, those of its plugin."""
    author, _ = _authored(plugin, "")
    return frozenset(_package(cls.__module__) for cls in type(author).__mro__) - {_CORE}


def place_of(error: BaseException, packages: Collection[str]) -> str:
    """Return file, line and function of the innermost frame that is in the packages, in an exception or its causes.

    For a `SyntaxError`, this is the place of the wrong code.

    Returns:
        The place in the form of Python's tracebacks; "" if no frame is in these packages.
    """
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, SyntaxError) and cause.filename and cause.lineno:
            return _place(cause.filename, cause.lineno, "")
        frames = [frame for frame in _frames(cause) if _package(frame[0].f_globals.get("__name__", "")) in packages]
        if frames:
            frame, line = frames[-1]
            return _place(frame.f_code.co_filename, line, frame.f_code.co_name)
        cause = cause.__cause__
    return ""


def keys_text(keys: Keys) -> str:
    """Return the first record keys of a call and their number, or the description of its rows, for messages.

    Return "" if there are no keys.
    """
    if callable(keys):
        return keys()
    if keys is None or not len(keys):
        return ""
    return f"keys such as {examples_of(keys)} ({len(keys)} in this call)"


def _frames(error: BaseException) -> Iterator[tuple[types.FrameType, int]]:
    traceback = error.__traceback__
    while traceback is not None:
        yield traceback.tb_frame, traceback.tb_lineno
        traceback = traceback.tb_next


def _authored(plugin: object, method: str) -> tuple[object, str]:
    """Return the plugin behind adapters, and the name that the method has there."""
    while (adapts := getattr(plugin, "adapts", None)) is not None:
        plugin, method = adapts(method)
    return plugin, method


def _package(module: str) -> str:
    """Return the top-level package of a module; that of the core for `builtins`, `abc` and `typing`."""
    package = module.partition(".")[0]
    return _CORE if package in ("builtins", "abc", "typing") else package


def _place(file: str, line: int, function: str) -> str:
    return f'File "{file}", line {line}' + (f", in {function}" if function else "")
