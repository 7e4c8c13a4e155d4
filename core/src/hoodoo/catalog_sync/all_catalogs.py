"""Synchronisation of the chosen catalogs, after a commit or on request."""

from __future__ import annotations

from urllib.parse import unquote

from hoodoo.archived_timeline import load_timeline
from hoodoo.caller import warn_caller
from hoodoo.catalog_sync.chosen_catalogs import ChosenCatalog, ChosenCatalogs
from hoodoo.catalog_sync.one_catalog import CatalogUpdate, sync_catalog
from hoodoo.errors import CatalogError, HoodooError
from hoodoo.options import CatalogOptions
from hoodoo.properties import load_properties
from hoodoo.service.inline import ServiceFailed
from hoodoo.storage import Storage
from hoodoo.timeline import run_with_reloads

__all__ = ["sync_after_commit", "sync_now"]


def sync_after_commit(catalogs: ChosenCatalogs, storage: Storage, options: CatalogOptions) -> None:
    """Synchronise all catalogs after a commit. A failure is a warning with the command that repeats the sync."""
    for catalog in catalogs.catalogs:
        try:
            _sync(catalog, storage, options)
        except Exception as error:  # noqa: BLE001 - the commit cannot be undone; the warning has the error
            kind = "" if isinstance(error, HoodooError) else f"{type(error).__name__}: "
            warn_caller(
                f"the rows are committed, and the sync with the catalog of {catalog.label} failed: {kind}"
                f"{catalog.shown(error)}; the next write repeats the sync, and so does this command: "
                f"{catalogs.command(_local(storage.uri))}",
                ServiceFailed,
            )


def sync_now(catalogs: ChosenCatalogs, storage: Storage, options: CatalogOptions) -> tuple[CatalogUpdate, ...]:
    """Synchronise all catalogs, and return the changes of each one.

    Raises:
        CatalogError: A catalog cannot be updated; the catalogs before it are up to date.
        HoodooError: As in `sync_catalog`.
    """
    updates = []
    for catalog in catalogs.catalogs:
        try:
            updates.append(_sync(catalog, storage, options))
        except CatalogError as error:
            raise CatalogError(f"the sync with the catalog of {catalog.label} failed: {catalog.shown(error)}") from None
    return tuple(updates)


def _sync(catalog: ChosenCatalog, storage: Storage, options: CatalogOptions) -> CatalogUpdate:
    properties = load_properties(storage)
    provider = catalog.provider
    try:
        return run_with_reloads(
            load_timeline(storage, properties),
            lambda timeline: sync_catalog(provider, storage, properties, timeline, options),
        )
    finally:
        provider.close()


def _local(uri: str) -> str:
    """Return the decoded path of a local table; other URIs are returned unchanged."""
    scheme, separator, rest = uri.partition("://")
    return unquote(rest) if separator and scheme == "file" else uri
