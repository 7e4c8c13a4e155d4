"""Avro schema of an archive's records in timeline layout 1."""

from __future__ import annotations

import json
from typing import Any

from hoodoo.timeline.codec.commit_schemas import COMMIT_METADATA, COMPACTION_PLAN, REPLACE_COMMIT_METADATA
from hoodoo.timeline.codec.service_schemas import (
    CLEAN_METADATA,
    CLEANER_PLAN,
    REQUESTED_REPLACE,
    ROLLBACK_METADATA,
)

__all__ = ["ENTRY", "ENTRY_TEXT"]


def _hudi_form(schema: Any, known: set[str]) -> Any:
    """Return the schema in Hudi's form: each record is defined at its first occurrence, and later referred to by name.

    Hudi decodes archives with the schema in them, and fails unless strings are marked as Java strings.
    """
    if schema == "string":
        return {"type": "string", **_JAVA}
    if isinstance(schema, list):
        return [_hudi_form(branch, known) for branch in schema]
    if not isinstance(schema, dict):
        return schema
    if schema.get("type") == "record":
        name = f"{schema['namespace']}.{schema['name']}"
        if name in known:
            return name
        known.add(name)
    nested = {key: _hudi_form(value, known) if key in _NESTING else value for key, value in schema.items()}
    return {**nested, **_JAVA} if schema.get("type") == "map" else nested


_JAVA = {"avro.java.string": "String"}
_NESTING = ("type", "fields", "items", "values")

_OPTIONAL = {
    "hoodieCommitMetadata": COMMIT_METADATA,
    "hoodieCleanMetadata": CLEAN_METADATA,
    "hoodieRollbackMetadata": ROLLBACK_METADATA,
    "commitTime": "string",
    "actionType": "string",
    "hoodieCompactionPlan": COMPACTION_PLAN,
    "hoodieCleanerPlan": CLEANER_PLAN,
    "actionState": "string",
    "hoodieReplaceCommitMetadata": REPLACE_COMMIT_METADATA,
    "hoodieRequestedReplaceMetadata": REQUESTED_REPLACE,
    "stateTransitionTime": "string",
}

ENTRY: dict[str, Any] = _hudi_form(
    {
        "type": "record",
        "name": "HoodieArchivedMetaEntry",
        "namespace": "org.apache.hudi.avro.model",
        "fields": [
            *({"name": name, "type": ["null", type_], "default": None} for name, type_ in _OPTIONAL.items()),
            {"name": "version", "type": ["int", "null"], "default": 1},
        ],
    },
    set(),
)
"""One state of an instant. Readers match fields by name; fields that only Hudi's schema has are null."""

ENTRY_TEXT = json.dumps(ENTRY, separators=(",", ":"))
"""The schema as text, for the header of a block."""
