"""The hooks: how a module of a plugin distribution hands its class to the core.

A distribution declares an entry point in the group of its family (`hoodoo.merger`, ...), whose name is the plugin's
name and whose value is a module. Only when the plugin is selected is that module imported and registered with pluggy,
and the hook of its family is called once, for this module alone. Hooks change by added arguments only.
"""

from __future__ import annotations

import pluggy

from hoodoo.plugin.interface import DeleteRule, KeyGenerator, Payload, RecordMerger, RowMerger, RowPayload

__all__ = [
    "PROJECT",
    "hoodoo_delete_rule",
    "hoodoo_keygen",
    "hoodoo_merger",
    "hoodoo_payload",
    "hookimpl",
    "hookspec",
]

PROJECT = "hoodoo"

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


@hookspec(firstresult=True)
def hoodoo_payload() -> type[Payload] | type[RowPayload]:  # type: ignore[empty-body]
    """Hand over the class of a payload plugin (entry point group `hoodoo.payload`).

    Called once per process, without arguments, when the payload is selected by name: by the `payload` option, by the
    properties of a table, or on an executor that runs the write. Never called to list what is installed.

    Returns:
        A class, not an instance, with `pre_combine`, `combine_and_get_update_value`, `get_insert_value` and a class
        attribute `laws`; or a subclass of `RowPayload`. Its attrs fields are the options. Called with the converted
        options, it makes one instance per write or read.

    An exception here, or in importing the module, becomes `BrokenPlugin`, which names the plugin, its distribution and
    version. The write or read that selected the plugin is refused before it changes anything; nobody else is affected.
    """


@hookspec(firstresult=True)
def hoodoo_merger() -> type[RecordMerger] | type[RowMerger]:  # type: ignore[empty-body]
    """Hand over the class of a merger plugin (entry point group `hoodoo.merger`).

    Called once per process, without arguments, when the merger is selected by name: by the `merger` option, by the
    properties of a table, or on an executor that runs the write. Never called to list what is installed.

    Returns:
        A class, not an instance, with `merge` and a class attribute `laws`; or a subclass of `RowMerger`. Its attrs
        fields are the options (`merger_options`). Called with the converted options, it makes one instance per write
        or read.

    An exception here, or in importing the module, becomes `BrokenPlugin`, which names the plugin, its distribution and
    version. The write or read that selected the plugin is refused before it changes anything; nobody else is affected.
    """


@hookspec(firstresult=True)
def hoodoo_keygen() -> type[KeyGenerator]:  # type: ignore[empty-body]
    """Hand over the class of a key generator plugin (entry point group `hoodoo.keygen`).

    Called once per process, without arguments, when the key generator is selected: by the `keygen` option, by the
    properties of a table, or by the number of key and partition columns where neither says. Never called to list what
    is installed.

    Returns:
        A class, not an instance, with `record_keys` and `partition_paths`. Its attrs fields are the options
        (`keygen_options`). Called with the converted options, it makes one instance per write.

    An exception here, or in importing the module, becomes `BrokenPlugin`, which names the plugin, its distribution and
    version. The write that selected the plugin is refused before it changes anything; nobody else is affected.
    """


@hookspec(firstresult=True)
def hoodoo_delete_rule() -> type[DeleteRule]:  # type: ignore[empty-body]
    """Hand over the class of a delete rule plugin (entry point group `hoodoo.delete`).

    Called once per process, without arguments, when the rule is selected: by the `delete_rule` option, by the
    properties of a table, or as the default of the payload or merger. Never called to list what is installed.

    Returns:
        A class, not an instance, with `is_delete`. Its attrs fields are the options. Called with the converted
        options, it makes one instance per write.

    An exception here, or in importing the module, becomes `BrokenPlugin`, which names the plugin, its distribution and
    version. The write that selected the plugin is refused before it changes anything; nobody else is affected.
    """
