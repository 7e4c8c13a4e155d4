"""Plugins: what an author needs to write one, and the catalogue that finds them."""

from hoodoo.plugin.catalog import Catalogue, PluginClass, PluginHook, PluginInfo, PluginSpec, default_catalogue
from hoodoo.plugin.interface import HeldLock, LockProvider, LockTarget, RowMerger, RowPayload
from hoodoo.plugin.options import option
from hoodoo.plugin.spec import hookimpl
from hoodoo.plugin.summary import CommitSummary

__all__ = [
    "Catalogue",
    "CommitSummary",
    "HeldLock",
    "LockProvider",
    "LockTarget",
    "PluginClass",
    "PluginHook",
    "PluginInfo",
    "PluginSpec",
    "RowMerger",
    "RowPayload",
    "default_catalogue",
    "hookimpl",
    "option",
]
