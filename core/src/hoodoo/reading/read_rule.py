"""The rule by which a table's log records are merged, as Hudi's readers infer it, or as our own properties name it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hoodoo.errors import UnsupportedTable
from hoodoo.merge.defaults import default_delete_rules
from hoodoo.merge.spec import RuleSpec
from hoodoo.plugin.catalog import Catalogue
from hoodoo.properties import TableProperties
from hoodoo.reading.stored_rule import field_names, stored_delete_rules, stored_rule_options
from hoodoo.record import DeleteContext, MergerConfig

__all__ = ["read_rule"]

_MODES = {"COMMIT_TIME_ORDERING": "commit-time", "EVENT_TIME_ORDERING": "event-time"}
_STRATEGIES = {
    "ce9acb64-bde0-424c-9b91-f6ebba25356d": "commit-time",
    "eeb8d96f-b1e4-49fd-bbf8-28ac514178e5": "event-time",
}
_BY_PAYLOAD = "00000000-0000-0000-0000-000000000000"
_MODE_OF_PAYLOAD = {
    "overwrite-with-latest": "commit-time",
    "OverwriteWithLatestAvroPayload": "commit-time",
    "event-time": "event-time",
    "DefaultHoodieRecordPayload": "event-time",
    "event-time-avro": "event-time",
    "EventTimeAvroPayload": "event-time",
}
"""Payloads, by our name and Hudi's, that readers take for a merge mode, in every table version."""

_PARTIAL = {
    "IGNORE_DEFAULTS": "ignore-defaults",
    "FILL_UNAVAILABLE": "fill-unavailable",
    "IGNORE_MARKERS": "fill-unavailable",
    "KEEP_VALUES": "keep-values",
}
_PROPERTY = "hoodie.record.merge.property."
_UNAVAILABLE = (
    f"{_PROPERTY}partial.update.unavailable.value",
    f"{_PROPERTY}hoodie.write.partial.update.unavailable.value",
)


def read_rule(properties: TableProperties, catalogue: Catalogue) -> RuleSpec:
    """The rule of a table for its readers and for compaction.

    Raises:
        UnknownPlugin: the rule is not installed; the message says what to install.
        UnsupportedTable: the table names a merger of another language that no plugin stands for.
    """
    family, name, options = _named(properties)
    spec = catalogue.spec(family, name, options)
    rules = stored_delete_rules(properties) or default_delete_rules(family, spec.name)
    ordering = field_names(properties.get("hoodie.payload.ordering.field")) or properties.ordering
    config = MergerConfig(
        record_key=properties.record_key,
        partition_by=properties.partition_by,
        ordering=ordering,
        delete=DeleteContext(_delete(properties, "field"), _delete(properties, "marker")),
        compat=properties.get("hoodoo.compat") or "legacy",
        options=options,
    )
    return RuleSpec(family, spec, tuple(catalogue.spec("delete", rule, {}) for rule in rules), config, ordering)


def _named(properties: TableProperties) -> tuple[str, str, dict[str, Any]]:
    """Family, name and options."""
    own = properties.get("hoodoo.merger")
    if own:
        return "merger", own, stored_rule_options(properties)
    mode = _mode(properties)
    if mode is not None:
        partial = properties.get("hoodie.table.partial.update.mode", "NONE").upper()
        if partial == "NONE":
            return "merger", mode, {}
        return "merger", f"{mode}-partial", _partial_options(properties, partial)
    payload = properties.get("hoodoo.payload") or properties.payload_class
    if payload:
        return "payload", payload, stored_rule_options(properties)
    raise UnsupportedTable(
        f"table '{properties.name}' is merged by a custom merger with strategy id '{properties.strategy_id}', which no "
        "plugin here stands for. If it exists as a plugin, pip install it and set hoodoo.merger to its name in "
        "hoodie.properties; query_type 'read_optimized' reads the base files without merging",
        code="merge_strategy",
    )


def _mode(properties: TableProperties) -> str | None:
    """`commit-time` or `event-time`; None where the table has a rule of its own."""
    if properties.merge_mode not in (None, "CUSTOM", *_MODES):
        raise UnsupportedTable(
            f"table '{properties.name}' has hoodie.record.merge.mode={properties.merge_mode}; "
            f"supported are {', '.join(_MODES)}, CUSTOM",
            code="merge_mode",
        )
    if properties.version >= 8 and properties.merge_mode in _MODES:
        return _MODES[properties.merge_mode]
    strategy = (properties.strategy_id or "").lower()
    payload = properties.get("hoodoo.payload") or properties.payload_class
    # below version 8 the payload counts, from then on the strategy
    if strategy in _STRATEGIES and (properties.version >= 8 or not payload):
        return _STRATEGIES[strategy]
    if payload:
        return _MODE_OF_PAYLOAD.get(payload.rpartition(".")[2])
    if properties.merge_mode == "CUSTOM" or strategy not in ("", _BY_PAYLOAD):
        return None
    return "event-time" if properties.ordering else "commit-time"


def _partial_options(properties: TableProperties, mode: str) -> dict[str, Any]:
    if mode not in _PARTIAL:
        raise UnsupportedTable(
            f"table '{properties.name}' has hoodie.table.partial.update.mode={mode}; "
            f"supported are {', '.join(_PARTIAL)}",
            code="partial_update_mode",
        )
    options = {"partial": _PARTIAL[mode]}
    marker = next((properties[key] for key in _UNAVAILABLE if properties.get(key) is not None), None)
    if marker is not None and options["partial"] == "fill-unavailable":
        options["unavailable_value"] = marker
    return options


def _delete(properties: Mapping[str, str], name: str) -> str | None:
    key = f"hoodie.payload.delete.{name}"
    return properties.get(_PROPERTY + key) or properties.get(key)
