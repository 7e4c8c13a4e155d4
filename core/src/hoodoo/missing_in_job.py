"""Combined error for all plugins that a write or its table needs and that are not installed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial

from hoodoo.errors import HoodooError, TableError, UnknownPlugin
from hoodoo.options import (
    CatalogOptions,
    ConcurrencyOptions,
    HookOptions,
    KeyOptions,
    Options,
    RuleOptions,
    is_sync_requested,
)
from hoodoo.plugin import Catalogue
from hoodoo.plugin.installed.suggestions import all_missing
from hoodoo.properties import TableProperties, load_properties
from hoodoo.storage import Storage
from hoodoo.table_rules.missing_plugins import missing_names, naming_writers
from hoodoo.table_rules.reader_rule import read_rule

__all__ = ["all_missing_listed"]


@contextmanager
def all_missing_listed(storage: Storage, options: Options, catalogue: Catalogue) -> Iterator[None]:
    """Replace an `UnknownPlugin` error in the block by one that lists all missing plugins of the write.

    An error that is already complete, or that states no plugin, is raised unchanged.

    Args:
        storage: The table's files.
        options: The options of a write.
        catalogue: The catalogue of plugins.
    """
    try:
        yield
    except UnknownPlugin as error:
        if error.plugin is None and not error.parts:
            raise  # an executor lacks the plugin
        others = [*_of_table(storage, catalogue), *_of_options(options, catalogue)]
        every = all_missing([error, *others])
        if every is error:
            raise
        raise every from error


def _of_options(options: Options, catalogue: Catalogue) -> Iterator[UnknownPlugin]:
    """Yield an error for each plugin that options of a write name and that is not installed."""
    rule, hooks = options[RuleOptions], options[HookOptions]
    named = {
        "payload": None if _is_merger(rule.payload, catalogue) else rule.payload,
        "merger": rule.merger,
        "delete": rule.delete_rule,
        "keygen": options[KeyOptions].keygen,
        "lock": options[ConcurrencyOptions].lock_provider,
    }
    names = {family: [part.strip() for part in name.split(",")] for family, name in named.items() if name}
    names |= {"pre_commit": list(hooks.pre_commit), "post_commit": list(hooks.post_commit)}
    if is_sync_requested(options.given):
        names["catalog"] = list(options[CatalogOptions].catalogs or ())
    for family, wanted in names.items():
        yield from missing_names(family, wanted, catalogue)
    for family, chosen in (("payload", rule.payload), ("merger", rule.merger)):
        if chosen and catalogue.found(family, chosen) is not None:
            # its options may name further plugins
            yield from _missing(partial(catalogue.spec, family, chosen, rule.merger_options or {}))


def _is_merger(payload: str | None, catalogue: Catalogue) -> bool:
    """Return whether a merger has the name of a payload as an alias, and so replaces it in newer tables."""
    return payload is not None and catalogue.found("merger", payload) is not None


def _of_table(storage: Storage, catalogue: Catalogue) -> Iterator[UnknownPlugin]:
    """Yield an error for each plugin that the properties of the table name and that is not installed.

    Nothing is yielded if the table does not exist or its properties cannot be read.
    """
    try:
        stored = load_properties(storage)
    except TableError:
        return  # the write raises it as soon as its plugins are installed

    yield from _missing(partial(read_rule, stored, catalogue))
    if stored.keygen is not None:
        yield from _missing(partial(_find_keygen, stored, stored.keygen, catalogue))


def _find_keygen(stored: TableProperties, name: str, catalogue: Catalogue) -> None:
    with naming_writers(stored):
        catalogue.find("keygen", name)


def _missing(look_up: Callable[[], object]) -> Iterator[UnknownPlugin]:
    # other errors, such as wrong options, are raised as soon as all plugins are installed
    with suppress(HoodooError):
        try:
            look_up()
        except UnknownPlugin as error:
            yield error
