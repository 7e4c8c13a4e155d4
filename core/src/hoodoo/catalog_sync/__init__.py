"""Synchronisation of the catalogs that list a table for query engines, after a write or on request."""

from hoodoo.catalog_sync.all_catalogs import sync_after_commit, sync_now
from hoodoo.catalog_sync.chosen_catalogs import ChosenCatalogs, choose_catalogs
from hoodoo.catalog_sync.one_catalog import CatalogUpdate

__all__ = ["CatalogUpdate", "ChosenCatalogs", "choose_catalogs", "sync_after_commit", "sync_now"]
