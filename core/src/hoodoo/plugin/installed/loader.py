"""Import of one plugin: check of its core requirement, registration, call of its hook, and check of the result."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from importlib.metadata import Distribution
from typing import Any, TypeVar

import attrs
import pluggy
from attrs import frozen
from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from hoodoo.__about__ import __version__
from hoodoo.errors import BrokenPlugin, HoodooError, OptionError, PluginFault
from hoodoo.plugin import hookspecs as spec
from hoodoo.plugin.completion import declarations
from hoodoo.plugin.faults import place_of
from hoodoo.plugin.installed.class_members import class_place, member_problems
from hoodoo.plugin.installed.entry_points import DeclaredPlugin
from hoodoo.plugin.installed.families import check_class, family_of
from hoodoo.plugin.installed.info import PluginInfo
from hoodoo.plugin.option import OptionInfo, convert_options, declared_fields, describe_options

__all__ = ["PluginClass", "PluginHook", "load"]

_CORE = "hoodoo-core"
T = TypeVar("T")


@frozen
class PluginClass:
    """An imported plugin: its class, its metadata, the docstring of its module, and its options."""

    cls: type
    info: PluginInfo
    description: str
    options: tuple[OptionInfo, ...]

    @property
    def laws(self) -> tuple[str, ...]:
        """Return the names of the laws that the plugin claims, sorted; an empty tuple for families without laws."""
        if not family_of(self.info.family).claims_laws:
            return ()
        return tuple(sorted(law.name for law in self.cls.laws))  # type: ignore[attr-defined]

    def declared(self, base: type[T]) -> type[T]:
        """Return the class, completed by the class attributes of the base that it lacks.

        Args:
            base: The base class of the plugin's family, of `hoodoo.plugin.base`.
        """
        return declarations(self.cls, base)

    def convert(self, options: Any) -> dict[str, Any]:
        """Return a user's options by name, converted to their types.

        Raises:
            OptionError: An option is unknown, invalid or missing.
        """
        return convert_options(self.info.label, self.options, options)

    def make(self, options: Any) -> Any:
        """Return an instance with a user's options.

        Raises:
            OptionError: An option is unknown, invalid or missing, or the plugin refuses it.
            PluginFault: The constructor raised another error.
        """
        return _made(self.info, self.cls, self.convert(options))


@frozen
class PluginHook:
    """Commit hook: the function to call, the docstring of its module, and the module's class `Options`, if any."""

    call: Callable[..., Any]
    info: PluginInfo
    description: str
    cls: type | None
    options: tuple[OptionInfo, ...]

    @property
    def laws(self) -> tuple[str, ...]:
        """Return an empty tuple: commit hooks claim no laws."""
        return ()

    def make(self, options: Any) -> Any:
        """Return an instance of the module's class `Options` with a user's options; None without that class.

        Raises:
            OptionError: An option is unknown, invalid or missing, or the hook refuses it.
            PluginFault: The constructor raised another error.
        """
        values = convert_options(self.info.label, self.options, options)
        return None if self.cls is None else _made(self.info, self.cls, values)


def _made(info: PluginInfo, cls: type, values: Mapping[str, Any]) -> Any:
    try:
        return cls(**values)
    except HoodooError:
        raise
    except ValueError as error:
        raise OptionError(f"{info.label} refuses its options: {error}") from error
    except Exception as error:
        text = f"the constructor of {info.label} raised {type(error).__name__}: {error}"
        raise PluginFault(text, place=place_of(error, [info.package])) from error


def load(entry: DeclaredPlugin) -> PluginClass | PluginHook:
    """Import a plugin.

    Raises:
        BrokenPlugin: The plugin has an invalid requirement or requires another version of the core, cannot be imported,
            or does not implement the hook of its family; or its hook raises an error or returns an object that is not a
            plugin class; or its options are not declared correctly.
    """
    info = entry.info
    _check_core(info, entry.entry_point.dist)
    try:
        module = entry.entry_point.load()
    except (Exception, SystemExit) as error:
        raise _broken(info, f"importing {info.module} {_raised(info, error)}{_order_advice(error)}") from error
    hook, description = _hook_of(info, module), inspect.getdoc(module) or ""
    if family_of(info.family).per_commit:
        cls = getattr(module, "Options", None)
        if cls is not None and not (isinstance(cls, type) and attrs.has(cls)):
            found = "a class without attrs" if isinstance(cls, type) else f"of type {type(cls).__name__}"
            reason = f"`Options` of module {info.module} is not an attrs class, but {found}; write a class with @frozen"
            raise _broken(info, reason)
        return PluginHook(hook, info, description, cls, () if cls is None else _options_of(info, cls))
    cls = _class_from(info, hook)
    return PluginClass(cls, info, description, _options_of(info, cls))


