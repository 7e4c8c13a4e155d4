"""Coordination with other writers, from the options of a write or of a table service."""

from __future__ import annotations

import difflib
import os
import platform
import uuid
from collections.abc import Iterable, Mapping
from typing import Any

import attrs

from hoodoo.caller import warn_caller
from hoodoo.errors import OptionError, UnknownOption, UnknownPlugin
from hoodoo.options import (
    ConcurrencyOptions,
    MetadataOptions,
    NoEffectWarning,
    Options,
    default_plugins,
    is_sync_requested,
)
from hoodoo.options.hudi import verdict_of
from hoodoo.options.hudi.lock_keys import HUDI_LOCK_KEYS, LOCK_KEYS
from hoodoo.options.parsing.declare import keys_of
from hoodoo.plugin import BaseLockProvider, Catalogue, LockTarget, PluginClass
from hoodoo.plugin.completion import completed
from hoodoo.plugin.installed.names import normalised, spellings
from hoodoo.plugin.installed.official import distribution_name, official_names
from hoodoo.properties.property_keys import DATABASE, HOODOO_PREFIX, TABLE_NAME
from hoodoo.storage import HOODIE_FOLDER, Missing, Storage
from hoodoo.txn.heartbeat import HeartbeatPace
from hoodoo.txn.locking.coordination import Coordination
from hoodoo.txn.locking.provider_lock import LockWait, ProviderLock

__all__ = ["STORAGE_LOCK_FILE", "LockFound", "coordination_of"]

STORAGE_LOCK_FILE = f"{HOODIE_FOLDER}/.locks/table_lock.json"
"""The lock file of a provider of Hudi. Writers of a table that has this file must take the lock."""

_STORAGE_LOCK = "org.apache.hudi.client.transaction.lock.StorageBasedLockProvider"
"""The class of the provider that uses `STORAGE_LOCK_FILE`."""

_AWS = ("hoodie.aws.",)

_HUDI_DEFAULT_KEYS = "hoodie.write.lock.zookeeper."
"""Prefix of the keys of Hudi's default provider."""

_REFUSED = {
    "HiveMetastoreBasedLockProvider": "locks of a Hive metastore expire without continuous calls of its Thrift "
    "service, which hoodoo does not support",
    "NoopLockProvider": "it locks nothing",
}


class LockFound(UserWarning):
    """Warning about a table with a lock file of Hudi: the lock is taken although no option names its provider."""


def coordination_of(
    storage: Storage,
    properties: Mapping[str, str],
    options: Options,
    catalogue: Catalogue,
    listing: Storage | None = None,
) -> Coordination:
    """Return the coordination according to the concurrency options. Nothing is written, and no service is called.

    Args:
        storage: The table's files.
        properties: The properties of the table, or of the table that will be created.
        options: `ConcurrencyOptions`, the given keys of lock providers, and `MetadataOptions` if they are parsed.
        catalogue: The catalogue of plugins.
        listing: A storage with a listing of the table, in which Hudi's lock file is looked up; by default `storage`.

    Raises:
        OptionError: The mode or `lock_options` needs a lock provider and none is named, the provider or an option of it
            cannot be used, or a key of lock providers is unknown.
        PluginError: The provider is not installed, or cannot be loaded.
    """
    given = options[ConcurrencyOptions]
    pace = HeartbeatPace(given.heartbeat_interval_ms / 1000, given.heartbeat_misses)
    keys = {key: value for key, value in options.given.items() if value is not None and _is_for_locks(key)}
    # the provider of a catalog accepts the keys of AWS too, and warns about those without effect
    elsewhere = _AWS if is_sync_requested(options.given) else ()
    after = options[MetadataOptions].metadata_compact_after_commits if options.contains(MetadataOptions) else 10
    shared = given.concurrency_mode != "single_writer"
    name = given.lock_provider or _provider_of_lock_file(listing or storage) or (_of_hudi(keys) if shared else None)
    if name is None:
        if shared:
            _check_without_provider(properties, catalogue)
        if given.lock_options:
            raise OptionError(
                "'lock_options' is given and no lock provider is named; name the provider in 'lock_provider', or leave "
                "'lock_options' out"
            )
        _warn_without_effect(keys, (), elsewhere)
        return Coordination(pace=pace, compact_metadata_after=after)
    _refuse(name, catalogue)
    named = given.lock_provider is not None or name == default_plugins.LOCK_PROVIDER
    plugin = _load_provider(name, storage, catalogue, named=named)
    target = LockTarget(
        storage,
        properties.get(TABLE_NAME, ""),
        properties.get(DATABASE, ""),
        f"hoodoo on {platform.node()}, process {os.getpid()}, {uuid.uuid4().hex[:12]}",
    )
    stated = {**_keys_of_provider(keys, plugin, elsewhere), **(given.lock_options or {})}
    unstated = _defaults_without({**_presets(plugin, name), **_shared(given, plugin)}, stated, plugin)
    provider = plugin.make({**unstated, **stated})
    completed(provider, BaseLockProvider).check(target)
    wait = LockWait(
        round=given.lock_wait_ms / 1000,
        pause=given.lock_retry_ms / 1000,
        longest_pause=max(given.lock_retry_ms, given.lock_longest_retry_ms) / 1000,
        rounds=given.lock_client_retries + 1,
        between=given.lock_client_retry_ms / 1000,
    )
    lock = ProviderLock(plugin.info.label, provider, target, wait)
    return Coordination(pace=pace, lock=lock, compact_metadata_after=after)


def _of_hudi(keys: Mapping[str, Any]) -> str | None:
    """Return the name of Hudi's default provider if one of its keys is given; otherwise None."""
    return default_plugins.LOCK_PROVIDER if any(key.lower().startswith(_HUDI_DEFAULT_KEYS) for key in keys) else None


