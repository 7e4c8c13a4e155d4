"""Which merge rule a table names, in Hudi's properties or in ours."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from hoodoo.errors import CorruptTableError

__all__ = ["field_names", "rule_properties", "stored_delete_rules", "stored_rule", "stored_rule_options"]

_PAYLOAD_CLASSES = {
    "commit-time": "org.apache.hudi.common.model.OverwriteWithLatestAvroPayload",
    "event-time": "org.apache.hudi.common.model.DefaultHoodieRecordPayload",
}
"""The payload class by which Hudi infers a built-in merge mode in table versions that store no mode."""

_OPTIONS = "hoodoo.rule.options"


def stored_rule(properties: Mapping[str, str]) -> tuple[str, str] | None:
    """Family and name of the table's rule, None where it names none.

    Our own property comes first: a merger is stored for other readers under the payload class that means the same.
    """
    for family in ("merger", "payload"):
        name = properties.get(f"hoodoo.{family}")
        if name:
            return family, name
    payload = properties.get("hoodie.compaction.payload.class")
    return ("payload", payload) if payload else None


def stored_rule_options(properties: Mapping[str, str]) -> dict[str, Any]:
    """The options that the table's rule was created with."""
    text = properties.get(_OPTIONS)
    if not text:
        return {}
    try:
        options = json.loads(text)
    except json.JSONDecodeError as error:
        file = ".hoodie/hoodie.properties"
        raise CorruptTableError(f"'{file}': '{_OPTIONS}' is not valid JSON: {error}", file=file) from error
    return dict(options)


def stored_delete_rules(properties: Mapping[str, str]) -> tuple[str, ...]:
    """The delete rules that the table names, none where it leaves them to the rule's default."""
    return tuple(name for name in properties.get("hoodoo.delete_rule", "").split(",") if name)


def rule_properties(
    family: str,
    name: str,
    version: str,
    digest: str,
    options: Mapping[str, Any],
    hudi_class: str | None,
    *,
    merged_by_readers: bool,
) -> dict[str, str]:
    """What a new table of version 6 stores about its rule.

    A rule that Hudi knows stands under its payload class. One that Hudi does not know stands under our names only,
    which leaves copy-on-write tables readable by all; where readers have to merge, a payload class that is nobody's
    makes others refuse rather than merge by a rule of their own.
    """
    stored = {f"hoodoo.{family}": name, "hoodoo.rule.version": version, "hoodoo.rule.digest": digest}
    if options:
        stored[_OPTIONS] = json.dumps(dict(options), sort_keys=True)
    payload_class = hudi_class if family == "payload" else _PAYLOAD_CLASSES.get(name)
    if payload_class is None and merged_by_readers:
        payload_class = f"hoodoo.{family}.{name}"
    if payload_class:
        stored["hoodie.compaction.payload.class"] = payload_class
    return stored


def field_names(text: str | None) -> tuple[str, ...]:
    """The columns of a comma list in a property."""
    return tuple(name.strip() for name in (text or "").split(",") if name.strip())
