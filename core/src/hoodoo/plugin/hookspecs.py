"""Hooks with which a module of a plugin distribution returns its class to the core, or handles commits.

A distribution declares an entry point in the group of its family (`hoodoo.merger`, ...), whose name is the plugin's
name and whose value is a module. The module is imported and registered with pluggy only when the plugin is selected.
The hook of its family is then called for this module alone: once if it returns a class, with every commit if it checks
or handles commits. Later releases only add arguments to hooks.
"""

from __future__ import annotations

from typing import Any

import pluggy

from hoodoo.plugin.commit_summary import CommitSummary
from hoodoo.plugin.interface import (
    AggregateFunction,
    CatalogProvider,
    DeleteRule,
    KeyGenerator,
    LockProvider,
    Payload,
    RecordMerger,
    RowMerger,
    RowPayload,
)

__all__ = [
    "PROJECT",
    "hoodoo_aggregate",
    "hoodoo_catalog",
    "hoodoo_delete_rule",
    "hoodoo_keygen",
    "hoodoo_lock",
    "hoodoo_merger",
    "hoodoo_payload",
    "hoodoo_post_commit",
    "hoodoo_pre_commit",
    "hookimpl",
    "hookspec",
]

PROJECT = "hoodoo"

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)
"""Decorator of the functions of a plugin that implement hooks."""


@hookspec(firstresult=True)
def hoodoo_payload() -> type[Payload] | type[RowPayload]:  # type: ignore[empty-body]
    """Return the class of a payload plugin (entry point group `hoodoo.payload`).

    Called once per process, without arguments, when the payload is selected by name: by the `payload` option, by the
    properties of a table, or on an executor that runs the write or read. Never called to list what is installed.

    Returns:
        A class, not an instance, with `pre_combine`, `combine_and_get_update_value`, `get_insert_value` and a class
        attribute `laws`; or a subclass of `RowPayload`. Its attrs fields are the options. The core makes
        instances with the converted options, on the driver and on executors.

    An exception here, or in importing the module, becomes `BrokenPlugin`, which names the plugin, its distribution and
    version. The write or read that selected the plugin is refused before any change; others are not affected.
    """


@hookspec(firstresult=True)
def hoodoo_merger() -> type[RecordMerger] | type[RowMerger]:  # type: ignore[empty-body]
    """Return the class of a merger plugin (entry point group `hoodoo.merger`).

    Called once per process, without arguments, when the merger is selected by name: by the `merger` option, by the
    properties of a table, or on an executor that runs the write or read. Never called to list what is installed.

    Returns:
        A class, not an instance, with `merge` and a class attribute `laws`; or a subclass of `RowMerger`. Its attrs
        fields are the options (`merger_options`). The core makes instances with the converted options, on
        the driver and on executors.

    An exception here, or in importing the module, becomes `BrokenPlugin`, which names the plugin, its distribution and
    version. The write or read that selected the plugin is refused before any change; others are not affected.
    """


@hookspec(firstresult=True)
def hoodoo_keygen() -> type[KeyGenerator]:  # type: ignore[empty-body]
    """Return the class of a key generator plugin (entry point group `hoodoo.keygen`).

    Called once per process, without arguments, when the key generator is selected: by the `keygen` option, by the
    properties of a table, by the key and partition columns if neither of these names one, or on an executor that runs
    the write. Never called to list what is installed.

    Returns:
        A class, not an instance, with `record_keys` and `partition_paths`. Its attrs fields are the options
        (`keygen_options`). The core makes instances with the converted options, on the driver and on executors.

    An exception here, or in importing the module, becomes `BrokenPlugin`, which names the plugin, its distribution and
    version. The write or read that selected the plugin is refused before any change; others are not affected.
    """


@hookspec(firstresult=True)
def hoodoo_delete_rule() -> type[DeleteRule]:  # type: ignore[empty-body]
    """Return the class of a delete rule plugin (entry point group `hoodoo.delete`).

    Called once per process, without arguments, when the rule is selected: by the `delete_rule` option, by the
    properties of a table, as the default of the payload or merger, or on an executor that runs the write or read. Never
    called to list what is installed.

    Returns:
        A class, not an instance, with `is_delete`. Its attrs fields are the options. The core makes instances with
        the converted options, on the driver and on executors.

    An exception here, or in importing the module, becomes `BrokenPlugin`, which names the plugin, its distribution and
    version. The write or read that selected the plugin is refused before any change; others are not affected.
    """


