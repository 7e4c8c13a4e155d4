"""Plugins: the classes and functions for authors, and the catalogue of installed plugins."""

from hoodoo.plugin.base import (
    BaseAggregateFunction,
    BaseDeleteRule,
    BaseKeyGenerator,
    BaseLockProvider,
    BaseMerger,
    BasePayload,
    RowMerger,
    RowPayload,
)
from hoodoo.plugin.catalog_base import BaseCatalogProvider
from hoodoo.plugin.catalog_tables import CatalogColumn, CatalogPartition, CatalogTable
from hoodoo.plugin.commit_summary import CommitSummary
from hoodoo.plugin.declarations import LoneKey, MergeMode, PartialUpdate, Substitute
from hoodoo.plugin.hookspecs import hookimpl
from hoodoo.plugin.installed.catalogue import (
    Catalogue,
    PluginClass,
    PluginHook,
    PluginInfo,
    PluginSpec,
    default_catalogue,
)
from hoodoo.plugin.interface import CatalogProvider, HeldLock, LockProvider, LockTarget
from hoodoo.plugin.option import option

__all__ = [
    "BaseAggregateFunction",
    "BaseCatalogProvider",
    "BaseDeleteRule",
    "BaseKeyGenerator",
    "BaseLockProvider",
    "BaseMerger",
    "BasePayload",
    "CatalogColumn",
    "CatalogPartition",
    "CatalogProvider",
    "CatalogTable",
    "Catalogue",
    "CommitSummary",
    "HeldLock",
    "LockProvider",
    "LockTarget",
    "LoneKey",
    "MergeMode",
    "PartialUpdate",
    "PluginClass",
    "PluginHook",
    "PluginInfo",
    "PluginSpec",
    "RowMerger",
    "RowPayload",
    "Substitute",
    "default_catalogue",
    "hookimpl",
    "option",
]
