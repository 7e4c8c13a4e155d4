"""Import one plugin: check what it asks of the core, register it, call its hook, check what it returned."""

from __future__ import annotations

import inspect
from importlib.metadata import Distribution
from typing import Any

import pluggy
from attrs import frozen
from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from hoodoo.__about__ import __version__
from hoodoo.errors import BrokenPlugin, HoodooError, OptionError, PluginFault
from hoodoo.plugin import spec
from hoodoo.plugin.directory import Entry
from hoodoo.plugin.families import check_class, family_of
from hoodoo.plugin.info import PluginInfo
from hoodoo.plugin.options import OptionInfo, convert_options, describe_options

__all__ = ["PluginClass", "load"]

_CORE = "hoodoo-core"


@frozen
class PluginClass:
    """A plugin that is imported: its class, and what it says about itself."""

    cls: type
    info: PluginInfo
    description: str
    options: tuple[OptionInfo, ...]

    @property
    def laws(self) -> tuple[str, ...]:
        """Names of the laws that it claims, sorted; none for families that claim no laws."""
        if not family_of(self.info.family).claims_laws:
            return ()
        return tuple(sorted(law.name for law in self.cls.laws))  # type: ignore[attr-defined]

    def convert(self, options: Any) -> dict[str, Any]:
        """A user's options by name and in their types."""
        return convert_options(self.info.label, self.options, options)

    def make(self, options: Any) -> Any:
        """An instance with a user's options.

        Raises:
            OptionError: an option that the plugin does not have, cannot convert, misses or refuses.
            PluginFault: making the instance failed otherwise.
        """
        values = self.convert(options)
        try:
            return self.cls(**values)
        except HoodooError:
            raise
        except ValueError as error:
            raise OptionError(f"{self.info.label} refuses its options: {error}") from error
        except Exception as error:
            raise PluginFault(f"{self.info.label} raised {type(error).__name__}: {error}, as it was made") from error


def load(entry: Entry) -> PluginClass:
    """Import a plugin.

    Raises:
        BrokenPlugin: it asks for another version of the core, cannot be imported, does not implement the hook of its
            family, or hands over something that is no plugin class.
    """
    info = entry.info
    _check_core(info, entry.entry_point.dist)
    try:
        module = entry.entry_point.load()
    except (Exception, SystemExit) as error:
        raise _broken(info, f"importing {info.module} raised {type(error).__name__}: {error}") from error
    cls = _class_from(info, module)
    problems = check_class(info.family, cls)
    if problems:
        raise _broken(info, "; ".join(problems))
    try:
        options = describe_options(cls)
    except TypeError as error:
        raise _broken(info, str(error)) from error
    return PluginClass(cls, info, inspect.getdoc(module) or "", options)


def _check_core(info: PluginInfo, distribution: Distribution | None) -> None:
    for text in (distribution.requires if distribution is not None else None) or ():
        try:
            requirement = Requirement(text)
        except InvalidRequirement as error:
            raise _broken(info, f"its requirement '{text}' cannot be read: {error}") from error
        if canonicalize_name(requirement.name) != _CORE:
            continue
        if requirement.marker is not None and not requirement.marker.evaluate({"extra": ""}):
            continue
        if not requirement.specifier.contains(__version__, prereleases=True):
            raise _broken(
                info,
                f"it needs {_CORE}{requirement.specifier} and this is {_CORE} {__version__}; "
                f"install versions that fit: pip install --upgrade {_CORE} {info.distribution}",
            )


def _class_from(info: PluginInfo, module: Any) -> Any:
    # a manager of its own: a plugin that fails validation leaves nothing behind that others would meet
    manager = pluggy.PluginManager(spec.PROJECT)
    manager.add_hookspecs(spec)
    try:
        manager.register(module, name=f"{info.family}:{info.name}")
        manager.check_pending()
    except pluggy.PluginValidationError as error:
        raise _broken(info, " ".join(str(error).split())) from error
    hook_name = family_of(info.family).hook
    hook = getattr(manager.hook, hook_name)
    if not hook.get_hookimpls():
        others = sorted(caller.name for caller in manager.get_hookcallers(module) or ())
        implemented = f"; it implements {', '.join(others)}" if others else ", or does not mark it with @hookimpl"
        raise _broken(info, f"module {info.module} does not implement {hook_name}(){implemented}")
    try:
        return hook()
    except Exception as error:
        raise _broken(info, f"{hook_name}() raised {type(error).__name__}: {error}") from error


def _broken(info: PluginInfo, reason: str) -> BrokenPlugin:
    return BrokenPlugin(f"{info.label} is installed and cannot be used: {reason}")