def _check_without_provider(properties: Mapping[str, str], catalogue: Catalogue) -> None:
    """Warn that writers of Hudi are not coordinated; raise `OptionError` if Hudi made the table."""
    need = f"set hoodie.write.lock.provider to the provider of the other writers; {_available_providers(catalogue)}"
    if not any(key.startswith(HOODOO_PREFIX) for key in properties):
        raise OptionError(
            "hoodie.write.concurrency.mode is optimistic_concurrency_control, no lock provider is named, and Hudi made "
            f"the table, whose writers need one: {need}"
        )
    warn_caller(
        "hoodie.write.concurrency.mode is optimistic_concurrency_control, and no lock provider is named: writers of "
        f"hoodoo are coordinated without one, and writers of Hudi are not; if Hudi writes to the table, {need}",
        NoEffectWarning,
    )


def _provider_of_lock_file(storage: Storage) -> str | None:
    try:
        storage.modified(STORAGE_LOCK_FILE)
    except Missing:
        return None
    return _STORAGE_LOCK


def _load_provider(name: str, storage: Storage, catalogue: Catalogue, *, named: bool) -> PluginClass:
    if named:
        return catalogue.load("lock", name)
    provider = name.rpartition(".")[2]
    why = f"'{STORAGE_LOCK_FILE}' of {storage.uri} shows that writers of this table take the lock of Hudi's {provider}"
    try:
        plugin = catalogue.load("lock", name)
    except UnknownPlugin as error:
        raise UnknownPlugin(f"{why}, and this writer cannot take the lock: {error}") from error
    warn_caller(
        f"{why}; this writer takes the lock too; set hoodie.write.lock.provider to {plugin.info.name} to confirm this",
        LockFound,
    )
    return plugin


def _refuse(name: str, catalogue: Catalogue) -> None:
    for refused, reason in _REFUSED.items():
        if normalised(refused) in spellings(name):
            raise OptionError(f"lock provider '{name}' cannot be used: {reason}; {_available_providers(catalogue)}")


def _available_providers(catalogue: Catalogue) -> str:
    installed = [info.name for info in catalogue.list("lock")]
    others = [distribution_name("lock", name) for name in official_names("lock") if name not in installed]
    parts = [f"installed: {', '.join(installed) or 'none'}"]
    if others:
        parts.append(f"to be installed by pip: {', '.join(others)}")
    return "; ".join(parts)


def _is_for_locks(key: str) -> bool:
    return LOCK_KEYS.fullmatch(key.lower()) is not None and verdict_of(key) is None


def _presets(plugin: PluginClass, name: str) -> Mapping[str, Any]:
    """Return the options that the name implies if it is an alias; otherwise {}."""
    for alias, options in plugin.declared(BaseLockProvider).presets.items():
        if normalised(alias) in spellings(name):
            return dict(options)
    return {}


def _shared(given: ConcurrencyOptions, plugin: PluginClass) -> dict[str, Any]:
    """Return the waits and retries of the concurrency options for which the provider declares the same keys."""
    declared = {option.key for option in plugin.options}
    return {
        key: getattr(given, field.name)
        for field in attrs.fields(ConcurrencyOptions)
        for key in keys_of(field)
        if key in declared
    }


def _defaults_without(defaults: Mapping[str, Any], stated: Iterable[str], plugin: PluginClass) -> dict[str, Any]:
    """Return the defaults of the options that are not stated under any of their names."""
    names = {key.lower(): option.name for option in plugin.options for key in option.keys}
    taken = {names.get(key.lower()) for key in stated}
    return {key: value for key, value in defaults.items() if names.get(key.lower()) not in taken}


def _keys_of_provider(keys: Mapping[str, Any], plugin: PluginClass, elsewhere: tuple[str, ...]) -> dict[str, Any]:
    """Return the given keys that the provider declares; treat the others as `_warn_without_effect` does."""
    declared = {key.lower() for option in plugin.options for key in option.keys}
    taken = {key: value for key, value in keys.items() if key.lower() in declared}
    _warn_without_effect({key: value for key, value in keys.items() if key not in taken}, declared, elsewhere)
    return taken


def _common_keys() -> Iterable[str]:
    """Yield the keys that apply to all providers."""
    for field in attrs.fields(ConcurrencyOptions):
        yield from keys_of(field)


def _warn_without_effect(keys: Mapping[str, Any], declared: Iterable[str], elsewhere: tuple[str, ...]) -> None:
    """Warn once about the keys of other providers; raise `UnknownOption` for an unknown key.

    Args:
        keys: The keys that the provider does not declare.
        declared: The keys that it declares; () without a provider.
        elsewhere: Prefixes of keys that another component uses, so that no warning is needed.
    """
    common = set(_common_keys())
    left = sorted(key for key in keys if key.lower() not in common and not key.lower().startswith(elsewhere))
    for key in left:
        if not HUDI_LOCK_KEYS.fullmatch(key.lower()):
            near = difflib.get_close_matches(key.lower(), [*common, *declared], n=3, cutoff=0.6)
            similar = f"; did you mean {' or '.join(map(repr, near))}?"
            hint = similar if near else "; docs/plugins has the options of each provider"
            raise UnknownOption(f"there is no option '{key}'{hint}")
    if left:
        text = f"these options have no effect with this lock provider and can be removed: {', '.join(left)}"
        if not declared:
            text = (
                f"these options have no effect without a lock provider: {', '.join(left)}; name the provider in "
                "hoodie.write.lock.provider, or remove them"
            )
        warn_caller(text, NoEffectWarning)
