"""The merger that Hudi's table properties name by merge mode, strategy id or payload class."""

from __future__ import annotations

from typing import Any

from hoodoo.errors import UnknownPlugin, UnsupportedTable
from hoodoo.options import default_plugins
from hoodoo.plugin.base import MergerMembers
from hoodoo.plugin.declarations import CUSTOM_MODE
from hoodoo.plugin.installed.catalogue import Catalogue, PluginInfo
from hoodoo.plugin.installed.names import normalised
from hoodoo.plugin.installed.official import is_official
from hoodoo.properties import TableProperties
from hoodoo.properties.property_keys import PARTIAL_UPDATE_MODE, PAYLOAD

__all__ = ["BY_PAYLOAD", "merger_of_payload_class", "named_rule"]

BY_PAYLOAD = "00000000-0000-0000-0000-000000000000"
"""The strategy id of tables that a payload class merges."""


def named_rule(properties: TableProperties, catalogue: Catalogue) -> tuple[str, dict[str, Any]] | None:
    """Return the merger, with its options, that Hudi's properties of a table name or imply.

    Returns:
        The merger's name and its options; None if the table has a rule that no installed merger declares.

    Raises:
        UnknownPlugin: An official merger declares the merge mode, partial update mode, strategy id or payload class,
            and is not installed.
        UnsupportedTable: No merger declares the merge mode or the partial update mode.
        PluginError: Several plugins have the name of the merger or payload, or the merger for a partial update mode is
            not allowed or cannot be loaded.
    """
    mode = properties.merge_mode
    by_mode = mode is not None and mode != CUSTOM_MODE and properties.version >= 8
    partial = properties.get(PARTIAL_UPDATE_MODE, "NONE").upper()
    if mode is not None and by_mode and partial != "NONE":
        return _partial_rule(properties, mode, partial, catalogue)
    name = _of_mode(properties, mode, catalogue) if mode not in (None, CUSTOM_MODE) else None
    name = name if by_mode else _inferred(properties, catalogue)
    if name is None or partial == "NONE":
        return None if name is None else (name, {})
    declared = catalogue.load("merger", name).declared(MergerMembers).merge_mode
    return _partial_rule(properties, declared.name if declared else name, partial, catalogue)


def merger_of_payload_class(payload_class: str, catalogue: Catalogue) -> str | None:
    """Return the merger with which readers merge tables of a payload class; None if no merger has it as an alias.

    Raises:
        UnknownPlugin: The merger is an official plugin and is not installed.
    """
    return _of_alias(payload_class.rpartition(".")[2], catalogue)


def _of_alias(alias: str, catalogue: Catalogue) -> str | None:
    info = catalogue.found("merger", alias)
    if info is None and is_official("merger", alias):
        info = catalogue.find("merger", alias)
    return None if info is None or normalised(info.name) == normalised(alias) else info.name


def _of_mode(properties: TableProperties, mode: str | None, catalogue: Catalogue) -> str:
    found = _found(mode or "", catalogue)
    if found is None:
        raise UnsupportedTable(
            f"table '{properties.name}' has hoodie.record.merge.mode={mode}, and no installed merger declares this "
            "merge mode; install a merger that does, or upgrade hoodoo",
            code="merge_mode",
        )
    return found.name


def _found(alias: str, catalogue: Catalogue) -> PluginInfo | None:
    try:
        info = catalogue.find("merger", alias)
    except UnknownPlugin:
        if is_official("merger", alias):
            raise
        return None
    return info if normalised(alias) in map(normalised, info.aliases) else None


def _inferred(properties: TableProperties, catalogue: Catalogue) -> str | None:
    strategy = (properties.strategy_id or "").lower()
    payload_class = _payload_class(properties, catalogue)
    has_payload = payload_class is not None or bool(properties.get(PAYLOAD))
    # below version 8 the payload class decides, from version 8 on the strategy id
    if strategy not in ("", BY_PAYLOAD) and (properties.version >= 8 or not has_payload):
        merger = _of_alias(strategy, catalogue)
        if merger is not None:
            return merger
    if has_payload:
        return None if payload_class is None else merger_of_payload_class(payload_class, catalogue)
    if properties.merge_mode == CUSTOM_MODE or strategy not in ("", BY_PAYLOAD):
        return None
    return default_plugins.MERGER_WITH_ORDERING if properties.ordering else default_plugins.MERGER_WITHOUT_ORDERING


def _payload_class(properties: TableProperties, catalogue: Catalogue) -> str | None:
    """Return the payload class; for a payload stored only by name, an alias that it shares with a merger, or None."""
    own = properties.get(PAYLOAD)
    if properties.payload_class or not own:
        return properties.payload_class
    info = catalogue.found("payload", own)
    aliases = info.aliases if info is not None else ()
    return next((alias for alias in aliases if catalogue.found("merger", alias.rpartition(".")[2])), None)


def _partial_rule(
    properties: TableProperties, mode: str, partial: str, catalogue: Catalogue
) -> tuple[str, dict[str, Any]]:
    info = _found(f"{mode}+{partial}", catalogue)
    declared = None if info is None else catalogue.load("merger", info.name).declared(MergerMembers).merge_mode
    update = None if declared is None else declared.partial_update(partial)
    if info is None or update is None:
        start = normalised(f"{mode}+")
        aliases = [alias for merger in catalogue.list("merger") for alias in merger.aliases]
        modes = sorted(alias.rpartition("+")[2] for alias in aliases if normalised(alias).startswith(start))
        raise UnsupportedTable(
            f"table '{properties.name}' has {PARTIAL_UPDATE_MODE}={partial}, and no installed merger declares it for "
            f"merge mode {mode}; install one that does (installed mergers declare: {', '.join(modes) or 'none'})",
            code="partial_update_mode",
        )
    options = dict(update.options)
    for option, keys in update.properties.items():
        value = next((properties[key] for key in keys if key in properties), None)
        if value is not None:
            options[option] = value
    return info.name, options