@hookspec(firstresult=True)
def hoodoo_aggregate() -> type[AggregateFunction]:  # type: ignore[empty-body]
    """Return the class of an aggregate function (entry point group `hoodoo.aggregate`).

    Called once per process, without arguments, when the function is selected by name for a column: by the options of a
    merger, by the properties of a table, or on an executor that runs the write or read. Never called to list what is
    installed.

    Returns:
        A class, not an instance, with `accepts` and `add` and the class attributes `laws` and `takes`. Its attrs fields
        are the options, which are given with the function's name. The core makes instances for each column, with the
        converted options.

    An exception here, or in importing the module, becomes `BrokenPlugin`, which names the plugin, its distribution and
    version. The write or read that selected the function is refused before any change; others are not affected.
    """


@hookspec(firstresult=True)
def hoodoo_lock() -> type[LockProvider]:  # type: ignore[empty-body]
    """Return the class of a lock provider (entry point group `hoodoo.lock`).

    Called once per process, without arguments, when the provider is selected: by the `lock_provider` option of a write
    or of a table service, by Hudi's keys, or by a lock file of Hudi that the table has. Never called to list what is
    installed, and never on an executor.

    Returns:
        A class, not an instance, with `try_acquire` and `describe`. Its attrs fields are the options (`lock_options`,
        and Hudi's keys). The core makes one instance per write or table service, with the converted options.

    An exception here, or in importing the module, becomes `BrokenPlugin`, which names the plugin, its distribution and
    version. The write or table service that selected the plugin is refused before any change; others are not affected.
    """


@hookspec(firstresult=True)
def hoodoo_catalog() -> type[CatalogProvider]:  # type: ignore[empty-body]
    """Return the class of a catalog provider (entry point group `hoodoo.catalog`).

    Called once per process, without arguments, when the provider is selected: by the `catalogs` option of a write or of
    `hoodoo table sync`, or by Hudi's keys. Never called to list what is installed, and never on an executor.

    Returns:
        A class, not an instance, with the methods of `CatalogProvider`. Its attrs fields are the options
        (`catalog_options`, and Hudi's keys). The core makes one instance per write or `hoodoo table sync`, with the
        converted options.

    An exception here, or in importing the module, becomes `BrokenPlugin`, which names the plugin, its distribution and
    version. The write or sync that selected the plugin is refused before any change; others are not affected.
    """


@hookspec
def hoodoo_pre_commit(table: Any, summary: CommitSummary) -> None:
    """Check a commit before it is completed, and refuse it if necessary (entry point group `hoodoo.pre_commit`).

    Called once per commit, on the driver, when the hook is named by the `pre_commit` option of the write: at that time
    all files are written, and no reader uses them. Several hooks are called in the order of the option. Compaction,
    cleaning and archiving do not call it.

    Args:
        table: The `hoodoo.Table` before the commit; without rows if the write creates it.
        summary: Summary of the commit; `summary.after` is the table as it would be after the commit.

    Returns:
        Nothing; a returned value is ignored.

    To refuse the commit, raise `CommitRefused`; the write raises it again with the hook's name before the text.
    An exception here of another class becomes `PluginFault`, which names the plugin, its distribution and version. In
    both cases the write is rolled back, and hooks that come later are not called.
    """


@hookspec
def hoodoo_post_commit(table: Any, commit: Any) -> None:
    """Handle a commit that is completed (entry point group `hoodoo.post_commit`).

    Called once per commit, on the driver, when the hook is named by the `post_commit` option of the write: after the
    commit and before the services that the write runs inline. Several hooks are called in the order of the option. A
    repeated write whose `write_id` is already committed calls them again, because the attempt that committed may have
    ended before it called them.

    Args:
        table: The `hoodoo.Table` after the commit.
        commit: The `hoodoo.Commit` that the write returns.

    Returns:
        Nothing; a returned value is ignored.

    An exception here becomes `HookFailed`, a warning, which names the plugin, its distribution and version. The commit
    remains, and the hooks that come later are called.
    """
