"""Hudi's merge modes, strategies and payloads, as the rules that stand for them here."""

from __future__ import annotations

from typing import Any

from hoodoo.errors import UnsupportedTable
from hoodoo.properties import TableProperties
from hoodoo.properties.property_keys import MERGE_PROPERTY, PARTIAL_UPDATE_MODE, PAYLOAD

__all__ = [
    "BY_PAYLOAD",
    "MODES",
    "MODE_OF_PAYLOAD",
    "STRATEGIES",
    "UNAVAILABLE",
    "named_rule",
]

MODES = {"commit-time": "COMMIT_TIME_ORDERING", "event-time": "EVENT_TIME_ORDERING"}
"""Mergers and the modes by which tables from version 8 on name them."""

STRATEGIES = {
    "commit-time": "ce9acb64-bde0-424c-9b91-f6ebba25356d",
    "event-time": "eeb8d96f-b1e4-49fd-bbf8-28ac514178e5",
}
"""Mergers and the strategy ids that Hudi gives them."""

MODE_OF_PAYLOAD = {
    "overwrite-with-latest": "commit-time",
    "OverwriteWithLatestAvroPayload": "commit-time",
    "event-time": "event-time",
    "DefaultHoodieRecordPayload": "event-time",
    "event-time-avro": "event-time",
    "EventTimeAvroPayload": "event-time",
}
"""Payloads, by our name and Hudi's, that readers take for a merge mode, in every table version."""

BY_PAYLOAD = "00000000-0000-0000-0000-000000000000"
"""The strategy id of tables that a payload class of Hudi's merges."""

UNAVAILABLE = (
    f"{MERGE_PROPERTY}partial.update.unavailable.value",
    f"{MERGE_PROPERTY}hoodie.write.partial.update.unavailable.value",
)
"""Where the marker of FILL_UNAVAILABLE stands: the hudi package reads the first, Hudi writes and reads the second."""

_MERGERS = {mode: merger for merger, mode in MODES.items()}
_OF_STRATEGY = {strategy: merger for merger, strategy in STRATEGIES.items()}
_PARTIAL = {
    "IGNORE_DEFAULTS": "ignore-defaults",
    "FILL_UNAVAILABLE": "fill-unavailable",
    "IGNORE_MARKERS": "fill-unavailable",
    "KEEP_VALUES": "keep-values",
}


def named_rule(properties: TableProperties) -> tuple[str, dict[str, Any]] | None:
    """Merger and options that a table names in Hudi's properties, or leaves to be inferred from them.

    Returns:
        None where it has a rule that is none of Hudi's modes.

    Raises:
        UnsupportedTable: a mode that is not known here.
    """
    merger = _merger(properties)
    if merger is None:
        return None
    partial = properties.get(PARTIAL_UPDATE_MODE, "NONE").upper()
    if partial == "NONE":
        return merger, {}
    return f"{merger}-partial", _partial_options(properties, partial)


def _merger(properties: TableProperties) -> str | None:
    if properties.merge_mode not in (None, "CUSTOM", *_MERGERS):
        raise UnsupportedTable(
            f"table '{properties.name}' has hoodie.record.merge.mode={properties.merge_mode}; "
            f"supported are {', '.join(_MERGERS)}, CUSTOM",
            code="merge_mode",
        )
    if properties.version >= 8 and properties.merge_mode in _MERGERS:
        return _MERGERS[properties.merge_mode]
    strategy = (properties.strategy_id or "").lower()
    payload = properties.get(PAYLOAD) or properties.payload_class
    # below version 8 the payload counts, from then on the strategy
    if strategy in _OF_STRATEGY and (properties.version >= 8 or not payload):
        return _OF_STRATEGY[strategy]
    if payload:
        return MODE_OF_PAYLOAD.get(payload.rpartition(".")[2])
    if properties.merge_mode == "CUSTOM" or strategy not in ("", BY_PAYLOAD):
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
    marker = next((properties[key] for key in UNAVAILABLE if key in properties), None)
    if marker is not None and options["partial"] == "fill-unavailable":
        options["unavailable_value"] = marker
    return options
