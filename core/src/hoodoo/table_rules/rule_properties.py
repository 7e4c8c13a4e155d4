"""The properties by which a new table stores its merge rule."""

from __future__ import annotations

import json
import uuid

from hoodoo.merge.rule_spec import RuleSpec
from hoodoo.plugin.base import MergerMembers, PayloadMembers
from hoodoo.plugin.declarations import CUSTOM_MODE, MergeMode
from hoodoo.plugin.installed.catalogue import Catalogue
from hoodoo.properties.property_keys import (
    COMPAT,
    DELETE_FIELD,
    DELETE_MARKER,
    DELETE_RULE,
    HOODOO_PREFIX,
    MERGE_MODE,
    MERGE_PROPERTY,
    PARTIAL_UPDATE_MODE,
    PAYLOAD_CLASS,
    PAYLOAD_ORDERING,
    RULE_DIGEST,
    RULE_OPTIONS,
    RULE_VERSION,
    STRATEGY_ID,
)
from hoodoo.table_rules.merge_modes import BY_PAYLOAD

__all__ = ["payload_class", "rule_properties"]

_NAMESPACE = uuid.UUID("3b0cbd2f-4a5c-5a0c-9f3e-6d1f0e3f9b52")


def rule_properties(spec: RuleSpec, version: int, catalogue: Catalogue, *, merged_by_readers: bool) -> dict[str, str]:
    """Return the properties of a new table for its rule.

    Every rule is stored under hoodoo's keys. A rule that Hudi has is also stored under the payload class that it
    declares, or from version 8 on under its merge mode (`CUSTOM` for a payload), and in version 8 under both. For any
    other rule, a payload class or strategy id that does not exist is stored from version 8 on, and in earlier versions
    if readers have to merge: other readers then reject the table instead of merging it with another rule.

    Args:
        spec: The rule of the new table.
        version: The version of the new table: 6, 8 or 9.
        catalogue: The catalogue that has the declarations of the rule.
        merged_by_readers: Whether the table is merge-on-read.

    Raises:
        PluginError: As `Catalogue.load`, for the rule.
    """
    plugin = spec.plugin
    stored = {
        HOODOO_PREFIX + spec.family: plugin.name,
        RULE_VERSION: plugin.version,
        RULE_DIGEST: plugin.digest,
        DELETE_RULE: ",".join(rule.name for rule in spec.delete_rules),
    }
    if spec.config.options:
        stored[RULE_OPTIONS] = json.dumps(dict(spec.config.options), sort_keys=True)
    if spec.family == "payload":
        stored[COMPAT] = spec.config.compat
    delete = {DELETE_FIELD: spec.config.delete.field, DELETE_MARKER: spec.config.delete.marker}
    prefix = "" if version < 8 else MERGE_PROPERTY
    stored |= {prefix + key: value for key, value in delete.items() if value is not None}
    mode = _merge_mode(spec, catalogue)
    if spec.family == "payload":
        hudi_class = payload_class(plugin.name, catalogue)
    else:
        hudi_class = None if mode is None else mode.payload_class
    if version >= 8:
        named = _mode_properties(spec, mode, version) or _custom_mode(spec, hudi_class)
        if version == 8 and hudi_class is not None:
            # Hudi 1.0 stores both
            named.setdefault(PAYLOAD_CLASS, hudi_class)
        return stored | named
    if spec.payload_ordering != spec.config.ordering:
        stored[PAYLOAD_ORDERING] = ",".join(spec.payload_ordering)
    if hudi_class is None and merged_by_readers:
        hudi_class = f"hoodoo.{spec.family}.{plugin.name}"
    if hudi_class:
        stored[PAYLOAD_CLASS] = hudi_class
    return stored


def payload_class(name: str, catalogue: Catalogue) -> str | None:
    """Return the Java class that a payload declares for table properties; None if it declares none.

    Raises:
        PluginError: As `Catalogue.load`.
    """
    return catalogue.load("payload", name).declared(PayloadMembers).hudi_class


def _merge_mode(spec: RuleSpec, catalogue: Catalogue) -> MergeMode | None:
    if spec.family != "merger":
        return None
    return catalogue.load("merger", spec.plugin.name).declared(MergerMembers).merge_mode


def _mode_properties(spec: RuleSpec, mode: MergeMode | None, version: int) -> dict[str, str]:
    """Return the entries for a merge mode; empty if the rule has none that can express its options in the version."""
    if mode is None or (mode.partial_updates and version < 9):
        return {}
    stored = {MERGE_MODE: mode.name, STRATEGY_ID: mode.strategy_id}
    if not mode.partial_updates:
        return stored
    options = spec.config.options
    partial = mode.written_partial_update(options)
    if partial is None:
        return {}
    stored[PARTIAL_UPDATE_MODE] = partial.name
    for option, keys in partial.properties.items():
        if option in options:
            stored |= dict.fromkeys(keys, str(options[option]))
    return stored


def _custom_mode(spec: RuleSpec, hudi_class: str | None) -> dict[str, str]:
    """Return the entries for a rule that is not a merge mode of Hudi's readers."""
    by_payload = spec.family == "payload" and hudi_class is not None
    strategy = BY_PAYLOAD if by_payload else str(uuid.uuid5(_NAMESPACE, f"{spec.family}/{spec.plugin.name}"))
    stored = {MERGE_MODE: CUSTOM_MODE, STRATEGY_ID: strategy}
    if spec.family == "payload":
        stored[PAYLOAD_CLASS] = hudi_class or f"hoodoo.payload.{spec.plugin.name}"
    return stored
