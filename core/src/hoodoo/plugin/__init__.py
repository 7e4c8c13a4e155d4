"""Plugins: what an author needs to write one, and the catalogue that finds them."""

from hoodoo.plugin.catalog.catalog import Catalogue, PluginClass, PluginHook, PluginInfo, PluginSpec, default_catalogue
from hoodoo.plugin.commit_summary import CommitSummary
from hoodoo.plugin.hookspecs import hookimpl
from hoodoo.plugin.interface import HeldLock, LockProvider, LockTarget, RowMerger, RowPayload
from hoodoo.plugin.option import option

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