def _options_of(info: PluginInfo, cls: type) -> tuple[OptionInfo, ...]:
    if not attrs.has(cls) and (declared := declared_fields(cls)):
        named = ", ".join(f"'{name}'" for name in declared)
        raise _broken(
            info,
            f"class {cls.__qualname__} declares options ({named}) and is not an attrs class; write @frozen above it "
            "(from attrs import frozen)",
        )
    try:
        return describe_options(cls)
    except TypeError as error:
        raise _broken(info, str(error)) from error


def _check_core(info: PluginInfo, distribution: Distribution | None) -> None:
    for text in (distribution.requires if distribution is not None else None) or ():
        try:
            requirement = Requirement(text)
        except InvalidRequirement as error:
            raise _broken(
                info, f"its requirement '{text}' cannot be read: {error}; correct it in the plugin's pyproject.toml"
            ) from error
        if canonicalize_name(requirement.name) != _CORE:
            continue
        if requirement.marker is not None and not requirement.marker.evaluate({"extra": ""}):
            continue
        if not requirement.specifier.contains(__version__, prereleases=True):
            raise _broken(
                info,
                f"it needs {_CORE}{requirement.specifier}, and {_CORE} {__version__} is installed; "
                f"install versions that fit: pip install --upgrade {_CORE} {info.distribution}",
            )


def _hook_of(info: PluginInfo, module: Any) -> Callable[..., Any]:
    # a separate manager: a plugin that fails validation does not affect others
    manager = pluggy.PluginManager(spec.PROJECT)
    manager.add_hookspecs(spec)
    try:
        manager.register(module, name=f"{info.family}:{info.name}")
        manager.check_pending()
    except pluggy.PluginValidationError as error:
        raise _broken(info, " ".join(str(error).split()) + _hook_advice(info, module, error)) from error
    hook_name = family_of(info.family).hook
    hook: pluggy.HookCaller = getattr(manager.hook, hook_name)
    if not hook.get_hookimpls():
        others = sorted(caller.name for caller in manager.get_hookcallers(module) or ())
        implemented = f"; it implements {', '.join(others)}" if others else ", or does not mark it with @hookimpl"
        raise _broken(info, f"module {info.module} does not implement {hook_name}(){implemented}")
    return hook


def _hook_advice(info: PluginInfo, module: Any, error: pluggy.PluginValidationError) -> str:
    """Return the file and line of an unknown hook, and the hook to implement instead; "" for other errors."""
    unknown = re.search(r"unknown hook '(\w+)'", str(error))
    if unknown is None:
        return ""
    code = getattr(getattr(module, unknown[1], None), "__code__", None)
    line = "" if code is None else f' (File "{code.co_filename}", line {code.co_firstlineno})'
    return f"{line}; expected {family_of(info.family).hook}"


def _order_advice(error: BaseException) -> str:
    """Return advice for options without a default that follow options with one; "" for other errors."""
    if not _is_order(error):
        return ""
    name = re.search(r"Attribute\(name='(\w+)'", str(error))
    which = f"option '{name[1]}'" if name else "an option"
    return f"; {which} has no default and follows one with a default: declare it first, or write @frozen(kw_only=True)"


def _is_order(error: BaseException) -> bool:
    return isinstance(error, ValueError) and str(error).startswith("No mandatory attributes allowed")


def _class_from(info: PluginInfo, hook: Callable[..., Any]) -> type:
    try:
        cls = hook()
    except Exception as error:
        name = family_of(info.family).hook
        raise _broken(info, f"{name}() {_raised(info, error)}") from error
    problems = check_class(info.family, cls)
    if not problems:
        problems = [*member_problems(info.family, cls)]
    if problems:
        place = class_place(cls)
        raise _broken(info, "; ".join(problems) + (f" ({place})" if place else ""))
    return cls  # type: ignore[no-any-return]


def _raised(info: PluginInfo, error: BaseException) -> str:
    """Return an exception as text, with the line of the plugin's code that raised it, if there is one."""
    place = place_of(error, [info.package])
    # attrs adds a description of all parts of the option
    text = str(error).partition(".")[0] if _is_order(error) else str(error)
    return f"raised {type(error).__name__}: {text}{f' ({place})' if place else ''}"


def _broken(info: PluginInfo, reason: str) -> BrokenPlugin:
    return BrokenPlugin(f"{info.label} is installed and cannot be used: {reason}")
