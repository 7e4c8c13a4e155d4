"""What a new table stores about its merge rule."""

from __future__ import annotations

import json
import uuid

from hoodoo.merge.rule_spec import RuleSpec
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
from hoodoo.table_rules.merge_modes import BY_PAYLOAD, MODES, STRATEGIES, UNAVAILABLE

__all__ = ["rule_properties"]

_PAYLOAD_CLASSES = {
    "commit-time": "org.apache.hudi.common.model.OverwriteWithLatestAvroPayload",
    "event-time": "org.apache.hudi.common.model.DefaultHoodieRecordPayload",
}
"""The payload class by which Hudi infers a built-in merge mode in table versions that store no mode."""

_PARTIAL = {"ignore-defaults": "IGNORE_DEFAULTS", "fill-unavailable": "FILL_UNAVAILABLE"}
"""What Hudi can do of the option `partial`."""

_NAMESPACE = uuid.UUID("3b0cbd2f-4a5c-5a0c-9f3e-6d1f0e3f9b52")


def rule_properties(spec: RuleSpec, version: int, hudi_class: str | None, *, merged_by_readers: bool) -> dict[str, str]:
    """The entries for a rule.

    A rule that Hudi knows stands under its payload class, or from version 8 on under its merge mode. One that Hudi does
    not know stands under our names, which leaves copy-on-write tables readable by all; where readers have to merge, a
    payload class or strategy id that is nobody's makes others refuse rather than merge by a rule of their own.

    Args:
        spec: The rule.
        version: The table's version.
        hudi_class: The payload class that stands for the rule, None for a merger and for a payload that is not Hudi's.
        merged_by_readers: Whether the table is merge-on-read.
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
    if version >= 8:
        return stored | _modes(spec, hudi_class)
    if spec.payload_ordering != spec.config.ordering:
        stored[PAYLOAD_ORDERING] = ",".join(spec.payload_ordering)
    payload_class = hudi_class if spec.family == "payload" else _PAYLOAD_CLASSES.get(plugin.name)
    if payload_class is None and merged_by_readers:
        payload_class = f"hoodoo.{spec.family}.{plugin.name}"
    if payload_class:
        stored[PAYLOAD_CLASS] = payload_class
    return stored


def _modes(spec: RuleSpec, hudi_class: str | None) -> dict[str, str]:
    """A rule in the words of later table versions."""
    mode, partial = spec.plugin.name.removesuffix("-partial"), spec.plugin.name.endswith("-partial")
    options = spec.config.options
    if spec.family == "merger" and mode in MODES and (not partial or options.get("partial") in _PARTIAL):
        stored = {MERGE_MODE: MODES[mode], STRATEGY_ID: STRATEGIES[mode]}
        if partial:
            stored[PARTIAL_UPDATE_MODE] = _PARTIAL[options["partial"]]
            if "unavailable_value" in options:
                stored |= dict.fromkeys(UNAVAILABLE, str(options["unavailable_value"]))
        return stored
    strategy = BY_PAYLOAD if hudi_class else str(uuid.uuid5(_NAMESPACE, f"{spec.family}/{spec.plugin.name}"))
    stored = {MERGE_MODE: "CUSTOM", STRATEGY_ID: strategy}
    if spec.family == "payload":
        stored[PAYLOAD_CLASS] = hudi_class or f"hoodoo.payload.{spec.plugin.name}"
    return stored
